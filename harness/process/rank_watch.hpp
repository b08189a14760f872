#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/process/clock.hpp"
#include "harness/process/stops.hpp"
#include "harness/protocol/rank_note.hpp"
#include "harness/record/facts.hpp"

/// Ranks on several hosts, of which only those of this one have processes that can be looked at.
namespace ridgeline::process {

/// Concludes from the beats of ranks (protocol::Beat), which come once a second while a request is
/// served, which of them the others wait for in vain. Concludes nothing where none come, and not
/// that a rank is silent that has never been heard of: its launcher may not carry what asks it.
class RankWatch {
 public:
  /// `hosts`: of all ranks, as in protocol::Hello.
  explicit RankWatch(const record::Facts& hosts = {}, int ranks = 0,
                     double patience_s = longest_stop_s);

  /// Whether there are ranks of other hosts.
  bool has_away() const;

  /// A request is sent: silence counts from now on.
  void begin(Clock::time_point now);
  void hear(int rank, const protocol::Beat& beat, Clock::time_point now);

  /// What is wrong with which ranks, as a sentence; empty when nothing is.
  /// Ranks of other hosts have not been heard of for `patience_s`, while others are: of this host,
  /// Stops tells which are stopped.
  /// Or ranks have been idle for so long, while all that had come no further than they were, and
  /// others had: they hang. Who computes, or waits for a processor, is slow, however long it takes.
  std::string fault(Clock::time_point now) const;

 private:
  struct Rank {
    std::string name;  // "rank 1 on node2"
    bool is_away = false;
    bool is_known = false;                        // it has been heard of
    std::optional<Clock::time_point> heard;       // since the request
    std::uint64_t meetings = 0;                   // as it last said
    std::optional<Clock::time_point> idle_since;  // in all beats since, and last
  };

  /// Whether none has come less far, and some further.
  bool is_last(const Rank& rank) const;

  double patience_s_;
  std::vector<Rank> ranks_;
  Clock::time_point begun_{};
};

}  // namespace ridgeline::process
