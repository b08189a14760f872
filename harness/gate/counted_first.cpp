#include "harness/gate/counted_first.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include <fmt/core.h>

#include "harness/analysis/count_decision.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/gate/admission.hpp"
#include "harness/gate/side_processes.hpp"
#include "harness/process/interrupt.hpp"

namespace ridgeline::gate {
namespace {

constexpr double counting_s = 10;         // of counting, in all
constexpr double execution_s = 2.5;       // of one problem on one side
constexpr std::size_t most_problems = 4;  // of a variant
constexpr std::size_t most_lines = 10;    // of one kind that people get

/// "coalescing/wide/f32".
std::string variant_of(const record::CaseId& id) {
  return fmt::format("{}/{}/{}", id.suite, id.variant, id.dtype);
}

/// The smallest first; last what the device decides.
double size_of(const run::Selected& each) {
  const double unknown = std::numeric_limits<double>::infinity();
  return each.info.bytes.value_or(unknown) + each.info.flops.value_or(0);
}

/// What is counted of a variant, and what came of it.
struct CountedVariant {
  std::string name;
  std::vector<Sides<run::Selected>> problems;  // the smallest first
  int counted = 0;
  std::string differs{}, failed{};
  bool late = false;  // took too long
};

/// The device that counts as the GPU `timed` executes, or another one, of those that both sides
/// have.
std::optional<record::Device> counting_device(const Programs& programs,
                                              const record::Device& timed) {
  std::vector<record::Device> both;
  const std::vector<record::Device> baseline = run::devices_of(programs.workers.baseline);
  for (const record::Device& each : run::devices_of(programs.workers.candidate))
    if (each.kind == DeviceKind::emulated &&
        std::ranges::find(baseline, each.id, &record::Device::id) != baseline.end())
      both.push_back(each);
  if (both.empty()) return std::nullopt;
  std::string same = "emulated:sm_";
  if (const auto found = timed.properties.find("capability"); found != timed.properties.end())
    std::ranges::copy_if(found->second, std::back_inserter(same), [](char c) { return c != '.'; });
  const auto found = std::ranges::find(both, same, &record::Device::id);
  return found != both.end() ? *found : both.front();
}

/// The variants of the cases that are timed, the most important first, with what both sides can
/// count of them.
std::vector<CountedVariant> variants_of(const Programs& programs, const GateSetup& setup,
                                        const record::Device& device) {
  std::map<std::string, std::vector<Sides<run::Selected>>> problems;
  const std::vector<run::Selected> candidates = run::all_cases(programs.workers.candidate, device);
  std::map<std::string, const run::Selected*> by_name;
  for (const run::Selected& each : candidates)
    if (each.unavailable.empty()) by_name.emplace(each.name, &each);
  for (const run::Selected& each : run::all_cases(programs.workers.baseline, device))
    if (const auto other = by_name.find(each.name);
        other != by_name.end() && each.unavailable.empty())
      problems[variant_of(each.info.id)].push_back({each, *other->second});
  std::vector<CountedVariant> variants;
  for (const std::size_t index : by_importance(setup.cases)) {
    const GateCase& timed = setup.cases[index];
    const std::string name = variant_of(timed.candidate.info.id);
    if (timed.same_code ||
        std::ranges::find(variants, name, &CountedVariant::name) != variants.end())
      continue;
    CountedVariant& made = variants.emplace_back(CountedVariant{name, problems[name]});
    std::ranges::stable_sort(made.problems, {},
                             [](const auto& each) { return size_of(each.candidate); });
  }
  return variants;
}

/// Counts for `counting_s`.
class FirstCounts {
 public:
  FirstCounts(const record::Device& device, std::uint64_t seed) : device_(device), seed_(seed) {}

  /// A problem of each, then a second of each: of a variant, until it differs or cannot be counted.
  void count(std::vector<CountedVariant>& variants) {
    for (std::size_t i = 0; i < most_problems; ++i)
      for (CountedVariant& variant : variants) {
        const bool over = !variant.differs.empty() || !variant.failed.empty() || variant.late;
        if (over || i >= variant.problems.size()) continue;
        if (left_s() <= 0) return;
        count(variant, variant.problems[i]);
      }
  }

 private:
  double left_s() const { return counting_s - process::seconds_since(start_); }

  void count(CountedVariant& variant, const Sides<run::Selected>& problem) {
    Sides<record::Measurement> counted;
    for (const Side side : both_sides) {
      process::Interrupt::check();
      const auto found = execute(problem[side], side);
      variant.late = !found;
      if (!found) return;
      counted[side] = *found;
    }
    ++variant.counted;
    const auto is_counted = [&](Side side) {
      return counted[side].outcome == record::Outcome::counted;
    };
    const auto ending = [&](Side side) {
      return fmt::format("{}: {}: {}: {}", problem.candidate.name, to_string(side),
                         record::to_string(counted[side].outcome), counted[side].reason);
    };
    const Side ended = is_counted(Side::candidate) ? Side::baseline : Side::candidate;
    if (!is_counted(ended)) {
      (is_counted(other(ended)) ? variant.differs : variant.failed) = ending(ended);
      return;
    }
    const std::vector<std::string> changes = analysis::differences(
        analysis::compare_metrics(counted.baseline.metrics, counted.candidate.metrics, {}));
    if (changes.empty()) return;
    variant.differs = fmt::format("{}: {}", problem.candidate.name, changes.front());
    if (changes.size() > 1) variant.differs += fmt::format(" and {} more", changes.size() - 1);
  }

  /// None when it took too long.
  std::optional<record::Measurement> execute(const run::Selected& selected, Side side) {
    const double limit_s = std::min(left_s(), execution_s);
    if (limit_s <= 0) return std::nullopt;
    try {
      ready(selected, side);
      const run::CaseResult result =
          run::measure_case(*processes_[side], selected, device_.id, seed_,
                            {run::Sampling{}, 0, limit_s, std::numeric_limits<double>::infinity()});
      if (!result.worker_usable) processes_[side].reset();
      if (result.measurement.outcome == record::Outcome::timeout) return std::nullopt;
      return result.measurement;
    } catch (const process::WorkerLost& lost) {
      processes_[side].reset();
      if (lost.outcome() == record::Outcome::timeout) return std::nullopt;
      return run::without_samples(selected, lost.outcome(), lost.what());
    } catch (const Error& error) {
      processes_[side].reset();
      return run::without_samples(selected, record::Outcome::crashed, error.what());
    }
  }

  /// A process of the case's worker.
  void ready(const run::Selected& selected, Side side) {
    const run::Team team = run::team_of(selected);
    auto& running = processes_[side];
    if (running && teams_[side] == team && running->ready()) return;
    running = run::start(team, {});
    teams_[side] = team;
    running->greet(process::after(left_s()));
  }

  const record::Device& device_;
  const std::uint64_t seed_;
  const process::Clock::time_point start_ = process::Clock::now();
  Sides<std::unique_ptr<process::WorkerProcess>> processes_;
  Sides<run::Team> teams_;
};

/// Lines that begin with `what`, of the variants of which `text` says something.
void tell(std::vector<std::string>& lines, const std::vector<CountedVariant>& variants,
          const char* what, std::string CountedVariant::*text) {
  std::size_t said = 0;
  for (const CountedVariant& each : variants)
    if (!(each.*text).empty() && said++ < most_lines)
      lines.push_back(fmt::format("{}: {}", what, printable(each.*text, 400)));
  if (said > most_lines) lines.push_back(fmt::format("{}: {} more", what, said - most_lines));
}

std::vector<std::string> lines_on(const std::vector<CountedVariant>& variants,
                                  const record::Device& device) {
  const auto having = [&](auto predicate) { return std::ranges::count_if(variants, predicate); };
  const auto differ = having([](const auto& each) { return !each.differs.empty(); });
  const auto without = having([](const auto& each) { return each.problems.empty(); });
  const auto late =
      having([](const auto& each) { return !each.problems.empty() && each.counted == 0; });
  std::vector<std::string> lines;
  std::string& line = lines.emplace_back(
      fmt::format("counted first on {}: {} of {} {}", device.id, differ,
                  units::plural(std::ssize(variants), "variant"),
                  differ == 0   ? "do anything else in small problems, which proves no time"
                  : differ == 1 ? "does something else, and is measured first"
                                : "do something else, and are measured first"));
  if (without > 0) line += fmt::format("; {} cannot be counted", without);
  if (late > 0)
    line += fmt::format("; {} not counted in the {}", late, units::duration(counting_s));
  tell(lines, variants, "what it does differs", &CountedVariant::differs);
  tell(lines, variants, "cannot be counted", &CountedVariant::failed);
  return lines;
}

}  // namespace

std::vector<std::string> count_first(const Programs& programs, GateSetup& setup) {
  if (setup.device.kind == DeviceKind::cpu) return {};  // its variants are other code
  try {
    const std::optional<record::Device> device = counting_device(programs, setup.device);
    if (!device) return {"nothing is counted first: the sides share no emulated device"};
    std::vector<CountedVariant> variants = variants_of(programs, setup, *device);
    if (variants.empty()) return {};
    FirstCounts(*device, setup.gate.seed).count(variants);
    for (GateCase& each : setup.cases)
      each.counts_differ = std::ranges::any_of(variants, [&](const CountedVariant& variant) {
        return variant.name == variant_of(each.candidate.info.id) && !variant.differs.empty();
      });
    return lines_on(variants, *device);
  } catch (const Error& error) {
    return {fmt::format("nothing is counted first: {}", error.what())};
  }
}

}  // namespace ridgeline::gate
