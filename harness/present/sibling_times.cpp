#include "harness/present/sibling_times.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/base/day.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/repeat.hpp"
#include "harness/present/table.hpp"
#include "harness/present/wrapped.hpp"
#include "harness/store/siblings.hpp"

namespace ridgeline::present {
namespace {

using analysis::Sibling;
using store::FoundRun;

constexpr std::size_t shown_times = 6;  // of a row, before the newest

/// `runs` without those that cannot be read.
TogetherOnce together(std::vector<FoundRun>& runs, const store::LeftOut& left_out) {
  TogetherOnce once;
  std::vector<analysis::SiblingRun> compared;
  std::erase_if(runs, [&](const FoundRun& run) {
    auto timings = store::unless_unreadable(
        left_out, [&] { return store::timings(store::Store::open(run.file), run.summary.run.id); });
    if (!timings) return true;
    once.started = std::max(once.started, run.summary.run.started);
    once.runs.push_back(run.summary.run.id);
    compared.push_back({run.summary.device.uuid, std::move(*timings)});
    return false;
  });
  const auto suites = analysis::compare_siblings(compared);
  if (!suites.empty()) once.devices = suites.front().devices;
  return once;
}

/// What its line leaves of the profile's cases, as it says it.
std::string chosen_by(const record::Run& run) {
  std::vector<std::string> words;
  for (const std::string& excluded : values_of(run.command_line, "--exclude"))
    words.insert(words.end(), {"--exclude", excluded});
  for (std::string& pattern : typed_patterns(run.command_line)) words.push_back(std::move(pattern));
  return shell_line(words);
}

const Sibling* find(const TogetherOnce& once, const std::string& uuid) {
  const auto found = std::ranges::find(once.devices, uuid, &Sibling::device);
  return found == once.devices.end() ? nullptr : &*found;
}

/// In how many of the newest times, without a break, the GPU was slower.
std::size_t slower_since(const SiblingTimes& host, const std::string& uuid) {
  std::size_t count = 0;
  for (const TogetherOnce& once : host.times) {
    const Sibling* const sibling = find(once, uuid);
    if (sibling == nullptr || !sibling->is_slower()) break;
    ++count;
  }
  return count;
}

std::string before_cell(const SiblingTimes& host, const std::string& uuid) {
  std::string text;
  for (std::size_t at = std::min(host.times.size(), shown_times + 1); at-- > 1;) {
    const Sibling* const sibling = find(host.times[at], uuid);
    text += text.empty() ? "" : " ";
    text += sibling == nullptr
                ? "-"
                : fmt::format("{:.3f}{}", sibling->ratio, sibling->is_slower() ? "!" : "");
  }
  return text;
}

// Of short runs that were started side by side, one may end before another begins.
constexpr std::chrono::seconds longest_gap{10};

/// Whether both were under way at about one time; not of what did not finish.
bool overlap(const record::Run& a, const record::Run& b) {
  const auto began = parse_point_in_time(a.started), ended = parse_point_in_time(a.finished),
             its = parse_point_in_time(b.started), its_end = parse_point_in_time(b.finished);
  return began && ended && its && its_end && *began <= *its_end + longest_gap &&
         *its <= *ended + longest_gap;
}

std::string host_text(const SiblingTimes& host, std::size_t width) {
  std::string text =
      wrapped(fmt::format("{} on {}, profile {}{}{}: measured together {}, last {}",
                          printable(host.model), printable(host.host), printable(host.profile),
                          host.label.empty() ? "" : ", label " + printable(host.label),
                          host.chosen.empty() ? "" : ", cases " + printable(host.chosen),
                          units::plural(std::ssize(host.times), "time"),
                          printable(host.times.front().started)),
              width, 0);
  Table table({{"GPU"},
               {"beside its siblings"},
               {"times before, newest last", Table::Align::left, true, true},
               {"UUID", Table::Align::left, true}});
  std::string slower;
  for (const SiblingGpu& gpu : host.gpus) {
    const Sibling* const newest = find(host.times.front(), gpu.uuid);
    std::string cell = "not measured";
    if (newest != nullptr) {
      cell = fmt::format("{:.3f}", newest->ratio);
      if (const auto& interval = newest->interval)
        cell += fmt::format(" ({:.3f} to {:.3f})", interval->low, interval->high);
    }
    table.add({printable(gpu.id), cell, before_cell(host, gpu.uuid), printable(gpu.uuid)});
    if (const std::size_t times = slower_since(host, gpu.uuid); times > 0)
      slower += wrapped(
          fmt::format("{} is slower than its siblings by {} (at least {}), {}.", printable(gpu.id),
                      units::percent(newest->ratio - 1), units::percent(newest->interval->low - 1),
                      times == 1 ? "for the first time"
                                 : fmt::format("and was in each of the last {} times", times)),
          width, 0);
  }
  if (!host.times.front().devices.front().interval)
    slower = "With one process per case, nothing tells a slower GPU from noise.\n";
  else if (slower.empty())
    slower = "No GPU is slower than its siblings beyond noise.\n";
  return text + table.text(width) + slower;
}

}  // namespace

std::vector<FoundRun> measured_together(const FoundRun& run, const std::vector<FoundRun>& all,
                                        const store::LeftOut& left_out) {
  if (is_repeat(run.summary.run.command_line)) return {};
  std::vector<FoundRun> found = store::siblings(run, all, left_out);
  std::erase_if(found, [&](const FoundRun& other) {
    return other.summary.device.model != run.summary.device.model ||
           is_repeat(other.summary.run.command_line) ||
           !overlap(run.summary.run, other.summary.run);
  });
  return found;
}

std::vector<SiblingTimes> find_sibling_times(std::vector<FoundRun> all, std::size_t most,
                                             const store::LeftOut& left_out) {
  std::erase_if(all, [](const FoundRun& run) { return is_repeat(run.summary.run.command_line); });
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;
  std::map<Key, SiblingTimes> hosts;
  std::set<std::string> seen;
  for (const FoundRun& run : all) {
    if (!seen.insert(run.summary.run.id).second) continue;
    auto others =
        store::unless_unreadable(left_out, [&] { return measured_together(run, all, left_out); });
    if (!others) continue;
    std::vector<FoundRun> runs{run};
    for (FoundRun& other : *others)
      if (seen.insert(other.summary.run.id).second) runs.push_back(std::move(other));
    if (runs.size() < 2) continue;
    const record::Run& first = run.summary.run;
    const Key key{run.summary.device.model, store::host_of(run), first.profile, first.label,
                  chosen_by(first)};
    SiblingTimes& host = hosts[key];
    std::tie(host.model, host.host, host.profile, host.label, host.chosen) = key;
    if (host.times.size() >= most) continue;
    TogetherOnce once = together(runs, left_out);
    if (once.devices.empty()) continue;
    for (const FoundRun& each : runs) {
      const record::Device& device = each.summary.device;
      if (std::ranges::count(host.gpus, device.uuid, &SiblingGpu::uuid) == 0)
        host.gpus.push_back({device.uuid, device.id});
    }
    host.times.push_back(std::move(once));
  }
  std::vector<SiblingTimes> found;
  for (auto& [key, host] : hosts) {
    if (host.times.empty()) continue;
    std::ranges::sort(host.gpus, {}, [](const SiblingGpu& gpu) {
      return std::tuple(gpu.id.size(), gpu.id, gpu.uuid);
    });
    found.push_back(std::move(host));
  }
  return found;
}

std::string sibling_times_text(const std::vector<SiblingTimes>& hosts, std::size_t width) {
  std::string text;
  for (const SiblingTimes& host : hosts)
    text += (text.empty() ? "" : "\n") + host_text(host, width);
  return text;
}

json::Value to_json(const SiblingTimes& host) {
  json::Value told{{"model", host.model}, {"host", host.host}, {"profile", host.profile}};
  json::put(told, "label", host.label);
  json::put(told, "chosen", host.chosen);
  told["gpus"] = json::list(host.gpus, [&](const SiblingGpu& gpu) {
    return json::Value{
        {"id", gpu.id}, {"uuid", gpu.uuid}, {"slower_in_a_row", slower_since(host, gpu.uuid)}};
  });
  told["times"] = json::list(host.times, [](const TogetherOnce& once) {
    return json::Value{
        {"started", once.started},
        {"runs", json::list(once.runs, [](const std::string& run) { return json::Value(run); })},
        {"gpus", json::list(once.devices, [](const Sibling& sibling) {
           json::Value one{{"uuid", sibling.device}, {"ratio", sibling.ratio}};
           if (sibling.interval) {
             one["interval"] = {sibling.interval->low, sibling.interval->high};
             one["slower"] = sibling.is_slower();
           }
           return one;
         })}};
  });
  return told;
}

}  // namespace ridgeline::present
