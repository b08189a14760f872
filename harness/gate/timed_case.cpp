#include "harness/gate/timed_case.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "harness/base/units.hpp"

namespace ridgeline::gate {

void keep(TimedCase& state, const MeasuredPair& pair) {
  // One that was set aside after its first pair, and taken on again later.
  const bool again = state.pairs.rounds() == 1 && pair.pair.round > state.latest_pair + 1;
  if (!state.first_round || again) state.first_round = pair.pair.round;
  state.latest_pair = pair.pair.round;
  state.rounds.insert(pair.pair.round);
  if (pair.pair_s > 0) state.pair_s = pair.pair_s;
  add(state.pairs, pair);
}

void note_times(TimedCase& state, const Sides<std::optional<run::CaseResult>>& results,
                double pair_s) {
  state.pair_s = pair_s;
  double sampled_s = 0;
  for (const Side side : both_sides) {
    if (!results[side]) continue;
    const record::Measurement& m = results[side]->measurement;
    if (!m.median_ns) continue;
    sampled_s += results[side]->sampling_s;
    state.pair_s = std::max(state.pair_s, 2 * m.total_ns / 1e9);
    state.longest_s = std::max(state.longest_s, m.total_ns / 1e9);
    state.around_s += (m.total_ns - m.warmup_ns) / 1e9 - results[side]->sampling_s;
    state.sample_s += *m.median_ns * static_cast<double>(m.executions_per_sample) / 1e9;
  }
  ++state.timed;
  state.unsampled_s = std::max(state.pair_s - sampled_s, 0.0);
}

double next_pair_s(const TimedCase& state, double block_s, int max_samples) {
  const double sample_s = state.sample_s / state.timed;
  return state.unsampled_s + std::max(std::min(2 * block_s, max_samples * sample_s), sample_s);
}

void tell_hangs(TimedCase& state, Sides<std::optional<run::CaseResult>>& results) {
  for (const Side side : both_sides) {
    if (!results[side] || !results[side]->out_of_budget) continue;
    record::Measurement& m = results[side]->measurement;
    const double spent_s = m.total_ns / 1e9;
    if (hangs(spent_s, state.longest_s)) {
      results[side]->out_of_budget = false;
      m.reason =
          fmt::format("{}, {} after the case was begun, which never took longer than {} before",
                      m.reason, units::duration(spent_s), units::duration(state.longest_s));
    } else {
      m.outcome = record::Outcome::not_measured;  // nothing is wrong with the case
      state.cut = fmt::format("; the {} did not finish within the {} that it had left",
                              to_string(side), units::duration(spent_s));
    }
  }
}

}  // namespace ridgeline::gate
