#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ci/studies/simulated_gates/tables.hpp"
#include "harness/analysis/gate_power.hpp"
#include "harness/analysis/gate_tail.hpp"
#include "harness/base/in_parallel.hpp"
#include "harness/stats/signed_rank.hpp"

namespace ridgeline::analysis::study {
namespace {

// ---- few pairs

std::vector<PairedTimes> first_pairs(const Noise& noise, const Plant& plant, std::size_t pairs,
                                     Random& random) {
  Rounds rounds(noise, plant, 20, random);
  std::vector<PairedTimes> times;
  for (std::size_t i = 0; i < pairs; ++i) times.push_back(rounds.next());
  return times;
}

/// Slower by that much throughout.
Plant slower_by(double slow_down) {
  Plant plant{.name = fmt::format("{}", slow_down)};
  plant.shift = std::log1p(slow_down);
  return plant;
}

const std::vector<std::size_t> few_pairs = {3, 4, 6, 8, 12, 18};

/// Whether pairs speak for a slow-down above delta, a logarithm.
using Rule = bool (*)(std::span<const PairedTimes>, double delta);

bool is_in_doubt(std::span<const PairedTimes> pairs, double delta) {
  return doubt_of(differences(pairs), delta, cases_of_a_suite).has_value() ||
         tail_in_doubt(pairs, delta, cases_of_a_suite).has_value();
}

/// The simple rule, which gates do not use.
bool lies_above(std::span<const PairedTimes> pairs, double delta) {
  return stats::signed_rank_interval(differences(pairs)).low > delta;
}

const std::pair<const char*, Rule> rules[] = {{"false, of suites", is_in_doubt},
                                              {"interval above delta, of suites", lies_above}};

/// What the rule says of a case of a suite after each of `few_pairs`.
std::vector<bool> doubted(Rule rule, const Noise& noise, const Plant& plant, Random& random) {
  const std::vector<PairedTimes> all = first_pairs(noise, plant, few_pairs.back(), random);
  std::vector<bool> in_doubt;
  for (const std::size_t pairs : few_pairs)
    in_doubt.push_back(rule(std::span(all).first(pairs), std::log1p(default_delta(noise.device))));
  return in_doubt;
}

/// Of `trials` trials of `cases` cases each, those in which any is in doubt, by `few_pairs`.
std::vector<std::int64_t> trials_in_doubt(Rule rule, const Noise& noise, const Plant& plant,
                                          std::size_t trials, int cases) {
  std::vector<std::vector<bool>> any(trials, std::vector<bool>(few_pairs.size()));
  in_parallel(trials, 256, [&](std::size_t trial) {
    Random random(stream(fmt::format("doubts {} {} {}", noise.name, plant.name, cases)), trial);
    for (int i = 0; i < cases; ++i) {
      const std::vector<bool> one = doubted(rule, noise, plant, random);
      for (std::size_t k = 0; k < one.size(); ++k) any[trial][k] = any[trial][k] || one[k];
    }
  });
  std::vector<std::int64_t> counts(few_pairs.size());
  for (const std::vector<bool>& trial : any)
    for (std::size_t k = 0; k < trial.size(); ++k) counts[k] += trial[k] ? 1 : 0;
  return counts;
}

// ---- order

/// What a machine adds to the processes of a gate, which run one after the other.
struct Disturbance {
  const char* name;
  double period = 0;        // of a square wave, in processes
  double memory = 0;        // of an autoregressive process of first order
  double size = 0;          // of these
  double drift = 0;         // from a process to the next
  double first_slower = 0;  // what the first process of each pair has more
};

const std::vector<Disturbance> disturbances = {
    {.name = "none"},
    {.name = "period of 2 processes, 3%", .period = 2, .size = 0.03},
    {.name = "period of 3 processes, 3%", .period = 3, .size = 0.03},
    {.name = "period of 4 processes, 3%", .period = 4, .size = 0.03},
    {.name = "period of 8 processes, 3%", .period = 8, .size = 0.03},
    {.name = "autoregressive, 0.5, 2%", .memory = 0.5, .size = 0.02},
    {.name = "autoregressive, 0.9, 2%", .memory = 0.9, .size = 0.02},
    {.name = "drift, 0.2% a process", .drift = 0.002},
    {.name = "first of a pair slower, 2%", .first_slower = 0.02},
};

enum class Order { coins, balanced };

std::vector<PairedTimes> disturbed_pairs(const Disturbance& by, Order order, double slow_down,
                                         int pairs, Random& random) {
  constexpr double noise = 0.001, jitter = 0.02;  // of a process; of a period
  double phase = random.uniform(), state = random.normal();
  int process = 0;
  const auto next = [&](bool first) {
    double level = noise * random.normal() + by.drift * process++;
    if (by.period > 0) {
      phase += (1 + jitter * random.normal()) / by.period;
      level += phase - std::floor(phase) < 0.5 ? by.size : 0;
    }
    if (by.memory > 0) {
      state = by.memory * state + std::sqrt(1 - by.memory * by.memory) * random.normal();
      level += by.size * state;
    }
    return level + (first ? by.first_slower : 0);
  };
  std::vector<PairedTimes> made;
  bool baseline_first = false;
  for (int i = 0; i < pairs; ++i) {
    const bool coin = random.chance(0.5);
    baseline_first = order == Order::balanced && i % 2 == 1 ? !baseline_first : coin;
    double first = next(true), second = next(false);
    if (!baseline_first) std::swap(first, second);
    made.push_back({std::exp(first), std::exp(second) * (1 + slow_down), i});
  }
  return made;
}

std::int64_t regressions(const Disturbance& by, Order order, double slow_down, std::size_t trials,
                         int cases) {
  const GatePlan plan = on_medians_alone(plan_for(DeviceKind::cuda));
  CaseRule rule;
  rule.delta = default_delta(DeviceKind::cuda);
  std::vector<char> any(trials);
  in_parallel(trials, 256, [&](std::size_t trial) {
    Random random(stream(fmt::format("order {} {}", by.name, slow_down)), trial);
    for (int i = 0; i < cases; ++i) {
      const auto pairs = disturbed_pairs(by, order, slow_down, plan.looks.back(), random);
      if (decide(plan, rule, cases_of_a_suite, pairs, true).verdict == record::Verdict::regression)
        any[trial] = 1;
    }
  });
  return std::ranges::count(any, 1);
}

}  // namespace

std::string doubts(Study& study) {
  std::string text;
  const std::size_t suites = study.options().suites, trials = study.options().trials;
  add(text,
      "**Doubts** after a few pairs, for gates that can decide none of their 100 cases: the share "
      "of {} suites without a change in which any case is in doubt, and of {} single cases that "
      "are slower, or whose launches are. For comparison, the suites in which the interval of 95% "
      "of any case lies above "
      "delta.\n\n| noise | what |",
      suites, trials);
  for (const std::size_t pairs : few_pairs) add(text, " {} pairs |", pairs);
  add(text, "\n|---|---|");
  for (std::size_t i = 0; i < few_pairs.size(); ++i) add(text, "---|");
  std::vector<Noise> noises = study.noises();
  if (study.options().noises.empty()) noises.push_back(launch_bound());
  for (const Noise& noise : noises) {
    for (const auto& [what, rule] : rules) {
      add(text, "\n| {} | {} |", noise.name, what);
      for (const std::int64_t count :
           trials_in_doubt(rule, noise, slower_by(0), suites, cases_of_a_suite))
        add(text, " {} |", share(count, suites));
    }
    const auto add_found = [&](const std::string& what, const Plant& plant) {
      add(text, "\n| {} | found, {} |", noise.name, what);
      for (const std::int64_t count : trials_in_doubt(is_in_doubt, noise, plant, trials, 1))
        add(text, " {} |", rate(count, trials));
    };
    for (const double slow_down : {0.03, 0.35, 1.0, 9.0})
      add_found(fmt::format("+{:g}%", 100 * slow_down), slower_by(slow_down));
    for (const Plant& plant : planted_tails())
      if (plant.samples == 0.10) add_found(plant.name, plant);
  }
  add(text, "\n");
  return text;
}

std::string orders(Study& study) {
  std::string text;
  const std::size_t suites = study.options().suites, trials = study.options().trials;
  add(text,
      "**The order of the two sides.** False regression suites of {} suites of 100 cases without "
      "a change, and of {} single cases those found at +1%. A GPU's plan, delta 0.5%, noise of "
      "0.1% and a disturbance that depends on when a process runs. Periods have a jitter of 2%. "
      "Coins are what gates use; the balanced order gives the second round of two the other order "
      "of the first.\n\n",
      suites, trials);
  add(text,
      "| disturbance | false suites, coins | false suites, balanced | found, coins | found, "
      "balanced |\n|---|---|---|---|---|\n");
  for (const Disturbance& by : disturbances) {
    add(text, "| {} |", by.name);
    for (const Order order : {Order::coins, Order::balanced})
      add(text, " {} |", share(regressions(by, order, 0, suites, cases_of_a_suite), suites));
    for (const Order order : {Order::coins, Order::balanced})
      add(text, " {} |", rate(regressions(by, order, 0.01, trials, 1), trials));
    add(text, "\n");
  }
  return text;
}

}  // namespace ridgeline::analysis::study
