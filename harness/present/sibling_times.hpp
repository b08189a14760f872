#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/analysis/siblings.hpp"
#include "harness/base/json.hpp"
#include "harness/store/selector.hpp"

/// `ridgeline trend siblings`: GPUs of a host that were measured together, time after time.
namespace ridgeline::present {

struct SiblingGpu {
  std::string uuid, id;  // the id as it was called last
};

/// One `run --device all`.
struct TogetherOnce {
  std::string started;  // of the run that began last
  std::vector<std::string> runs;
  std::vector<analysis::Sibling> devices;  // over all suites; their names are UUIDs
};

/// GPUs of one model of one host, by the same profile, label and choice of cases.
struct SiblingTimes {
  std::string model, host, profile, label;
  std::string chosen;               // of the profile's cases, as words; empty for all
  std::vector<SiblingGpu> gpus;     // of any of the times, by id
  std::vector<TogetherOnce> times;  // newest first
};

/// The runs among `all` that one `run --device all` made with `run` on GPUs of its model: siblings
/// that were under way at about its time and repeat no other run. Throws like store::siblings.
std::vector<store::FoundRun> measured_together(const store::FoundRun& run,
                                               const std::vector<store::FoundRun>& all,
                                               const store::LeftOut& left_out);

/// Of `all` runs of a folder, the newest `most` times of each host. Those in which fewer than two
/// GPUs have a case in common are left out, and so are runs that repeat another, which are of one
/// GPU. `left_out` is told of those that cannot be read.
std::vector<SiblingTimes> find_sibling_times(std::vector<store::FoundRun> all, std::size_t most,
                                             const store::LeftOut& left_out);

std::string sibling_times_text(const std::vector<SiblingTimes>& hosts, std::size_t width);
json::Value to_json(const SiblingTimes& host);

}  // namespace ridgeline::present
