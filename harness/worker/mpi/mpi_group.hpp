#pragma once

#include "harness/measure/group.hpp"

namespace ridgeline::worker {

/// The processes that mpirun started. MPI is initialised by the first question, not before, so that
/// a program that only lists its cases never touches it, and is finalised with the group.
///
/// The ranks of one machine divide its cores: each keeps to its share, so that a device opened
/// later pins threads there. A rank that the launcher has bound already is left where it is.
class MpiGroup final : public measure::Group {
 public:
  MpiGroup() = default;
  MpiGroup(const MpiGroup&) = delete;
  ~MpiGroup() override;

  int size() const override;
  int rank() const override;
  measure::Here here() const override;
  /// Ends every rank, when MPI was started: for one that cannot go on, while the others may wait
  /// for it.
  void abort(int exit_code) noexcept;
  void barrier() override;
  double max(double value) override;
  void broadcast(void* bytes, std::size_t count) override;
  void gather(const void* mine, std::size_t count, void* all) override;
};

}  // namespace ridgeline::worker
