#include "harness/store/siblings.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "harness/base/day.hpp"

namespace ridgeline::store {
namespace {

// Whoever types a seed may type it again another day.
constexpr std::chrono::hours longest_apart{24};

std::optional<std::chrono::seconds> between(const FoundRun& a, const FoundRun& b) {
  const auto began = parse_point_in_time(a.summary.run.started),
             its = parse_point_in_time(b.summary.run.started);
  if (!began || !its) return std::nullopt;
  return std::chrono::abs(*began - *its);
}

}  // namespace

std::string host_of(const FoundRun& run) {
  const record::Facts facts = environment(Store::open(run.file), run.summary.run.id).recorded;
  const auto found = facts.find("host");
  return found == facts.end() ? std::string() : found->second;
}

std::vector<FoundRun> siblings(const FoundRun& run, const std::vector<FoundRun>& all) {
  const auto asked = [](const FoundRun& of) {
    const record::Run& its = of.summary.run;
    return std::tie(its.seed, its.profile, its.profile_text, its.label, its.gate);
  };
  const std::string& uuid = run.summary.device.uuid;
  if (run.summary.device.kind != DeviceKind::cuda || !run.summary.run.gate.empty()) return {};
  std::optional<std::string> host;
  std::map<std::string, std::pair<std::chrono::seconds, const FoundRun*>> nearest;  // by UUID
  for (const FoundRun& other : all) {
    const record::Device& device = other.summary.device;
    if (device.kind != DeviceKind::cuda || device.uuid == uuid || asked(other) != asked(run))
      continue;
    const auto apart = between(run, other);
    const auto known = nearest.find(device.uuid);
    if (!apart || *apart >= longest_apart ||
        (known != nearest.end() && known->second.first <= *apart))
      continue;
    if (!host) host = host_of(run);
    if (host->empty() || host_of(other) != *host) continue;
    nearest[device.uuid] = {*apart, &other};
  }
  std::vector<FoundRun> found;
  for (const FoundRun& other : all)
    if (const auto of = nearest.find(other.summary.device.uuid);
        of != nearest.end() && of->second.second == &other)
      found.push_back(other);
  return found;
}

}  // namespace ridgeline::store
