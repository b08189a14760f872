#include "harness/analysis/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include "harness/analysis/roofline.hpp"
#include "harness/analysis/summary.hpp"
#include "harness/base/text.hpp"
#include "harness/stats/median.hpp"
#include "harness/stats/ratio_interval.hpp"

namespace ridgeline::analysis {
namespace {

using record::Outcome;
using record::Roof;
using store::Timing;

/// Roofs of a side by where they come from, and the clocks at which its own were measured.
struct Roofs {
  std::vector<Roof> measured, datasheet;
  std::map<std::string, double> clocks;  // MHz, by kind of roof
};

Roofs roofs_of(const ComparedSide& side) {
  Roofs found;
  for (const Roof& roof : side.roofs)
    (record::is_measured(roof) ? found.measured : found.datasheet).push_back(roof);
  std::map<std::string, std::vector<double>> clocks;
  for (const Timing& timing : side.timings.timings) {
    const std::string& kind = side.timings.cases[timing.case_index].roof;
    if (!kind.empty() && timing.sm_clock_mhz) clocks[kind].push_back(*timing.sm_clock_mhz);
  }
  for (const auto& [kind, readings] : clocks) found.clocks[kind] = stats::median(readings);
  return found;
}

/// `processes` are the last attempts by replicate.
SideOfCase side_of(const record::Case& info, const std::map<int, const Timing*>& processes,
                   std::optional<double> limit) {
  std::vector<const Timing*> last;
  std::vector<ProcessResult> results;
  for (const auto& [replicate, timing] : processes) {
    last.push_back(timing);
    results.push_back({timing->outcome, timing->median_ns});
  }
  const OverProcesses over = over_processes(results, limit);
  SideOfCase side;
  side.outcome = over.outcome;
  side.reason = over.differ.empty() ? last[over.worst]->reason : over.differ;
  side.disturbed = over.disturbed;
  side.flops = info.flops;
  side.bytes = info.bytes;
  std::vector<double> clocks;
  for (const std::size_t i : over.counting) {
    side.medians_ns.push_back(*last[i]->median_ns);
    side.replicates.push_back(last[i]->replicate);
    if (last[i]->flops) side.flops = last[i]->flops;
    if (last[i]->bytes) side.bytes = last[i]->bytes;
    if (last[i]->sm_clock_mhz) clocks.push_back(*last[i]->sm_clock_mhz);
    side.launch = last[i]->launch;
    side.cache = last[i]->cache;
  }
  if (!side.medians_ns.empty()) side.median_ns = stats::median(side.medians_ns);
  if (!clocks.empty()) side.sm_clock_mhz = stats::median(clocks);
  return side;
}

/// What a run has of each of its cases.
struct CasesOfSide {
  struct One {
    record::CaseId id;
    std::string name, roof;
    SideOfCase side;
  };
  std::unordered_map<std::string, std::size_t> places;  // by name
  std::vector<One> all;
};

CasesOfSide cases_of(const ComparedSide& side) {
  const store::Timings& all = side.timings;
  CasesOfSide found;
  std::vector<std::size_t> place_of(all.cases.size());
  for (std::size_t i = 0; i < all.cases.size(); ++i) {  // cases of one name may differ in what is
                                                        // said of them
    const std::string name = record::name(all.cases[i].id);
    const auto [place, is_new] = found.places.emplace(name, found.all.size());
    place_of[i] = place->second;
    if (is_new) found.all.push_back({all.cases[i].id, name, all.cases[i].roof, {}});
  }
  std::vector<std::map<int, const Timing*>> last(found.all.size());
  std::vector<std::size_t> info(found.all.size());
  for (const Timing& timing : all.timings) {
    const std::size_t place = place_of[timing.case_index];
    const Timing*& known = last[place][timing.replicate];
    if (!known || timing.attempt >= known->attempt) known = &timing;
    info[place] = timing.case_index;
  }
  for (std::size_t i = 0; i < last.size(); ++i)
    found.all[i].side = side_of(all.cases[info[i]], last[i], side.run.unstable);
  return found;
}

/// B's work over A's; absent when they did something else.
std::optional<double> work_ratio(const SideOfCase& a, const SideOfCase& b) {
  constexpr double rounding = 1e-6;
  const auto ratio = [](std::optional<double> x, std::optional<double> y) -> std::optional<double> {
    if (!x || !y || !(*x > 0) || !(*y > 0)) return std::nullopt;
    return *y / *x;
  };
  const bool nothing_said =
      !a.flops.value_or(0) && !b.flops.value_or(0) && !a.bytes.value_or(0) && !b.bytes.value_or(0);
  if (nothing_said) return 1;
  const auto flops = ratio(a.flops, b.flops), bytes = ratio(a.bytes, b.bytes);
  if (a.flops.value_or(0) > 0 && !flops) return std::nullopt;
  if (a.bytes.value_or(0) > 0 && !bytes) return std::nullopt;
  if (flops && bytes && std::abs(*flops / *bytes - 1) > rounding) return std::nullopt;
  const double work = flops ? *flops : bytes ? *bytes : 1;
  return std::abs(work - 1) <= rounding ? 1 : work;
}

/// Why the two times are not compared; empty when they are.
std::string unfit(const ComparedCase& one, bool same_kind) {
  for (const auto& [name, side] : {std::pair("A", &one.a), std::pair("B", &one.b)})
    if (!side->median_ns) return fmt::format("{}: {}", name, in_words(side->outcome, side->reason));
  if (one.a.cache != one.b.cache || (same_kind && one.a.launch != one.b.launch))
    return fmt::format("measured differently: {} {} -> {} {}", printable(one.a.launch),
                       printable(one.a.cache), printable(one.b.launch), printable(one.b.cache));
  if (!work_ratio(one.a, one.b)) return "the sides did other work: operations and bytes differ";
  return {};
}

/// Sets the shares of both roofs, and the ratio that they alone predict. Both sides by measured
/// roofs, or both by datasheets': a measured roof against one that nobody reaches would not be
/// hardware.
void set_roofs(ComparedCase& one, const Roofs& a, const Roofs& b) {
  const auto share = [&](SideOfCase& side, const RoofTime& least) {
    side.share_of_roof = least.ns / *side.median_ns;
    side.roof = least.roof;
  };
  for (const bool measured : {true, false}) {
    const auto of = [&](const SideOfCase& side, const Roofs& roofs) {
      return least_time(one.id, side.flops, side.bytes,
                        measured ? roofs.measured : roofs.datasheet);
    };
    const auto least_a = of(one.a, a), least_b = of(one.b, b);
    if (!least_a || !least_b || !least_a->whole || !least_b->whole ||
        least_a->compute != least_b->compute || least_a->memory != least_b->memory)
      continue;
    share(one.a, *least_a);
    share(one.b, *least_b);
    one.measured_roofs = measured;
    if (one.ratio) one.roofs_ratio = least_b->ns / least_a->ns / one.work;
    return;
  }
  for (const auto& [side, roofs] : {std::pair(&one.a, &a), std::pair(&one.b, &b)})
    for (const std::vector<Roof>* some : {&roofs->measured, &roofs->datasheet})
      if (const auto least = least_time(one.id, side->flops, side->bytes, *some);
          least && least->whole && !side->share_of_roof)
        share(*side, *least);
}

/// The clock of a case over the one at which its side's roof was measured, where that roof scales
/// with the clock.
std::optional<double> clock_share(const SideOfCase& side, const Roofs& roofs) {
  if (!is_arithmetic(record::class_of_roof(side.roof))) return std::nullopt;
  const auto clock = roofs.clocks.find(side.roof);
  if (clock == roofs.clocks.end() || !side.sm_clock_mhz || !(clock->second > 0))
    return std::nullopt;
  return *side.sm_clock_mhz / clock->second;
}

/// What a reader needs to judge the causes of all cases.
struct Circumstances {
  const Roofs &a, &b;
  bool one_model = false;
  bool other_settings = false;  // of one model: its comparable environment differs
  bool other_code = false;
};

void set_cause(ComparedCase& one, const Circumstances& around) {
  if (!one.roofs_ratio) return;
  const auto say = [&](Cause cause, const std::string& because) {
    one.cause = cause;
    one.because = because;
  };
  if (one.a.disturbed || one.b.disturbed)
    return say(Cause::environment,
               fmt::format("{} was disturbed: {}", one.a.disturbed ? "A" : "B",
                           printable(one.a.disturbed ? one.a.reason : one.b.reason, 1000)));
  for (const auto& [name, side] : {std::pair("A", &one.a), std::pair("B", &one.b)})
    if (*side->share_of_roof > roof_margin)
      return say(Cause::unknown,
                 fmt::format("{} is faster than its roof allows, a measuring error", name));
  const double rest = *one.rest(), off = std::abs(std::log(rest));
  if (off <= std::log(roof_margin)) {
    if (one.interval && one.interval->low <= 1 && 1 <= one.interval->high)
      return say(Cause::none, "");
    // Roofs that differ by less than half of the ratio are not why sides of one model differ.
    if (!around.one_model || off <= std::abs(std::log(*one.ratio)) / 2)
      return say(Cause::hardware, "");
    if (!one.interval) return say(Cause::unknown, "fewer than 3 processes per side");
    if (around.other_settings) return say(Cause::environment, "the comparable environment differs");
    return say(Cause::unknown, fmt::format("both are of one model, and its roofs differ less{}",
                                           around.other_code ? ": the other code may be why" : ""));
  }
  if (!one.interval) return say(Cause::unknown, "fewer than 3 processes per side");
  if (one.interval->low <= *one.roofs_ratio && *one.roofs_ratio <= one.interval->high)
    return say(Cause::unknown, "within the noise");
  if (around.other_settings) return say(Cause::environment, "the comparable environment differs");
  const auto clock_a = clock_share(one.a, around.a), clock_b = clock_share(one.b, around.b);
  // A side at a lower clock than its roof was measured at reaches less of it for that alone.
  if (clock_a && clock_b && std::abs(std::log(rest * *clock_b / *clock_a)) < off / 2)
    return say(Cause::environment,
               fmt::format("clocks: A {:.0f}% and B {:.0f}% of those of its roof", 100 * *clock_a,
                           100 * *clock_b));
  say(Cause::distance, fmt::format("{} is farther from its roof{}", one.farther(),
                                   around.other_code ? ", or its other code is slower" : ""));
}

/// The cases of the other side that differ in their options alone.
std::string near_names(const record::CaseId& id, const CasesOfSide& other) {
  std::string near;
  for (const auto& [candidate, name, roof, side] : other.all) {
    if (candidate.options == id.options || candidate.suite != id.suite ||
        candidate.variant != id.variant || candidate.dtype != id.dtype ||
        candidate.problem != id.problem)
      continue;
    near += (near.empty() ? "the other side has " : ", ") + printable(name, 400);
  }
  return near;
}

void add_one_sided(Comparison& found, const CasesOfSide& own, const CasesOfSide& other, bool of_a,
                   const std::vector<std::string>& patterns) {
  std::vector<const CasesOfSide::One*> alone;
  for (const CasesOfSide::One& one : own.all)
    if (!other.places.contains(one.name) && any_matches(patterns, one.name)) alone.push_back(&one);
  std::ranges::sort(alone, is_before, &CasesOfSide::One::id);
  // Looking for names that are near costs a pass over the other side: for a list that people read.
  constexpr std::size_t readable = 200;
  for (const CasesOfSide::One* one : alone)
    found.one_sided.push_back(
        {one->name, of_a, alone.size() <= readable ? near_names(one->id, other) : std::string()});
}

std::vector<ComparedRoof> compare_roofs(const ComparedSide& a, const ComparedSide& b) {
  std::map<std::tuple<bool, std::string, std::string>, ComparedRoof> all;  // measured ones first
  const auto add = [&](const std::vector<Roof>& roofs, std::optional<double> ComparedRoof::*value) {
    for (const Roof& roof : roofs) {
      const bool measured = record::is_measured(roof);
      ComparedRoof& one = all[{!measured, roof.kind, roof.unit}];
      one.kind = roof.kind;
      one.source = measured ? "measured" : "datasheet";
      one.unit = roof.unit;
      one.*value = roof.value;
    }
  };
  add(a.roofs, &ComparedRoof::a);
  add(b.roofs, &ComparedRoof::b);
  std::vector<ComparedRoof> roofs;
  for (const auto& [key, roof] : all) roofs.push_back(roof);
  return roofs;
}

}  // namespace

std::optional<double> ComparedCase::rest() const {
  if (!ratio || !roofs_ratio) return std::nullopt;
  return *ratio / *roofs_ratio;
}

Comparison compare(const ComparedSide& a, const ComparedSide& b,
                   const std::vector<std::string>& patterns, Kinship kinship) {
  const CasesOfSide own_a = cases_of(a), own_b = cases_of(b);
  const Roofs roofs_a = roofs_of(a), roofs_b = roofs_of(b);
  const bool one_model = a.device.model == b.device.model;
  const Circumstances around{roofs_a, roofs_b, one_model,
                             one_model && a.environment.comparable != b.environment.comparable,
                             other_code(a, b)};
  const bool same_kind = a.device.kind == b.device.kind;
  Comparison found;
  found.roofs = compare_roofs(a, b);
  found.differences = differences(a, b, kinship);
  for (const auto& [id, name, roof, side] : own_a.all) {
    const auto there = own_b.places.find(name);
    if (there == own_b.places.end() || !any_matches(patterns, name)) continue;
    ComparedCase& one = found.cases.emplace_back();
    one.id = id;
    one.a = side;
    one.b = own_b.all[there->second].side;
    one.measures_roof = !roof.empty();
    one.not_compared = unfit(one, same_kind);
    if (!one.a.median_ns || !one.b.median_ns) continue;
    if (one.not_compared.empty()) {
      one.work = *work_ratio(one.a, one.b);
      one.ratio = *one.b.median_ns / *one.a.median_ns / one.work;
      std::vector<double> scaled;
      for (const double ns : one.b.medians_ns) scaled.push_back(ns / one.work);
      one.interval = stats::ratio_interval(one.a.medians_ns, scaled, *one.ratio);
    }
    if (!one.measures_roof) set_roofs(one, roofs_a, roofs_b);
    if (one.ratio) set_cause(one, around);
  }
  std::ranges::sort(found.cases, is_before, &ComparedCase::id);
  if (kinship == Kinship::siblings) explain_siblings(found, a, b, patterns);
  found.suites = compare_suites(found.cases);
  add_one_sided(found, own_a, own_b, true, patterns);
  add_one_sided(found, own_b, own_a, false, patterns);
  return found;
}

}  // namespace ridgeline::analysis
