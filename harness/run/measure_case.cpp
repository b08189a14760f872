#include "harness/run/measure_case.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/record/rules.hpp"
#include "harness/run/claimed_times.hpp"
#include "harness/stats/interval.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::run {
namespace {

// Share of the time that is left to a case after preparing which sampling may use; the rest is for
// verifying again.
constexpr double sampling_share = 0.8;

// A CUDA event tells times half a microsecond apart; a sample of many executions must last long
// against that.
constexpr double least_sample_ns = 10e3;

protocol::Prepare prepare_request(const Selected& selected, const std::string& device,
                                  std::uint64_t seed, std::uint64_t layout,
                                  const CaseLimits& limits) {
  const record::CaseId& id = selected.info.id;
  const Sampling& sampling = limits.sampling;
  const auto where = [&](protocol::Feature feature, double seconds) {
    return selected.worker->hello.features.contains(feature) ? seconds * 1e9 : 0;
  };
  protocol::Prepare request;
  const auto& own_names = selected.worker->own_names;
  const auto own = own_names.find({selected.info.device_kind, selected.name});
  request.case_name = own == own_names.end() ? selected.name : own->second;
  request.device = device;
  request.seed = seed;
  request.cache = option(id, "cache", "cold");
  request.launch = record::launch_of(id);
  request.input = option(id, "input", "uniform");
  request.warmup_budget_ns = sampling.warmup_s * 1e9;
  request.sample_floor_ns = sampling.sample_floor_s * 1e9;
  request.layout = layout;
  request.settle_budget_ns = where(protocol::Feature::settle, limits.settle_s);
  request.energy_budget_ns = where(protocol::Feature::energy, sampling.energy_s);
  return request;
}

/// Emulated devices count, and all others time.
bool counts(const Selected& selected) { return selected.info.device_kind == DeviceKind::emulated; }

/// A worker that says it could not.
struct Refused {
  protocol::Failure failure;
};

template <class Answer>
Answer served(std::variant<Answer, protocol::Failure> answer) {
  if (auto* failure = std::get_if<protocol::Failure>(&answer)) throw Refused{std::move(*failure)};
  return std::get<Answer>(std::move(answer));
}

/// Why `finished` does not hold the samples that were taken; empty when it does.
std::string other_samples(const std::vector<double>& taken, const std::vector<double>& finished) {
  if (finished.size() != taken.size())
    return fmt::format("the worker took {} and finished with {} of them",
                       units::plural(static_cast<std::int64_t>(taken.size()), "sample"),
                       finished.size());
  const auto [was, is] = std::ranges::mismatch(taken, finished);
  if (was == taken.end()) return {};
  return fmt::format("the worker took {} ns as sample {} and finished with {} ns", *was,
                     was - taken.begin() + 1, *is);
}

/// Why `finished` is not an answer to `asked` after these samples; empty when it is.
std::string mismatch(const protocol::Prepare& asked, const std::vector<double>& samples_ns,
                     const record::Measurement& finished) {
  const auto differs = [](const char* what, const auto& wanted, const auto& got) {
    return fmt::format("the worker was asked for {} {} and measured with {}", what, wanted, got);
  };
  if (finished.case_name != asked.case_name)
    return fmt::format("the worker finished another case: {}", finished.case_name);
  if (finished.cache != asked.cache)
    return differs("cache", asked.cache, printable(finished.cache, 60)) +
           (finished.cache == "hot" ? "; a worker that measures hot alone says the feature hot"
                                    : "");
  // Back to back is a graph where a device has them, else a loop; what is counted is one launch.
  const bool counted = finished.outcome == record::Outcome::counted;
  if (finished.launch != (counted ? "single" : asked.launch) &&
      !(asked.launch == "graph" && finished.launch == "loop"))
    return differs("launch", asked.launch, printable(finished.launch, 60));
  if (finished.seed != asked.seed) return differs("seed", asked.seed, finished.seed);
  return record::has_samples(finished.outcome) ? other_samples(samples_ns, finished.samples_ns)
                                               : std::string();
}

/// Median, spread and stability are taken from the samples here, and disturbance from the
/// telemetry, whoever wrote the worker.
void judge(record::Measurement& measurement, const Sampling& sampling) {
  if (!record::has_samples(measurement.outcome)) return;
  measurement.median_ns = stats::median(measurement.samples_ns);
  measurement.relative_spread = stats::relative_half_width(measurement.samples_ns);
  const std::string disturbance = record::disturbance(measurement.telemetry);
  if (measurement.outcome == record::Outcome::unverified && !disturbance.empty())
    measurement.reason = disturbance + "; " + measurement.reason;
  if (measurement.outcome != record::Outcome::ok) return;
  measurement.reason = disturbance;
  if (!measurement.reason.empty()) {
    measurement.outcome = record::Outcome::invalid_environment;
    return;
  }
  const double sample_ns =
      *measurement.median_ns * static_cast<double>(measurement.executions_per_sample);
  if (measurement.launch != "single" && sample_ns < least_sample_ns)
    measurement.reason =
        fmt::format("a sample lasts {}, too short to be timed", units::time(sample_ns));
  else if (!measurement.relative_spread)
    measurement.reason = fmt::format(
        "the time for sampling was over after {}: too few for an interval",
        units::plural(static_cast<std::int64_t>(measurement.samples_ns.size()), "sample"));
  else if (*measurement.relative_spread > sampling.unstable)
    measurement.reason = fmt::format(
        "the process's interval is ±{} of its median; the profile allows ±{}",
        units::percent(*measurement.relative_spread), units::percent(sampling.unstable));
  else
    return;
  measurement.outcome = record::Outcome::unstable;
}

}  // namespace

record::Measurement without_samples(const Selected& selected, record::Outcome outcome,
                                    const std::string& reason) {
  record::Measurement measurement;
  measurement.case_name = selected.name;
  measurement.outcome = outcome;
  measurement.reason = reason;
  measurement.flops = selected.info.flops;
  measurement.bytes = selected.info.bytes;
  return measurement;
}

std::unique_ptr<process::WorkerProcess> start(const Team& team, std::function<void()> tick,
                                              const process::Variables& environment) {
  const Worker& worker = *team.worker;
  if (worker.hello.launcher.empty())
    return std::make_unique<process::WorkerProcess>(command_of(worker), std::move(tick),
                                                    environment);
  if (worker.hello.launcher != process::Launcher().program)
    throw Error(ErrorKind::dependency, fmt::format("{} asks for the launcher {}, which is unknown",
                                                   worker.name, worker.hello.launcher));
  return std::make_unique<process::WorkerProcess>(worker.program, worker.launcher, team.ranks,
                                                  std::move(tick), environment);
}

CaseResult not_started(const Selected& selected, bool before, const std::string& reason) {
  // What never started under its launcher is not installed right; what did start before has crashed
  // since.
  const bool installed = before || selected.worker->hello.launcher.empty();
  return {without_samples(selected,
                          installed ? record::Outcome::crashed : record::Outcome::unavailable,
                          fmt::format("{} cannot be started: {}", selected.worker->name, reason))};
}

CaseResult not_started(const Selected& selected, const process::WorkerLost& lost, double waited_s) {
  CaseResult result{
      without_samples(selected, lost.outcome(),
                      fmt::format("{} cannot be started: {}", selected.worker->name, lost.what()))};
  result.measurement.total_ns = waited_s * 1e9;
  return result;
}

double start_patience_s(const Team& team, double case_timeout_s) {
  constexpr double least_s = 10;
  if (team.worker->hello.launcher.empty()) return process::start_s;
  return std::clamp(case_timeout_s, least_s, process::start_s);
}

CaseExecution::CaseExecution(process::WorkerProcess& worker, const Selected& selected,
                             const std::string& device, std::uint64_t seed, std::uint64_t layout,
                             const CaseLimits& limits)
    : worker_(worker),
      selected_(selected),
      limits_(limits),
      request_(prepare_request(selected, device, seed, layout, limits)) {}

double CaseExecution::left_s() const {
  return std::min(limits_.timeout_s, limits_.run_left_s) - spent_s_;
}

/// Does `step` with its deadline unless the case has ended, and ends the case when it fails.
template <class Step>
void CaseExecution::perform(const char* stage, Step step) {
  if (ended_) return;
  const process::Clock::time_point start = process::Clock::now();
  const auto end = [&](record::Outcome outcome, const std::string& reason) {
    result_.measurement = without_samples(selected_, outcome, reason);
    result_.worker_usable = false;
    ended_ = true;
  };
  try {
    step(process::after(left_s()));
  } catch (const process::WorkerLost& lost) {
    std::string reason = fmt::format("while {}: {}", stage, lost.what());
    if (lost.is_early()) {
      reason = fmt::format("killed while {}: {}", stage, lost.what());
      ended_early_ = true;
    } else if (lost.outcome() == record::Outcome::timeout) {
      result_.out_of_budget = limits_.run_left_s < limits_.timeout_s;
      reason = fmt::format(
          "killed while {}: {}", stage,
          result_.out_of_budget
              ? "the run's budget was spent"
              : fmt::format("the case's {} were over", units::time(limits_.timeout_s * 1e9)));
    }
    end(lost.outcome(), reason);
  } catch (const Refused& refused) {
    const std::string& message = refused.failure.message;
    // A device that has failed once may fail everything after.
    end(record::Outcome::crashed,
        fmt::format("while {}: {}", stage,
                    message.empty() ? "the worker failed and gave no reason" : message));
  } catch (const Error& error) {  // an answer of another protocol version in the middle of a
                                  // conversation
    end(record::Outcome::crashed, fmt::format("while {}: {}", stage, error.what()));
  }
  spent_s_ += process::seconds_since(start);
}

bool CaseExecution::prepare() {
  perform("preparing", [&](process::Deadline deadline) {
    auto answer = worker_.ask<protocol::Prepared>(request_, deadline);
    const auto* failure = std::get_if<protocol::Failure>(&answer);
    result_.lacks_memory =
        failure != nullptr && failure->cause == protocol::FailureCause::out_of_memory;
    const auto prepared = served(std::move(answer));
    counted_ = prepared.outcome == record::Outcome::counted;
    if (record::is_success(prepared.outcome)) {
      if (counted_ == counts(selected_)) return;
      throw process::WorkerLost(record::Outcome::crashed,
                                counted_ ? "the worker counted the case on a device that has times"
                                         : "the worker would time the case on an emulated device, "
                                           "which has counts and no times");
    }
    if (record::has_samples(prepared.outcome))
      throw process::WorkerLost(record::Outcome::crashed,
                                fmt::format("the worker says {} before it has taken a sample",
                                            record::to_string(prepared.outcome)));
    result_.lacks_memory = prepared.outcome == record::Outcome::unsupported;
    result_.measurement = without_samples(selected_, prepared.outcome, prepared.reason);
    ended_ = true;
  });
  return !ended_;
}

void CaseExecution::sample() {
  if (counted_) return;
  perform("sampling", [&](process::Deadline deadline) {
    const process::Clock::time_point start = process::Clock::now();
    const std::vector<double> taken =
        served(worker_.ask<protocol::Sampled>(
                   protocol::Sample{limits_.sampling.target, limits_.sampling.min_samples,
                                    limits_.sampling.max_samples,
                                    1e9 * std::max(0.0, std::min(limits_.sampling_s,
                                                                 sampling_share * left_s()))},
                   deadline))
            .samples_ns;
    result_.sampling_s += process::seconds_since(start);
    const auto most = static_cast<std::size_t>(limits_.sampling.max_samples);
    if (taken.empty() || taken.size() > most)
      throw process::WorkerLost(
          record::Outcome::crashed,
          fmt::format("the worker was asked for 1 to {} samples and took {}", most, taken.size()));
    samples_ns_.insert(samples_ns_.end(), taken.begin(), taken.end());
  });
}

// An output that nobody compares may be of an execution before it was asked for: one of NVBench
// serves several cases.
double CaseExecution::waited_s() const {
  return result_.measurement.outcome == record::Outcome::unverified ? worker_.age_s()
                                                                    : result_.sampling_s;
}

bool CaseExecution::times_are_scripted() const {
  return std::ranges::any_of(selected_.worker->devices.devices, [&](const record::Device& device) {
    return device.id == request_.device && has_scripted_times(device);
  });
}

void CaseExecution::refuse_impossible(std::int64_t executions_per_sample) const {
  if (times_are_scripted()) return;
  const std::string why = impossible_times(samples_ns_, executions_per_sample, waited_s());
  if (!why.empty()) throw process::WorkerLost(record::Outcome::crashed, why);
}

void CaseExecution::doubt(record::Measurement& measurement) const {
  if (measurement.outcome != record::Outcome::ok || times_are_scripted()) return;
  measurement.reason = doubtful_times(measurement.samples_ns);
  if (!measurement.reason.empty()) measurement.outcome = record::Outcome::unstable;
}

void CaseExecution::finish() {
  perform(counted_ ? "finishing" : "verifying again", [&](process::Deadline deadline) {
    result_.measurement =
        served(worker_.ask<protocol::Finished>(protocol::FinishRequest{}, deadline)).measurement;
    if ((result_.measurement.outcome == record::Outcome::counted) != counted_)
      throw process::WorkerLost(
          record::Outcome::crashed,
          fmt::format("the worker prepared the case as {} and finished it as {}",
                      counted_ ? "counted" : "ok", record::to_string(result_.measurement.outcome)));
    if (const std::string why = mismatch(request_, samples_ns_, result_.measurement); !why.empty())
      throw process::WorkerLost(record::Outcome::crashed, why);
    if (record::has_samples(result_.measurement.outcome))
      refuse_impossible(result_.measurement.executions_per_sample);
    result_.measurement.case_name = selected_.name;
    result_.measurement.attempt = 1;
    judge(result_.measurement, limits_.sampling);
    doubt(result_.measurement);
    ended_ = true;
  });
}

CaseResult CaseExecution::result() const {
  CaseResult result = result_;
  record::Measurement& measurement = result.measurement;
  measurement.total_ns = spent_s_ * 1e9;
  const double machine_s = process::paused_s() - paused_before_s_,
               worker_s = worker_.stopped_s() - stopped_before_s_;
  const bool for_good = measurement.outcome == record::Outcome::timeout && worker_.is_stopped();
  result.paused_s = machine_s + (for_good ? 0 : worker_s);
  if (measurement.outcome == record::Outcome::timeout) {
    if (worker_s > 0 && !ended_early_)
      measurement.reason +=
          fmt::format(", and the worker was stopped for {} of it", units::time(worker_s * 1e9));
    if (machine_s > 0)
      measurement.reason +=
          fmt::format("; before, the machine stood still for {}", units::duration(machine_s));
  }
  if (result.paused_s > 0 && record::has_samples(measurement.outcome)) {
    const std::string paused =
        machine_s > 0 ? fmt::format("the machine stood still for {} while it was measured",
                                    units::duration(machine_s))
                      : fmt::format("the worker was stopped for {} while it was measured",
                                    units::time(worker_s * 1e9));
    // All other outcomes with samples are of an output that was verified.
    const bool verified = measurement.outcome != record::Outcome::unverified;
    if (verified) measurement.outcome = record::Outcome::invalid_environment;
    measurement.reason = verified ? paused : paused + "; " + measurement.reason;
  }
  return result;
}

CaseResult measure_case(process::WorkerProcess& worker, const Selected& selected,
                        const std::string& device, std::uint64_t seed, const CaseLimits& limits) {
  CaseExecution execution(worker, selected, device, seed, 0, limits);
  if (execution.prepare()) {
    execution.sample();
    execution.finish();
  }
  return execution.result();
}

}  // namespace ridgeline::run
