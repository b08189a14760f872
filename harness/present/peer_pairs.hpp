#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/analysis/peer_pairs.hpp"
#include "harness/base/json.hpp"
#include "harness/store/selector.hpp"

/// `ridgeline collectives pairs`: what every pair of GPUs of a host reaches.
namespace ridgeline::present {

/// Pairs that have made the same copy by the same variant.
struct PairMatrix {
  std::string variant, direction;  // as cases of the suite `peers` have it
  double bytes = 0;                // of a copy, one way
  std::vector<analysis::PeerPair> pairs;
};

struct PairMatrices {
  std::string host;
  std::vector<std::string> gpus;  // ids in the order of `ridgeline devices`
  std::vector<std::string> runs;  // that the pairs come from
  std::string roof_source;        // of what the links carry; empty where that is not known
  std::vector<PairMatrix> matrices;
};

/// Of the host whose run of the suite `peers` is the newest, the newest such run of each GPU.
/// `patterns` choose cases; without any the largest copies of each variant and direction are taken.
/// Without matrices where no run has such a case. `left_out` as in find_curves().
PairMatrices find_pairs(const std::filesystem::path& results,
                        const std::vector<std::string>& patterns, const store::LeftOut& left_out);

struct ReportRun;

/// Of a run, which `read` holds, and its siblings (store::siblings), the largest copies; without
/// matrices where the run has none. `all`: the runs of its folder. Siblings that cannot be read are
/// left out.
PairMatrices find_pairs(const store::FoundRun& found, const ReportRun& read,
                        const std::vector<store::FoundRun>& all, const store::LeftOut& left_out);

std::string pairs_text(const PairMatrices& all, std::size_t width);
json::Value to_json(const PairMatrices& all);

}  // namespace ridgeline::present
