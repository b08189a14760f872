#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/bisection.hpp"
#include "harness/base/json.hpp"
#include "harness/gate/commit_range.hpp"
#include "harness/record/run.hpp"

namespace ridgeline::present {

/// What a search learnt of one commit.
struct TestedCommit {
  std::size_t commit = 0;  // place in the range
  analysis::Tested tested = analysis::Tested::open;
  std::string why;              // in words: why it is not tested, or how it is known without a gate
  std::string gate;             // the last one's id; empty without one
  bool stored = false;          // by a gate that was stored before
  std::optional<double> ratio;  // of times or counts, over the good commit's
};

/// A search for the commit that made a case slower.
struct BisectReport {
  std::string case_name, metric;  // the metric, where counts decide
  record::Device device;
  gate::Commit good;
  gate::CommitRange range;
  double error = 0;                  // of the whole search; 0: exact
  std::optional<double> slowdown;    // that the end points are proven to differ by; relative
  std::vector<TestedCommit> tested;  // the bad end first, then as asked
  std::vector<std::size_t> left;     // empty: the end points do not differ, or nobody knows
  int gates = 0;                     // measured or taken from the store
  std::string ended;                 // why there was no search; empty when there was
  int exit_code = 0;
};

/// "a1b2c3d4e5f6 (Unroll the inner loop)"
std::string in_words(const gate::Commit& commit);
/// "slower (+2.1%)", "as fast as the good one", "cannot be tested: does not build"
std::string in_words(const TestedCommit& tested);
/// Which commit it is, or which it may be, how sure that is, and what tests it.
std::string bisect_text(const BisectReport& report);
json::Value to_json(const BisectReport& report);

}  // namespace ridgeline::present
