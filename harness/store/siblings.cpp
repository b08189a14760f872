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

/// What those that were measured together have in common beside what they were asked for.
struct Circumstances {
  std::string host;
  std::vector<std::string> cases;
  bool operator==(const Circumstances&) const = default;
};

Circumstances circumstances(const FoundRun& run) {
  Store store = Store::open(run.file);
  return {host_of(run), case_names(store, run.summary.run.id)};
}

/// Of each other GPU, by its UUID, the run that began nearest in time of those that were asked for
/// the same. Those that cannot be read are left out; throws when `run` is one.
std::map<std::string, const FoundRun*> nearest(const FoundRun& run,
                                               const std::vector<FoundRun>& all,
                                               const LeftOut& left_out) {
  const auto asked = [](const FoundRun& of) {
    const record::Run& its = of.summary.run;
    return std::tie(its.seed, its.profile, its.profile_text, its.label, its.gate);
  };
  std::optional<Circumstances> its;
  std::map<std::string, std::pair<std::chrono::seconds, const FoundRun*>> found;
  for (const FoundRun& other : all) {
    const record::Device& device = other.summary.device;
    if (asked(other) != asked(run) || device.kind != DeviceKind::cuda ||
        device.uuid == run.summary.device.uuid || device.id == run.summary.device.id)
      continue;
    const auto apart = between(run, other);
    const auto known = found.find(device.uuid);
    if (!apart || *apart >= longest_apart ||
        (known != found.end() && known->second.first <= *apart))
      continue;
    if (!its) its = circumstances(run);
    if (its->host.empty()) return {};
    if (unless_unreadable(left_out, [&] { return circumstances(other); }) != its) continue;
    found[device.uuid] = {*apart, &other};
  }
  std::map<std::string, const FoundRun*> runs;
  for (const auto& [uuid, of] : found) runs[uuid] = of.second;
  return runs;
}

}  // namespace

std::string host_of(const FoundRun& run) {
  const record::Facts facts = environment(Store::open(run.file), run.summary.run.id).recorded;
  const auto found = facts.find("host");
  return found == facts.end() ? std::string() : found->second;
}

std::vector<FoundRun> siblings(const FoundRun& run, const std::vector<FoundRun>& all,
                               const LeftOut& left_out) {
  const std::string& uuid = run.summary.device.uuid;
  if (run.summary.device.kind != DeviceKind::cuda || !run.summary.run.gate.empty()) return {};
  const auto near = nearest(run, all, left_out);
  std::vector<FoundRun> found;
  for (const FoundRun& other : all) {
    const auto of = near.find(other.summary.device.uuid);
    if (of == near.end() || of->second != &other) continue;
    // A run that was repeated later has a sibling that is nearer to it than the repetition is.
    const auto back = nearest(other, all, left_out);
    if (const auto its = back.find(uuid);
        its != back.end() && its->second->summary.run.id == run.summary.run.id)
      found.push_back(other);
  }
  return found;
}

}  // namespace ridgeline::store
