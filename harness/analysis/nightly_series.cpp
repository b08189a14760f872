#include "harness/analysis/nightly_series.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "harness/analysis/gate_plan.hpp"
#include "harness/analysis/night_borders.hpp"
#include "harness/analysis/night_runs.hpp"
#include "harness/analysis/summary.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/stats/median.hpp"
#include "harness/store/read_in_parts.hpp"

namespace ridgeline::analysis {
namespace {

namespace fs = std::filesystem;

bool is_meant(const record::Device& device, const std::string& words) {
  return words.empty() || device.id == words || device.uuid.starts_with(words) ||
         device.model.find(words) != std::string::npos;
}

/// What runs have in common whose nights are one device's, within one results file. Runs that count
/// are never taken together with others.
std::string series_key(const store::StoredRun& run, bool by_model) {
  const std::string kind(to_string(run.device.kind));
  if (by_model) return "model " + kind;
  return is_pool(run.run.label) ? fmt::format("{} {}", run.run.label, kind)
                                : "device " + run.device.uuid;
}

/// The profile that has most nights, of those that ran lately: a profile that was left for another
/// one recedes. Of several the one that ran last. `runs` are oldest first.
std::string usual_profile(const std::vector<const store::StoredRun*>& runs, const fs::path& file) {
  constexpr std::chrono::days lately{30};  // before the latest run
  struct Ran {
    std::set<std::string> days;
    std::chrono::sys_seconds latest;
  };
  std::map<std::string, Ran> found;
  for (const store::StoredRun* run : runs) {
    Ran& ran = found[run->run.profile];
    ran.days.insert(run->run.started.substr(0, 10));
    ran.latest = start_of(*run, file);
  }
  const auto from = start_of(*runs.back(), file) - lately;
  std::erase_if(found, [&](const auto& one) { return one.second.latest < from; });
  const auto most = std::ranges::max_element(found, {}, [](const auto& one) {
    return std::tuple(one.second.days.size(), one.second.latest);
  });
  return most->first;
}

/// Puts runs into `device`, and the nights that they make, but for those before `since`.
void take_runs(NightlyDevice& device, const std::vector<const store::StoredRun*>& runs,
               const std::string& since) {
  std::vector<std::chrono::sys_seconds> starts;
  for (const store::StoredRun* run : runs) starts.push_back(start_of(*run, device.file));
  for (Night& night : nights_of(starts)) {
    if (night.date < since) {
      device.other_runs[fmt::format("before {}", since)] += std::ssize(night.runs);
      continue;
    }
    night.cut = true;
    for (std::size_t& run : night.runs) {
      const store::StoredRun& one = *runs[run];
      run = device.runs.size();
      device.runs.push_back(one);
      night.cut &= one.run.status != record::RunStatus::finished;
    }
    device.nights.push_back(std::move(night));
  }
}

/// Without measurements yet. Runs of other devices are not among `runs`.
NightlyDevice device_of(const fs::path& file, const std::string& key,
                        const std::vector<const store::StoredRun*>& runs,
                        const SeriesChoice& choice,
                        const std::unordered_map<std::string, std::int64_t>& order) {
  NightlyDevice device;
  device.file = file;
  device.key = key;
  std::vector<const store::StoredRun*> own;
  for (const store::StoredRun* run : runs) {
    if (!run->run.gate.empty())
      ++device.other_runs["of a gate"];
    else if (!run->run.imported.empty())
      ++device.other_runs["imported"];
    else if (!run->run.unfit.empty())
      ++device.other_runs["of an unfit machine"];
    else
      own.push_back(run);
  }
  const OutOfTime timely = leave_out_of_time(own, choice.now);
  for (const auto& [why, count] : timely.left_out) device.other_runs[why] += count;
  if (timely.kept.empty()) return device;
  device.device = timely.kept.back()->device;
  if (is_pool(timely.kept.back()->run.label)) device.pool = timely.kept.back()->run.label;
  device.profile = choice.profile.empty() ? usual_profile(timely.kept, file) : choice.profile;
  std::vector<const store::StoredRun*> chosen;
  for (const store::StoredRun* run : timely.kept)
    if (run->run.profile != device.profile)
      ++device.other_runs[fmt::format("of profile {}", printable(run->run.profile))];
    else
      chosen.push_back(run);
  take_runs(device, chosen, choice.since);
  device.oddities = oddities_of(device.runs, order, file);
  if (timely.behind)
    device.oddities.emplace_back(
        "most runs start after now: the clock of this machine must be behind");
  return device;
}

/// How a process of a run ended for a case.
struct ReadTime {
  std::uint32_t run, at;  // in NightlyDevice's lists
  ProcessResult result;
};

struct Read {
  std::vector<ReadTime> times;  // by run
  std::vector<std::pair<std::uint32_t, store::SeriesCount>> counts;
};

/// Places of the cases that were asked for, by their ids in the file; of the others nothing.
using CasePlaces = std::unordered_map<std::int64_t, std::optional<std::uint32_t>>;

/// Reads runs [begin, end) of `device`.
Read read_runs(const store::Store& store, const NightlyDevice& device, const CasePlaces& cases,
               std::size_t begin, std::size_t end) {
  constexpr std::size_t most_reserved = 4'000'000;
  Read read;
  const auto place_of = [&](std::int64_t id, std::size_t run) {
    const auto found = cases.find(id);
    if (found == cases.end()) store::refuse_case(store, device.runs[run].run.id);
    return found->second;
  };
  for (std::size_t i = begin; i < end; ++i) {
    const auto run = static_cast<std::uint32_t>(i);
    store::series_times(store, device.runs[i].run.id, [&](const store::SeriesTime& time) {
      const std::optional<std::uint32_t> at = place_of(time.case_id, i);
      if (!at) return;
      ReadTime& one =
          read.times.emplace_back(ReadTime{run, *at, {time.outcome, {}, time.executions}});
      if (record::has_samples(time.outcome)) one.result.median_ns = time.median_ns;
    });
    if (i == begin)  // runs are much alike, or only the first is large
      read.times.reserve(std::min(most_reserved, read.times.size() * (end - begin)));
    if (!gives_counts(device.device.kind)) continue;
    store::series_counts(store, device.runs[i].run.id, [&](const store::SeriesCount& count) {
      if (place_of(count.case_id, i)) read.counts.emplace_back(run, count);
    });
  }
  return read;
}

/// In the order of runs.
std::vector<Read> read_in_parallel(const NightlyDevice& device, const CasePlaces& cases) {
  return store::read_in_parts<Read>(
      device.file, device.runs.size(),
      [&](const store::Store& store, std::size_t begin, std::size_t end) {
        return read_runs(store, device, cases, begin, end);
      });
}

/// Grows the series of one case, night after night.
class Growing {
 public:
  explicit Growing(NightlyCase& grown) : case_(grown) {}

  void add(std::uint32_t night, const std::string& environment, const ProcessResult& process) {
    if (!values_.empty() && (night != night_ || environment != environment_)) end_night();
    night_ = night;
    environment_ = environment;
    values_.push_back(*process.median_ns);
    executions_ = std::min(executions_, process.executions);
  }

  void end_night() {
    if (values_.empty()) return;
    const auto found = std::ranges::find(case_.times, environment_, &NightlyTimes::environment);
    NightlyTimes& times = found != case_.times.end()
                              ? *found
                              : case_.times.emplace_back(NightlyTimes{environment_, {}, {}});
    const double median = stats::median(values_);
    const std::int64_t executions = std::exchange(executions_, most);
    values_.clear();
    // Runs of two environments may take turns within a night: the first stretch stands.
    if (!times.nights.empty() && times.nights.back() == night_) return;
    times.nights.push_back(night_);
    times.median_ns.push_back(median);
    times.executions.push_back(executions);
  }

 private:
  NightlyCase& case_;
  std::uint32_t night_ = 0;
  std::string environment_;
  std::vector<double> values_;
  static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t executions_ = most;
};

/// Adds what one run has of a case to its series, or to what is left out.
void add_run(NightlyDevice& device, NightlyCase& one, Growing& growing,
             const std::vector<ProcessResult>& processes, std::uint32_t run, std::uint32_t night) {
  // A night takes the medians of unstable cases, too.
  OverProcesses over = over_processes(processes, std::nullopt);
  if (over.disturbed) over.counting.clear();
  for (const std::size_t i : over.counting)
    growing.add(night, device.runs[run].environment.hash, processes[i]);
  for (std::size_t i = 0; i < processes.size(); ++i)
    if (processes[i].outcome != record::Outcome::counted &&
        std::ranges::count(over.counting, i) == 0)
      ++device.left_out[processes[i].outcome];
  const record::Outcome worst = processes[over.worst].outcome;
  if (!over.counting.empty() || worst == record::Outcome::counted) return;
  one.last_failure = worst;
  one.last_failure_night = night;
}

void add_count(NightlyCase& to, std::uint32_t night, const record::Metric& metric) {
  auto found = std::ranges::find(to.counts, metric.name, &NightlyCount::metric);
  if (found == to.counts.end())
    found = to.counts.insert(to.counts.end(), {metric.name, metric.unit, metric.direction, {}, {}});
  if (!found->nights.empty() && found->nights.back() == night) {
    found->values.back() = metric.value;  // the latest run of the night
    return;
  }
  found->nights.push_back(night);
  found->values.push_back(metric.value);
}

void read_cases(NightlyDevice& device, const SeriesChoice& choice,
                std::set<std::string>& all_names) {
  std::map<std::string, std::vector<std::int64_t>> ids;
  CasePlaces place;
  for (auto& [id, name] : store::case_names(store::Store::open(device.file))) {
    all_names.insert(name);
    place.emplace(id, std::nullopt);
    if (any_matches(choice.patterns, name)) ids[name].push_back(id);
  }
  for (const auto& [name, of] : ids) {
    for (const std::int64_t id : of) place[id] = static_cast<std::uint32_t>(device.cases.size());
    device.cases.push_back({name, {}, {}, {}, 0});
  }
  std::vector<std::uint32_t> night_of(device.runs.size());
  for (std::size_t night = 0; night < device.nights.size(); ++night)
    for (const std::size_t run : device.nights[night].runs)
      night_of[run] = static_cast<std::uint32_t>(night);
  std::vector<Growing> growing;
  growing.reserve(device.cases.size());
  for (NightlyCase& one : device.cases) growing.emplace_back(one);
  std::vector<std::vector<ProcessResult>> of_run(device.cases.size());
  std::set<std::uint32_t> with_any;  // runs
  for (const Read& part : read_in_parallel(device, place)) {
    for (auto first = part.times.begin(); first != part.times.end();) {
      const std::uint32_t run = first->run;
      with_any.insert(run);
      std::vector<std::uint32_t> measured;
      for (; first != part.times.end() && first->run == run; ++first) {
        std::vector<ProcessResult>& processes = of_run[first->at];
        if (processes.empty()) measured.push_back(first->at);
        processes.push_back(first->result);
      }
      for (const std::uint32_t at : measured) {
        add_run(device, device.cases[at], growing[at], of_run[at], run, night_of[run]);
        of_run[at].clear();
      }
    }
    for (const auto& [run, count] : part.counts)
      add_count(device.cases[place.at(count.case_id).value()], night_of[run], count.metric);
  }
  for (Growing& one : growing) one.end_night();
  const auto without = static_cast<std::int64_t>(device.runs.size() - with_any.size());
  if (choice.patterns.empty() && without > 0)
    device.oddities.push_back(fmt::format("{} measured nothing", units::plural(without, "run")));
  std::erase_if(device.cases,
                [](const NightlyCase& one) { return one.times.empty() && one.counts.empty(); });
}

/// The first so many, with commas between.
std::string listed(const std::set<std::string>& names, std::size_t most) {
  std::string text;
  for (const std::string& name : names) {
    if (most-- == 0) break;
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

/// Says of each device, in one line, which other files have it, too.
void say_twins(std::vector<NightlyDevice>& devices) {
  constexpr std::size_t named = 3;
  for (NightlyDevice& one : devices) {
    std::set<std::string> others;
    for (const NightlyDevice& other : devices)
      if (other.file != one.file && other.device.uuid == one.device.uuid &&
          other.device.kind == one.device.kind)
        others.insert(printable(other.file.filename().string()));
    if (others.empty()) continue;
    std::string text = listed(others, named);
    if (others.size() > named) text += fmt::format(" and {} more", others.size() - named);
    one.oddities.push_back(others.size() == 1
                               ? text + " has nights of this device, too: is it a copy?"
                               : text + " have nights of this device, too: are they copies?");
  }
}

/// What is stored of that which was asked for.
struct Meant {
  std::set<std::string> devices;   // all that are stored
  std::set<std::string> profiles;  // of runs on a device that is meant
  std::string latest;              // start of those runs
};

/// Whether a results file that cannot be read may hold the device that is asked for, beside those
/// that were found. Files have the names of models, but for copies.
bool may_hold(const fs::path& file, const SeriesChoice& choice,
              const std::vector<NightlyDevice>& found) {
  const auto in_its_file = [&](const NightlyDevice& one) {
    return one.device.uuid == choice.device && one.file.stem() == one.device.model;
  };
  const auto by_model = [&](const NightlyDevice& one) {
    return one.device.model.find(choice.device) != std::string::npos;
  };
  if (choice.device.empty()) return true;
  if (std::ranges::any_of(found, in_its_file)) return false;
  return std::ranges::none_of(found, by_model) ||
         file.stem().string().find(choice.device) != std::string::npos;
}

/// Of one file, what `choice` means. Who means one of several devices that are taken as one means
/// all of them: of a pool another one measures each night.
std::map<std::string, std::vector<const store::StoredRun*>> runs_by_device(
    const std::vector<store::StoredRun>& runs, const SeriesChoice& choice, Meant& meant) {
  std::map<std::string, std::vector<const store::StoredRun*>> by_device;
  std::set<std::string> chosen;
  for (const store::StoredRun& run : runs) {
    if (!choice.until.empty() && run.run.started.substr(0, 10) > choice.until) continue;
    meant.devices.insert(fmt::format("{} ({})", run.device.id, run.device.model));
    const std::string key = series_key(run, choice.by_model);
    if (is_meant(run.device, choice.device)) chosen.insert(key);
    by_device[key].push_back(&run);
  }
  std::erase_if(by_device, [&](const auto& one) { return !chosen.contains(one.first); });
  for (const auto& [key, of] : by_device)
    for (const store::StoredRun* run : of) {
      meant.profiles.insert(run->run.profile);
      meant.latest = std::max(meant.latest, run->run.started);
    }
  return by_device;
}

/// Throws when `choice` asks for what is not there.
void check_meant(const SeriesChoice& choice, const Meant& meant) {
  const auto there_are = [](const std::set<std::string>& names) {
    return fmt::format("there are: {}", printable(listed(names, names.size()), 1000));
  };
  if (!choice.device.empty() && meant.profiles.empty() && !meant.devices.empty())
    throw Error(ErrorKind::usage,
                fmt::format("no stored device is meant by '{}'", printable(choice.device)),
                there_are(meant.devices));
  if (!choice.profile.empty() && !meant.profiles.empty() &&
      !meant.profiles.contains(choice.profile))
    throw Error(ErrorKind::usage,
                fmt::format("no stored run has the profile '{}'", printable(choice.profile)),
                there_are(meant.profiles));
  if (!choice.since.empty() && !meant.latest.empty() && meant.latest < choice.since)
    throw Error(ErrorKind::usage, fmt::format("no run has started since {}", choice.since),
                "ridgeline runs lists what is stored, newest first");
}

}  // namespace

bool is_pool(std::string_view label) { return label == "pool" || label.starts_with("pool:"); }

std::vector<NightlyDevice> nightly_series(const fs::path& folder, const SeriesChoice& choice,
                                          const store::LeftOut& left_out) {
  std::vector<NightlyDevice> devices;
  Meant meant;
  std::set<std::string> case_names;
  const std::vector<fs::path> files = store::results_files(folder);
  std::set<fs::path> whole;       // those that could be read
  std::vector<Error> unreadable;  // why the others could not, in their order
  store::read_each(
      files, [&](const Error& why) { unreadable.push_back(why); },
      [&](const fs::path& file, const store::Store& store) {
        const std::vector<store::StoredRun> runs = store::series_runs(store);
        const auto by_device = runs_by_device(runs, choice, meant);
        const auto order = store::stored_order(store);
        std::vector<NightlyDevice> of_file;  // all of them, or none
        for (const auto& [key, of] : by_device) {
          NightlyDevice device = device_of(file, key, of, choice, order);
          if (device.runs.empty()) continue;
          read_cases(device, choice, case_names);
          of_file.push_back(std::move(device));
        }
        std::ranges::move(of_file, std::back_inserter(devices));
        whole.insert(file);
      });
  auto why = unreadable.begin();
  for (const fs::path& file : files) {
    if (whole.contains(file)) continue;
    const Error& error = *why++;
    if (!may_hold(file, choice, devices)) continue;
    if (!choice.device.empty() && meant.profiles.empty()) throw Error(error);
    left_out(error);
  }
  if (devices.empty()) {
    check_meant(choice, meant);
    return {};
  }
  check_picks(choice.patterns, {case_names.begin(), case_names.end()}, "what is stored",
              "ridgeline show lists the cases of the latest run");
  say_twins(devices);
  return devices;
}

}  // namespace ridgeline::analysis
