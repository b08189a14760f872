#include "harness/run/host_fitness.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "harness/base/units.hpp"
#include "harness/process/clock.hpp"
#include "harness/run/cgroups.hpp"

namespace ridgeline::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* not_read = "cannot be read";

std::optional<std::string> text_of(const fs::path& file) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) return std::nullopt;
  return text;
}

std::optional<std::string> word_of(const fs::path& file) {
  const auto text = text_of(file);
  if (!text) return std::nullopt;
  std::istringstream words(*text);
  std::string word;
  if (!(words >> word)) return std::nullopt;
  return word;
}

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "/sys/x" of the machine, whatever folder stands for its root.
fs::path below(const HostQuestion& question, const char* path) {
  return question.root / (path + 1);
}

/// Bytes that a line of /proc/meminfo tells.
std::optional<double> bytes_of(const std::string& meminfo, const std::string& key) {
  const auto at = meminfo.find(key + ":");
  if (at == std::string::npos) return std::nullopt;
  std::istringstream words(meminfo.substr(at + key.size() + 1));
  double kibibytes = 0;
  if (!(words >> kibibytes)) return std::nullopt;
  return kibibytes * 1024;
}

Finding look_at_disk(const HostQuestion& question) {
  const Subject subject{"disk", "the file system of the results",
                        "a full disk ends a run in the middle and keeps what it has measured from "
                        "being written"};
  std::error_code failure;
  fs::path place = fs::absolute(question.results, failure);
  while (!failure && !fs::exists(place, failure) && place.has_parent_path() &&
         place != place.parent_path()) {
    failure.clear();
    place = place.parent_path();
  }
  const fs::space_info space = failure ? fs::space_info{} : fs::space(place, failure);
  if (failure)
    return finding(
        subject, Level::unknown,
        fmt::format("{} cannot be looked at: {}", question.results.string(), failure.message()),
        "choose another folder with --results");
  const auto free = static_cast<double>(space.available);
  const std::string seen = fmt::format("{} free", units::bytes(free));
  if (free >= question.disk_free) return fine(subject, seen);
  return finding(subject, Level::unfit,
                 fmt::format("{} where {} is; {} are asked for", seen, question.results.string(),
                             units::bytes(question.disk_free)),
                 "make room: remove old reports and exports, or ridgeline prune");
}

Finding look_at_memory(const HostQuestion& question) {
  const Subject subject{"memory", "/proc/meminfo, the limits of the cgroups",
                        "workers would be killed or swapped out, which their times cannot tell"};
  const auto meminfo = text_of(below(question, "/proc/meminfo"));
  std::optional<double> free = meminfo ? bytes_of(*meminfo, "MemAvailable") : std::nullopt;
  if (!free)
    return finding(subject, Level::unknown, fmt::format("/proc/meminfo {}", not_read),
                   "look by hand: free");
  std::string limited;
  if (const auto limit = memory_limit(question.root); limit && limit->free < *free) {
    free = limit->free;
    limited = fmt::format(" within the container's {}", units::bytes(limit->bytes));
  }
  const std::string seen = fmt::format("{} available{}", units::bytes(*free), limited);
  if (*free >= limits::memory_free) return fine(subject, seen);
  return finding(subject, Level::unfit, seen, "end what uses it (ps --sort=-rss), or add memory");
}

Finding look_at_shared_memory(const HostQuestion& question) {
  const Subject subject{"shared memory", "the file system /dev/shm",
                        "ranks of collectives exchange data there: with little room they fail or "
                        "take a slower way"};
  std::error_code failure;
  const fs::space_info space = fs::space(below(question, "/dev/shm"), failure);
  if (failure)
    return finding(subject, Level::unknown, fmt::format("/dev/shm: {}", failure.message()),
                   "collectives alone need it");
  const auto free = static_cast<double>(space.available);
  const std::string seen = fmt::format("{} free", units::bytes(free));
  if (free >= limits::shared_memory) return fine(subject, seen);
  return finding(subject, Level::note, seen, "give the container more: --shm-size=1g");
}

Finding look_at_quota(const HostQuestion& question) {
  const Subject subject{"processor quota", "cpu.max or cpu.cfs_quota_us of the cgroups",
                        "threads on all processors spend it early in each period and are stopped "
                        "for the rest"};
  const auto processors = static_cast<double>(std::max<std::size_t>(own_processors().size(), 1));
  const auto least = processor_quota(question.root);
  if (!least) return fine(subject, "no cgroup sets one");
  const std::string seen =
      fmt::format("{:.2f} processors' time for {} processors", *least, processors);
  if (*least >= processors) return fine(subject, seen);
  return finding(subject, question.measures_cpu ? Level::unfit : Level::note, seen,
                 "give the container whole processors (a cpuset) in place of a quota");
}

Finding look_at_governor(const HostQuestion& question) {
  const Subject subject{"governor", "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
                        "clocks that rise only some time after work has begun make first samples "
                        "slow"};
  std::set<std::string> governors;
  std::error_code failure;
  for (fs::directory_iterator at(below(question, "/sys/devices/system/cpu"), failure), end;
       !failure && at != end; at.increment(failure))
    if (const auto word = word_of(at->path() / "cpufreq" / "scaling_governor"))
      governors.insert(*word);
  if (governors.empty())
    return finding(subject, Level::unknown, "the kernel says none, as in most virtual machines",
                   "ask whoever runs the host");
  const std::string seen = fmt::format("{}", fmt::join(governors, ", "));
  if (governors == std::set<std::string>{"performance"}) return fine(subject, seen);
  return finding(subject, Level::note, seen, "cpupower frequency-set --governor performance");
}

Finding look_at_turbo(const HostQuestion& question) {
  const Subject subject{"turbo", "intel_pstate/no_turbo, cpufreq/boost below /sys",
                        "clocks above the base depend on heat and on what neighbours do, so times "
                        "of a CPU differ from minute to minute"};
  const auto none = word_of(below(question, "/sys/devices/system/cpu/intel_pstate/no_turbo"));
  const auto boost = word_of(below(question, "/sys/devices/system/cpu/cpufreq/boost"));
  if (!none && !boost)
    return finding(subject, Level::unknown, "the kernel does not say",
                   "watch the clocks of runs: ridgeline show");
  const bool on = none ? *none == "0" : *boost != "0";
  if (!on) return fine(subject, "off");
  if (!question.measures_cpu) return fine(subject, "on, and a GPU is measured");
  return finding(subject, Level::note, "on",
                 "keep it from night to night; turned off, times are steadier and longer");
}

Finding look_at_smt(const HostQuestion& question) {
  const Subject subject{"SMT", "/sys/devices/system/cpu/smt/active",
                        "two threads of a core share its units; cases use one thread a core, and "
                        "other programs may get the second"};
  const auto active = word_of(below(question, "/sys/devices/system/cpu/smt/active"));
  if (!active)
    return finding(subject, Level::unknown, "the kernel does not say", "look by hand: lscpu");
  if (*active == "0") return fine(subject, "off");
  if (!question.measures_cpu) return fine(subject, "on, and a GPU is measured");
  return finding(subject, Level::note, "on", "keep other programs away, or turn it off");
}

Finding look_at_clock(const HostQuestion& question) {
  const Subject subject{"clock source", "/sys/devices/system/clocksource/clocksource0",
                        "times of a CPU, and all budgets, are read from it; one that asks the "
                        "kernel or a chip takes a microsecond for a reading"};
  const auto current =
      word_of(below(question, "/sys/devices/system/clocksource/clocksource0/current_clocksource"));
  if (!current)
    return finding(subject, Level::unknown, not_read, "look for messages on clocks in dmesg");
  for (const char* quick : {"tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"})
    if (*current == quick) return fine(subject, *current);
  return finding(subject, Level::note, *current,
                 "see dmesg for why the kernel gave up the processor's counter (tsc)");
}

struct ProcessTime {
  std::string name, started;
  double seconds = 0;
};
using ProcessTimes = std::map<int, ProcessTime>;

/// Of what is visible. Source: proc(5), /proc/[pid]/stat.
ProcessTimes process_times(const fs::path& proc) {
  const auto tick = static_cast<double>(sysconf(_SC_CLK_TCK));
  ProcessTimes found;
  std::error_code failure;
  for (fs::directory_iterator at(proc, failure), end; !failure && at != end;
       at.increment(failure)) {
    const auto pid = number_in(at->path().filename().string());
    if (!pid) continue;
    const std::string text = text_of(at->path() / "stat").value_or("");
    const auto open = text.find('('), close = text.rfind(')');
    if (open == std::string::npos || close == std::string::npos || close < open) continue;
    std::istringstream words(text.substr(close + 1));
    const std::vector<std::string> rest{std::istream_iterator<std::string>(words), {}};
    if (rest.size() < 20) continue;
    const auto user = number_in(rest[11]), system = number_in(rest[12]);
    if (user && system)
      found[static_cast<int>(*pid)] = {text.substr(open + 1, close - open - 1), rest[19],
                                       (*user + *system) / tick};
  }
  return found;
}

std::map<std::string, double> used_by(const ProcessTimes& before, const ProcessTimes& after,
                                      double seconds) {
  std::map<std::string, double> used;
  for (const auto& [pid, now] : after) {
    if (pid == getpid()) continue;
    const auto was = before.find(pid);
    const bool known = was != before.end() && was->second.started == now.started;
    used[fmt::format("{} (pid {})", now.name, pid)] =
        (now.seconds - (known ? was->second.seconds : 0)) / seconds;
  }
  return used;
}

std::optional<ProcessorLook> watch(const HostQuestion& question) {
  const fs::path proc = below(question, "/proc");
  const auto ticks = [&] {
    return read_ticks(text_of(proc / "stat").value_or(""), own_processors());
  };
  const auto before = ticks();
  const ProcessTimes processes = process_times(proc);
  process::wait(nullptr, 0, static_cast<int>(question.watched_s * 1e3));
  const auto after = ticks();
  if (!before || !after || after->all <= before->all) return std::nullopt;
  const auto all = static_cast<double>(after->all - before->all);
  const double seconds =
      all / static_cast<double>(sysconf(_SC_CLK_TCK)) / static_cast<double>(after->processors);
  ProcessorLook look;
  look.use = {static_cast<double>(after->busy - before->busy) / all,
              static_cast<double>(after->stolen - before->stolen) / all, after->processors};
  look.load = word_of(proc / "loadavg").value_or("unknown");
  look.used_by = used_by(processes, process_times(proc), seconds);
  return look;
}

Subject load_subject(bool measures_cpu) {
  return {"processor load", "/proc/stat and /proc/[pid]/stat, watched for seconds",
          measures_cpu
              ? "what is measured shares processors, caches and memory bandwidth with others"
              : "the program that feeds the GPU needs a processor of its own, and launches that "
                "come late are felt by short kernels"};
}

std::string busiest(const std::map<std::string, double>& used_by) {
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [name, used] : used_by)
    if (used >= 0.05) sorted.emplace_back(-used, name);
  std::ranges::sort(sorted);
  if (sorted.size() > 3) sorted.resize(3);
  std::string text;
  for (const auto& [used, name] : sorted)
    text += fmt::format("{}{} {:.1f}", text.empty() ? "; most by " : ", ", name, -used);
  return text;
}

}  // namespace

Findings judge_processors(bool measures_cpu, const ProcessorLook& look) {
  const Subject load = load_subject(measures_cpu);
  const double busy = look.use.busy;
  const int processors = look.use.processors;
  const std::string seen =
      fmt::format("{:.1f} of {} busy; load average {}{}", busy * processors,
                  units::plural(processors, "processor"), look.load, busiest(look.used_by));
  const char* end = "end it, or measure at a quieter hour";
  Findings found;
  if (measures_cpu
          ? busy > limits::busy_share
          : busy > std::max(limits::busy_share, 1 - limits::processors_of_a_feeder / processors))
    found.push_back(finding(load, Level::unfit, seen, end));
  else if (!measures_cpu && busy > limits::busy_beside_a_gpu)
    found.push_back(finding(load, Level::note, seen, end));
  else
    found.push_back(fine(load, seen));
  const Subject stolen{"stolen time", "/proc/stat",
                       "the processors stand still for a while, which no program here can see"};
  const std::string share = fmt::format("{} of the processors' time went to other virtual machines",
                                        units::percent(look.use.stolen));
  if (look.use.stolen > limits::stolen_share)
    found.push_back(finding(stolen, measures_cpu ? Level::unfit : Level::note, share,
                            "use a machine of your own, or one with dedicated processors"));
  else
    found.push_back(fine(stolen, share));
  return found;
}

Findings look_at_room(const HostQuestion& question) {
  return {look_at_disk(question), look_at_memory(question)};
}

Findings look_at_processors(const HostQuestion& question) {
  Findings found;
  if (const auto look = watch(question))
    found = judge_processors(question.measures_cpu, *look);
  else
    found.push_back(finding(load_subject(question.measures_cpu), Level::unknown,
                            fmt::format("/proc/stat {}", not_read), "look by hand: top"));
  for (const auto look : {look_at_quota, look_at_governor, look_at_turbo, look_at_smt,
                          look_at_clock, look_at_shared_memory})
    found.push_back(look(question));
  return found;
}

}  // namespace ridgeline::run
