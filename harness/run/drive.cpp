#include "harness/run/drive.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/units.hpp"
#include "harness/catalogue/datasheets.hpp"
#include "harness/catalogue/link.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/process/worker_process.hpp"
#include "harness/run/budget.hpp"
#include "harness/run/executed.hpp"
#include "harness/run/measure_case.hpp"
#include "harness/run/measured_roofs.hpp"
#include "harness/run/order.hpp"
#include "harness/run/roof_sampling.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::run {
namespace {

using record::Outcome;

constexpr int most_attempts = 3;
constexpr double settle_s = 5;  // a GPU's clocks and power vary for about three seconds after
                                // idling

double running_s() {
  return std::chrono::duration<double>(process::Clock::now().time_since_epoch()).count();
}

/// The cases that one execution of a worker measures, in order.
struct Assignment {
  Team team;
  std::vector<const Selected*> cases;
};

/// A replicate's assignments: all of a worker's cases together, but under a launcher those of each
/// rank count apart. What measures a roof goes first, so that the budget cannot end before it.
std::vector<Assignment> assignments_of(const std::vector<Selected>& cases, std::uint64_t seed) {
  std::vector<Assignment> assignments;
  const auto is_roof = [&](std::size_t index) { return !cases[index].info.roof.empty(); };
  for (const std::size_t index : shuffled(cases.size(), seed, is_roof)) {
    const Selected& selected = cases[index];
    const auto same = std::ranges::find(assignments, team_of(selected), &Assignment::team);
    if (same != assignments.end())
      same->cases.push_back(&selected);
    else
      assignments.push_back({team_of(selected), {&selected}});
  }
  return assignments;
}

/// So many executions of a case are left; of one that cannot be measured here one, which says so.
int times_left(const Plan& plan, const Executed& executed, const Selected& selected) {
  const int left = executed.left(selected.name, plan.profile.processes);
  return selected.unavailable.empty() ? left : std::min(left, 1);
}

class RunInProgress {
 public:
  RunInProgress(const Plan& plan, store::Store& store, const Observer& observer)
      : plan_(plan),
        store_(store),
        observer_(observer),
        executed_(plan.earlier, plan.profile.case_timeout_s),
        budget_(plan.profile.budget_s, running_s),
        spent_(fmt::format("the run's budget of {} was spent",
                           units::duration(plan.profile.budget_s))),
        start_s_(running_s()) {
    progress_.processes = plan.profile.processes;
    for (const Selected& selected : plan.cases) {
      const int times = times_left(plan, executed_, selected);
      if (executed_.has_any(selected.name)) measured_.insert(selected.name);
      for (int i = 0; i < times; ++i) budget_.expect(selected.name, shares_of(selected.info));
      left_[selected.name] = times;
      progress_.total += times;
    }
  }

  void replicate(int number) {
    progress_.replicate = number;
    seed_ = replicate_seed(plan_.run.seed, number);
    for (const Assignment& assignment : assignments_of(plan_.cases, seed_)) measure(assignment);
  }

  /// Kills the worker in flight.
  void stop() { process_.reset(); }

 private:
  void measure(const Assignment& assignment) {
    process_id_.reset();
    for (const Selected* selected : assignment.cases) {
      // Decided in an earlier replicate, or in an earlier part of the run.
      if (left_.at(selected->name) == 0 || executed_.has(selected->name, progress_.replicate))
        continue;
      process::Interrupt::check();
      progress_.case_name = selected->name;
      attempt_ = first_attempt_ = executed_.attempts(selected->name, progress_.replicate) + 1;
      tick();
      if (!selected->unavailable.empty())
        add(assignment, *selected,
            {without_samples(*selected, Outcome::unavailable, selected->unavailable)});
      else if (budget_.too_short_for(selected->name))
        cut_off(assignment, *selected, {without_samples(*selected, Outcome::not_measured, spent_)});
      else if (start(assignment, *selected))
        measure(assignment, *selected);
    }
    if (process_) process_->bye();
    process_.reset();
  }

  void measure(const Assignment& assignment, const Selected& selected) {
    CaseResult result = execute(selected);
    // What spans a pause of the machine says nothing of the case: it is kept, and measured again.
    while (spans_a_pause(result) && attempt_ < first_attempt_ + most_attempts - 1) {
      keep(selected, result.measurement);
      ++attempt_;
      if (!start(assignment, selected)) return;
      result = execute(selected);
    }
    if (result.out_of_budget) {
      result.measurement.outcome = Outcome::not_measured;  // nothing is wrong with the case
      cut_off(assignment, selected, result);
    } else {
      add(assignment, selected, result);
    }
  }

  static bool spans_a_pause(const CaseResult& result) {
    const Outcome outcome = result.measurement.outcome;
    return result.paused_s > 0 && !result.out_of_budget &&
           (record::has_samples(outcome) || record::is_failure(outcome));
  }

  CaseResult execute(const Selected& selected) {
    CaseLimits limits{sampling_of(plan_.profile.sampling, selected.info),
                      budget_.sampling_s(selected.name), plan_.profile.case_timeout_s,
                      budget_.left_s()};
    const int energies_left = limits.sampling.energy_processes - progress_.replicate;
    if (energies_left <= 0) limits.sampling.energy_s = 0;
    if (!settled_ && plan_.device.kind == DeviceKind::cuda)
      limits.settle_s = std::min(settle_s, budget_.left_s() / 10);
    limits.timeout_s += limits.settle_s + limits.sampling.energy_s;
    CaseResult result = measure_case(*process_, selected, plan_.device.id, seed_, limits);
    // What the next processes measure as well is a part of what they take.
    result.once_s = limits.settle_s + (energies_left > 1 ? 0 : limits.sampling.energy_s);
    if (record::has_samples(result.measurement.outcome)) settled_ = true;
    if (!result.worker_usable) process_.reset();
    return result;
  }

  void keep(const Selected& selected, record::Measurement measurement) {
    measurement.attempt = attempt_;
    store::add(store_, *process_id_, selected.info, measurement);
    measured_.insert(selected.name);
    if (observer_.stored) observer_.stored(progress_, selected, measurement);
  }

  /// The budget has left no time for an execution, nor will it for later ones of the case. That
  /// says nothing of a case that earlier replicates have measured: it has fewer processes. One that
  /// has no measurement gets `result`.
  void cut_off(const Assignment& assignment, const Selected& selected, const CaseResult& result) {
    const int executions = left_.at(selected.name);
    if (!measured_.contains(selected.name)) {
      add(assignment, selected, result, executions);
      return;
    }
    progress_.cut_off += executions;
    for (int i = 0; i < executions; ++i) budget_.done(selected.name, -1);
    left_[selected.name] = 0;
    progress_.total -= executions;
    update_left();
    tick();
  }

  /// Makes sure that a worker runs that can take a case; when none can be started, the case has
  /// that outcome, and false.
  bool start(const Assignment& assignment, const Selected& selected) {
    if (process_ && process_->ready()) return true;
    process_.reset();
    const double whole_s = start_patience_s(assignment.team, plan_.profile.case_timeout_s),
                 patience_s = std::min(whole_s, std::max(0.1, budget_.left_s()));
    const process::Clock::time_point begun = process::Clock::now();
    const process::Deadline deadline = process::after(patience_s);
    std::string reason;
    try {
      process_ = run::start(assignment.team, [this] { tick(); });
      const protocol::Hello hello = process_->greet(deadline);
      process_id_ = add_process(hello.build, hello.hosts);
      return true;
    } catch (const process::WorkerLost& lost) {
      process_.reset();
      if (lost.outcome() == Outcome::timeout && patience_s < whole_s)
        cut_off(assignment, selected, {without_samples(selected, Outcome::not_measured, spent_)});
      else
        add(assignment, selected, not_started(selected, lost, process::seconds_since(begun)));
      return false;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::store) throw;
      reason = error.what();
    }
    process_.reset();
    add(assignment, selected,
        not_started(selected, started_.contains(assignment.team.worker), reason));
    return false;
  }

  std::int64_t add_process(const record::Build& build, const record::Facts& hosts = {}) {
    record::Process process;
    process.run_id = plan_.run.id;
    process.replicate = progress_.replicate;
    process.seed = seed_;
    process.started = timestamp();
    process.build = build;
    process.hosts = hosts;
    return store::add(store_, process);
  }

  /// Settles so many executions of the case; without a number one, or all when it cannot be
  /// measured here.
  void add(const Assignment& assignment, const Selected& selected, const CaseResult& result,
           int executions = 0) {
    const record::Measurement& measurement = result.measurement;
    if (!process_id_) {
      record::Build build = assignment.team.worker->hello.build;
      if (build.worker.empty())
        build = {assignment.team.worker->name, "unknown", false, "", "", "", ""};
      process_id_ = add_process(build);
    } else if (process_) {
      started_.insert(assignment.team.worker);
    }
    // What cannot be measured here is decided once, not in every replicate again.
    const bool decided =
        measurement.outcome == Outcome::unsupported || measurement.outcome == Outcome::unavailable;
    const int settled = executions > 0 ? executions : decided ? left_.at(selected.name) : 1;
    for (int i = 0; i < settled; ++i) budget_.done(selected.name, i == 0 ? overhead_s(result) : -1);
    left_[selected.name] -= settled;
    progress_.total -= settled - 1;
    ++progress_.done;
    update_left();
    keep(selected, measurement);
  }

  void update_left() {
    const double each_s = (running_s() - start_s_) / std::max(progress_.done, 1);
    progress_.left_s =
        std::max(0.0, std::min(budget_.left_s(), each_s * (progress_.total - progress_.done)));
  }

  void tick() {
    if (progress_.done == 0) progress_.left_s = std::max(0.0, budget_.left_s());
    if (observer_.tick) observer_.tick(progress_);
  }

  const Plan& plan_;
  store::Store& store_;
  const Observer& observer_;
  const Executed executed_;
  Budget budget_;
  const std::string spent_;  // why a case was not measured
  double start_s_;
  Progress progress_;
  std::map<std::string, int> left_;      // executions to come, by case
  std::set<std::string> measured_;       // cases with a measurement
  std::set<const Worker*> started_;      // workers that have measured
  std::uint64_t seed_ = 0;               // of the replicate
  int attempt_ = 1, first_attempt_ = 1;  // at the case in hand
  bool settled_ = false;                 // a case has brought the device into a steady state
  std::unique_ptr<process::WorkerProcess> process_;
  std::optional<std::int64_t> process_id_;  // in the store; the last one's when the worker is gone
};

}  // namespace

int executions_left(const Plan& plan) {
  const Executed executed(plan.earlier, plan.profile.case_timeout_s);
  int left = 0;
  for (const Selected& selected : plan.cases) left += times_left(plan, executed, selected);
  return left;
}

record::RunStatus drive(const Plan& plan, store::Store& store, const Observer& observer) {
  try {
    RunInProgress run(plan, store, observer);
    record::RunStatus status = record::RunStatus::finished;
    try {
      for (int number = 0; number < plan.profile.processes; ++number) run.replicate(number);
    } catch (const process::Interrupted&) {
      status = record::RunStatus::interrupted;
      run.stop();
    }
    for (const record::Roof& roof : measured_roofs(
             store::measurements(store, plan.run.id, store::Samples::leave_out), plan.run.unstable))
      store::add(store, plan.run.id, roof);
    for (const record::Roof& roof : catalogue::datasheet_roofs(plan.device.pci_id))
      store::add(store, plan.run.id, roof);
    if (const auto link = plan.device.recorded.find("pcie"); link != plan.device.recorded.end())
      if (const auto roof = catalogue::link_roof(link->second))
        store::add(store, plan.run.id, *roof);
    for (const record::Roof& roof : catalogue::peer_roofs(plan.device.recorded))
      store::add(store, plan.run.id, roof);
    store::finish(store, plan.run.id, status, timestamp());
    return status;
  } catch (...) {
    try {
      store::finish(store, plan.run.id, record::RunStatus::failed, timestamp());
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the first failure is the one
                                       // to tell
    }
    throw;
  }
}

}  // namespace ridgeline::run
