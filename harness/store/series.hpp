#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/record/measurement.hpp"
#include "harness/record/run.hpp"

namespace ridgeline::store {

/// A run with all that may explain why it differs from others.
struct SeriesRun {
  record::Run run;
  record::Device device;
  record::Environment environment;
  std::vector<record::Build> builds;
};

/// How measuring one case in one replicate of a run ended, with its last attempt.
struct SeriesTime {
  std::int64_t case_id = 0;
  record::Outcome outcome = record::Outcome::crashed;
  double median_ns = 0;  // when has_samples(outcome); else there is none, and it says nothing
};

/// A counted case's metric in one run.
struct SeriesCount {
  std::int64_t case_id = 0;
  record::Metric metric;
};

class Connection;

/// Reads of a results file what series over many runs need, and no more: a few million measurements in a second. Opens
/// like Store::open, fails like Store, and checks what it reads likewise. Several may read one file at once.
class SeriesReader {
 public:
  explicit SeriesReader(const std::filesystem::path& file);
  ~SeriesReader();
  SeriesReader(SeriesReader&&) noexcept;
  SeriesReader& operator=(SeriesReader&&) noexcept;

  /// Oldest first. Runs that a gate measured are among them; Run::gate tells.
  std::vector<SeriesRun> runs() const;
  /// Names by id. Several ids have one name where a case's description changed.
  std::unordered_map<std::int64_t, std::string> case_names() const;
  /// Of one run, in no order.
  void times(std::string_view run_id, const std::function<void(const SeriesTime&)>& take) const;
  void counts(std::string_view run_id, const std::function<void(const SeriesCount&)>& take) const;

 private:
  std::unique_ptr<Connection> connection_;
};

}  // namespace ridgeline::store
