#include "harness/worker/program.hpp"

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::worker {

const Case* find_case(const Program& program, std::string_view name, device::Kind kind) {
  bool elsewhere = false;
  for (const Suite& suite : program.suites) {
    for (const Case& candidate : suite.cases) {
      if (record::name(candidate.info.id) != name) continue;
      if (candidate.info.device_kind == kind) return &candidate;
      elsewhere = true;
    }
  }
  if (elsewhere) return nullptr;
  std::vector<std::string> names;
  for (const Suite& suite : program.suites)
    for (const Case& candidate : suite.cases) names.push_back(record::name(candidate.info.id));
  const std::string near = nearest(name, names);
  throw Error(ErrorKind::usage, fmt::format("there is no case '{}'", printable(name)),
              near.empty() ? "--benchmark_list_tests lists the cases"
                           : fmt::format("did you mean '{}'?", near));
}

measure::PrepareOptions options_of(const record::CaseId& id) {
  measure::PrepareOptions options;
  if (record::launch_of(id) == "single") options.launch = device::Launch::single;
  for (const record::Field& option : id.options) {
    if (option == record::Field{"cache", "hot"}) options.cache = measure::Cache::hot;
    for (const auto& [name, distribution] : inputs)
      if (option == record::Field{"input", name}) options.distribution = distribution;
  }
  return options;
}

/// Of those that measure the case, how many are on this machine.
static int ranks_here(const Case& wanted, const measure::Group* group) {
  const bool are_there = group != nullptr && group->size() == wanted.info.ranks;
  return are_there ? group->here().size : wanted.info.ranks;
}

device::Support check(const Case& wanted, const device::Facts& facts, const measure::Group* group) {
  device::Support support = wanted.supports ? wanted.supports(facts) : device::Support::yes();
  if (!support && support.kind() == device::Support::Kind::unavailable) return support;
  if (wanted.places) {
    const auto [count, what] = wanted.places(facts);
    if (const int ranks = ranks_here(wanted, group); ranks > count)
      return device::Support::unsupported(
          fmt::format("{} ranks need as many {}, and there {}", ranks, what,
                      count == 1 ? "is 1" : fmt::format("are {}", count)));
  }
  if (!support) return support;
  const double needed = wanted.memory ? wanted.memory(facts) : 0;
  const auto free = static_cast<double>(facts.memory_free);
  if (needed > free) {
    // Two digits, more when they are needed to tell the two apart.
    const int digits = needed < 1.1 * free ? 2 : needed < 10e9 ? 1 : 0;
    return device::Support::unsupported(
        fmt::format("needs {:.{}f} GB, the device has {:.{}f} GB free", needed / 1e9, digits,
                    free / 1e9, digits));
  }
  return device::Support::yes();
}

std::string best_device(const Program& program) {
  const device::Discovery found = program.discover();
  if (!found.devices.empty()) return found.devices.front().id;
  std::string why;
  for (const auto& [kind, reason] : found.unavailable)
    why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", device::to_string(kind), reason);
  throw Error(ErrorKind::dependency, "there is no device to measure on", why);
}

}  // namespace ridgeline::worker
