#include "harness/run/noise.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/units.hpp"
#include "harness/process/worker_process.hpp"
#include "harness/record/outcome.hpp"
#include "harness/run/device_lock.hpp"
#include "harness/run/measure_case.hpp"
#include "harness/stats/interval.hpp"
#include "harness/stats/median.hpp"
#include "harness/stats/ratio_interval.hpp"

namespace ridgeline::run {
namespace {

constexpr int fewest = 6, most = 20;  // processes: three for each half
constexpr double sampling_s = 0.15;   // of a case in a process
constexpr double case_timeout_s = 20;
constexpr double widest_ratio = 2;  // of two halves, beyond which its interval says nothing
constexpr double whole_s = 90;      // after which no process is started, however few there were

/// A, B, B, A: what drifts evenly is the same to both.
bool is_second_half(std::size_t process) { return process % 4 == 1 || process % 4 == 2; }

Subject subject_of(const NoiseCase& noise) {
  return {"noise of " + noise.name, "one program against itself, in fresh processes in turn",
          "a difference smaller than this cannot be told from none"};
}

/// An interval that reaches down to no time at all says nothing; how far apart they were does.
std::string words_of_width(const std::vector<double>& medians_ns, double width) {
  const std::string over = units::plural(static_cast<std::int64_t>(medians_ns.size()), "process");
  if (width < 1) return fmt::format("±{} over {}", units::percent(width), over);
  const auto [least, greatest] = std::ranges::minmax(medians_ns);
  return fmt::format("{} over {}", units::time_range(least, greatest), over);
}

std::string words_of(const stats::Interval& ratio) {
  if (ratio.low < 1 / widest_ratio || ratio.high > widest_ratio)
    return "the same program twice: nothing can be said";
  return fmt::format("the same program twice: {:.3f} to {:.3f} times as slow", ratio.low,
                     ratio.high);
}

Finding judge(const NoiseCase& noise, const Sampling& sampling) {
  const Subject subject = subject_of(noise);
  std::vector<double> all;
  std::array<std::vector<double>, 2> halves;
  const record::Measurement* odd = nullptr;
  for (std::size_t i = 0; i < noise.measured.size(); ++i) {
    const record::Measurement& one = noise.measured[i];
    if (one.median_ns && record::has_samples(one.outcome)) {
      all.push_back(*one.median_ns);
      halves[is_second_half(i) ? 1 : 0].push_back(*one.median_ns);
    }
    if (one.outcome != record::Outcome::ok && one.outcome != record::Outcome::unstable) odd = &one;
  }
  if (odd != nullptr) {
    const bool missing = odd->outcome == record::Outcome::unsupported ||
                         odd->outcome == record::Outcome::unavailable;
    return finding(subject, missing ? Level::unknown : Level::unfit,
                   fmt::format("{}: {}", record::to_string(odd->outcome), odd->reason),
                   missing ? "measure it for longer: a gate with --aa"
                           : "find out why before anything is measured: ridgeline run");
  }
  const auto width = stats::relative_process_half_width(all);
  const auto ratio = stats::ratio_interval(
      halves[0], halves[1],
      halves[0].empty() || halves[1].empty() ? 1
                                             : stats::median(halves[1]) / stats::median(halves[0]),
      limits::aa_confidence);
  if (!width || !ratio)
    return finding(subject, Level::unknown,
                   fmt::format("{} in the time given: too few for an interval",
                               units::plural(static_cast<std::int64_t>(all.size()), "process")),
                   "measure it for longer: a gate with --aa");
  const std::string seen = fmt::format("{}; {}", words_of_width(all, *width), words_of(*ratio));
  if (*width > sampling.unstable)
    return finding(subject, Level::unfit, seen,
                   fmt::format("above ±{} the profile calls a case unstable: look at the findings "
                               "above, and end what disturbs",
                               units::percent(sampling.unstable)));
  if (ratio->low > 1 + limits::aa_ratio || ratio->high < 1 - limits::aa_ratio)
    return finding(subject, Level::note, seen,
                   "the machine drifts: warm it up, fix its clocks, and compare by gates");
  if (*width > sampling.unstable / 2)
    return finding(subject, Level::note, seen, "more processes give narrower intervals");
  return fine(subject, seen);
}

CaseResult measure_one(process::WorkerProcess& worker, const Selected& selected,
                       const record::Device& device, std::uint64_t seed, const Sampling& sampling) {
  CaseLimits limits;
  limits.sampling = sampling;
  limits.sampling_s = sampling_s;
  limits.timeout_s = limits.run_left_s = case_timeout_s;
  return measure_case(worker, selected, device.id, seed, limits);
}

/// All cases in a fresh process of their team.
void measure_in_process(const std::vector<const Selected*>& cases, const record::Device& device,
                        const Sampling& sampling, std::uint64_t seed,
                        std::vector<NoiseCase>& noise) {
  std::unique_ptr<process::WorkerProcess> worker;
  const Worker* running = nullptr;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CaseResult result;
    const process::Clock::time_point begun = process::Clock::now();
    try {
      if (!worker || running != cases[i]->worker || !worker->ready()) {
        worker = start(team_of(*cases[i]), {});
        worker->greet(process::after(process::start_s));
        running = cases[i]->worker;
      }
      result = measure_one(*worker, *cases[i], device, seed, sampling);
    } catch (const process::WorkerLost& lost) {
      result = not_started(*cases[i], lost, process::seconds_since(begun));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::dependency) throw;
      result = not_started(*cases[i], true, error.what());
    }
    if (!result.worker_usable) worker.reset();
    noise[i].measured.push_back(std::move(result.measurement));
  }
  if (worker) worker->bye();
}

}  // namespace

std::vector<const Selected*> cases_for_noise(const std::vector<Selected>& cases) {
  std::vector<const Selected*> found;
  for (const char* roof : {"fma.f32", "dram.copy"}) {
    const auto one = std::ranges::find_if(cases, [&](const Selected& each) {
      return each.unavailable.empty() && each.info.ranks == 1 && each.info.roof == roof;
    });
    if (one != cases.end()) found.push_back(&*one);
  }
  if (!found.empty()) return found;
  for (const Selected& each : cases)
    if (each.unavailable.empty() && each.info.ranks == 1) return {&each};
  return {};
}

std::vector<NoiseCase> measure_noise(const std::vector<const Selected*>& cases,
                                     const record::Device& device, const Sampling& sampling,
                                     double seconds) {
  const DeviceLock lock(device.uuid, "ridgeline doctor", [&](const std::string& holder) {
    throw Error(ErrorKind::dependency, "the device is in use by " + holder, "wait for it");
  });
  std::vector<NoiseCase> noise;
  for (const Selected* each : cases) noise.push_back({each->name, {}});
  const process::Clock::time_point began = process::Clock::now();
  for (int i = 0; i < most; ++i) {
    const double spent = process::seconds_since(began);
    if (spent > whole_s || (i >= fewest && spent > seconds)) break;
    // The same inputs each time: the processes are to differ in nothing.
    measure_in_process(cases, device, sampling, /*seed=*/1, noise);
  }
  return noise;
}

Findings judge_noise(const std::vector<NoiseCase>& cases, const Sampling& sampling) {
  Findings found;
  for (const NoiseCase& each : cases) found.push_back(judge(each, sampling));
  return found;
}

}  // namespace ridgeline::run
