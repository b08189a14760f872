#include "harness/gate/side_processes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/gate/order.hpp"
#include "harness/run/order.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::gate {
namespace {

constexpr int sets_of_inputs = 2;  // that rounds share: the oracle computes for two of them, and no
                                   // verdict hangs on a single one

}  // namespace

SideProcesses::SideProcesses(const GateSetup& setup, store::Store& store,
                             std::function<void()> tick)
    : setup_(setup), store_(store), tick_(std::move(tick)) {}

void SideProcesses::begin_round(int round) { round_ = round; }

// On a GPU the device's oracle judges, which keeps nothing for other processes.
bool SideProcesses::keeps_expected(const SideWorkers& workers) const {
  return setup_.device.kind == DeviceKind::cpu && std::ranges::all_of(both_sides, [&](Side side) {
           return workers[side].worker->hello.features.contains(protocol::Feature::expected);
         });
}

bool SideProcesses::running() const {
  return processes_.baseline && processes_.candidate && processes_.baseline->ready() &&
         processes_.candidate->ready();
}

bool SideProcesses::ready(const SideWorkers& workers, const GateCase& gate_case,
                          Sides<std::optional<run::CaseResult>>& failures) {
  starting_s_ = 0;
  if (running()) return true;
  const process::Clock::time_point start = process::Clock::now();
  const bool begun = begin(workers, gate_case, failures);
  starting_s_ = process::seconds_since(start);
  return begun;
}

bool SideProcesses::begin(const SideWorkers& workers, const GateCase& gate_case,
                          Sides<std::optional<run::CaseResult>>& failures) {
  kill();
  ids_ = {};
  const bool keeps = keeps_expected(workers);
  seed_ = run::replicate_seed(setup_.gate.seed, keeps ? round_ % sets_of_inputs : round_);
  // Both are started before the first is waited for: most of their start is loading libraries.
  // Which is first may decide which memory and which addresses each gets.
  const Side first =
      baseline_first(setup_.gate.seed, "", round_) ? Side::baseline : Side::candidate;
  for (const Side side : {first, other(first)})
    attempt(gate_case, side, failures, [&] {
      process::Variables variables;
      if (keeps) variables = expected_.variables(*workers[side].worker);
      const std::string padding(padding_of(setup_.gate.seed, round_, side), 'x');
      variables.emplace_back("RIDGELINE_PADDING", padding);
      processes_[side] = run::start(workers[side], tick_, variables);
    });
  for (const Side side : {first, other(first)})
    if (!failures[side]) attempt(gate_case, side, failures, [&] { greet(workers, side); });
  if (!failures.baseline && !failures.candidate) open_device(workers, gate_case, failures);
  if (!failures.baseline && !failures.candidate) return true;
  kill();
  return false;
}

void SideProcesses::attempt(const GateCase& gate_case, Side side,
                            Sides<std::optional<run::CaseResult>>& failures,
                            const std::function<void()>& action) {
  const run::Selected& selected = gate_case[side];
  const process::Clock::time_point begun = process::Clock::now();
  std::string reason;
  try {
    return action();
  } catch (const process::WorkerLost& lost) {
    failures[side] = run::not_started(selected, lost, process::seconds_since(begun));
    return;
  } catch (const WorkerChanged&) {
    throw;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::dependency) throw;
    reason = error.what();
  }
  failures[side] = run::not_started(selected, started_.contains(selected.worker), reason);
}

void SideProcesses::greet(const SideWorkers& workers, Side side) {
  const double patience_s = run::start_patience_s(workers[side], setup_.case_timeout_s);
  const protocol::Hello hello = processes_[side]->greet(process::after(patience_s));
  const run::Worker& worker = *workers[side].worker;
  if (run::program_code(hello.build, worker.program) != worker.code)
    throw WorkerChanged(ErrorKind::dependency,
                        fmt::format("{} has changed while the gate was measuring: {}",
                                    to_string(side), worker.program.string()),
                        "start another gate");
  started_.insert(&worker);
  ids_[side] = add_process(side, hello.build, hello.hosts);
}

// A GPU's context takes a process a quarter of a second, and two hardly more than one. A worker
// that cannot open the device says so again when a case is prepared.
void SideProcesses::open_device(const SideWorkers& workers, const GateCase& gate_case,
                                Sides<std::optional<run::CaseResult>>& failures) {
  const auto each = [&](const auto& step) {
    for (const Side side : both_sides)
      if (!failures[side] && workers[side].worker->hello.features.contains(protocol::Feature::open))
        attempt(gate_case, side, failures,
                [&] { step(*processes_[side], process::after(process::start_s)); });
  };
  each([this](process::WorkerProcess& worker, process::Deadline deadline) {
    worker.begin(protocol::Open{setup_.device.id}, deadline);
  });
  each([](process::WorkerProcess& worker, process::Deadline deadline) {
    worker.answer<protocol::Opened>(deadline);
  });
}

std::int64_t SideProcesses::add_process(Side side, const record::Build& build,
                                        const record::Facts& hosts) {
  record::Process process;
  process.run_id = side == Side::baseline ? setup_.baseline_run.id : setup_.candidate_run.id;
  process.replicate = round_;
  process.seed = seed_;
  process.started = run::timestamp();
  process.build = build;
  process.hosts = hosts;
  return store::add(store_, process);
}

void SideProcesses::end() {
  // To let go of a GPU takes a process a tenth of a second and more: they do it side by side.
  for (const Side side : both_sides)
    if (processes_[side]) processes_[side]->say_bye();
  for (const Side side : both_sides)
    if (processes_[side]) processes_[side]->bye();
  kill();
}

std::int64_t SideProcesses::id(const SideWorkers& workers, Side side) {
  // A worker that never came up has a process, too: what became of it is its measurement.
  if (ids_[side] == 0) ids_[side] = add_process(side, workers[side].worker->hello.build);
  return ids_[side];
}

}  // namespace ridgeline::gate
