#pragma once

#include <string>
#include <vector>

#include "harness/record/facts.hpp"

namespace ridgeline::present {

/// The hosts of ranks, as record::Process has them, a line each and each line once: "node1 (ranks
/// 0-3): eth0 10.0.0.1 at 10000 Mb/s; ...". At most 20 lines, the last of which counts the others.
/// It, or one line more, also counts the hosts that were too many to be kept.
std::vector<std::string> hosts_text(const std::vector<record::Facts>& of_processes);

}  // namespace ridgeline::present
