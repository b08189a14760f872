// How often decide_tail() is wrong, by counting all patterns of signs. To swap the sides of a pair
// changes the sign of all that its shape says, so one coin decides all of it.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "harness/analysis/gate_tail.hpp"

namespace ridgeline::analysis {
namespace gate_tail_error_rates_test {

using Values = std::vector<double>;

const Values quiet{.31, .4, .52, .17, .66, .23, .45, .29, .37, .58, .12, .48};
const Values bursts{.011, .9, .012, .013, 4.2, .014, .015, 7.5, .016, .017, 2.8, .018};

// The questions, in the order in which they are asked, and what part of a level each may spend.
constexpr std::array<record::Tail, 4> questions{record::Tail::launches, record::Tail::processes,
                                                record::Tail::means, record::Tail::nineties};
constexpr std::array<double, 4> parts{.15, .6, .1, .15};

// How far a pair's sides lie apart, question by question, when the coin is heads.
using Apart = std::array<double, 4>;

// Around half of delta, where the risk is largest. `delta` is so small that the levels alone
// decide.
PairedTimes tossed(const Apart& apart, bool heads, int round, double delta) {
  const auto side = [&](std::size_t question) {
    return heads ? apart[question] : -apart[question];
  };
  const double slow = side(0), process = side(1);
  PairedTimes pair{1, std::exp(delta / 2 + process), round};
  pair.shape.baseline_slow = slow < 0 ? -slow : 0;
  pair.shape.candidate_slow = slow > 0 ? slow : 0;
  pair.shape.baseline_quartile = process < 0 ? -process : 0;
  pair.shape.candidate_quartile = delta / 2 + (process > 0 ? process : 0);
  pair.shape.mean = delta / 2 + side(2);
  pair.shape.ninetieth = delta / 2 + side(3);
  return pair;
}

// Of all tosses, those that show a tail, by question, when the time ends after all pairs.
std::array<double, 4> shown_over_all_signs(const GatePlan& plan, double alpha,
                                           std::span<const Apart> pairs) {
  constexpr double delta = 1e-6;
  std::array<double, 4> shares{};
  for (unsigned signs = 0; signs < 1u << pairs.size(); ++signs) {
    std::vector<PairedTimes> times;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      times.push_back(tossed(pairs[i], (signs >> i & 1u) != 0, static_cast<int>(i), delta));
    const TailDecision decision = decide_tail(plan, alpha, delta, times, true);
    for (std::size_t question = 0; question < questions.size(); ++question)
      if (decision.tail == questions[question])
        shares[question] += std::ldexp(1., -static_cast<int>(pairs.size()));
  }
  return shares;
}

double sum(const std::array<double, 4>& shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.);
}

// Small enough to be counted out; the first look has to carry.
constexpr std::size_t most_pairs = 10;
GatePlan small_tail_plan() {
  GatePlan plan;
  plan.tail_looks = {4, 6, 8, most_pairs};
  plan.tail_share = {.1, .3, .3, .3};
  return plan;
}

TEST(GateTailErrorRates, AreAtMostAlphaExactlyWhateverThePairsAre) {
  const double alpha = .5;
  double most = 0;
  for (const Values& distances : {quiet, bursts}) {
    // All questions see the same sides in front, or some see the other one in every second pair, so
    // that different tosses show them.
    for (const unsigned against : {0u, 0b0101u, 0b0110u, 0b1010u}) {
      std::vector<Apart> pairs(most_pairs);
      for (std::size_t i = 0; i < pairs.size(); ++i)
        for (std::size_t question = 0; question < questions.size(); ++question) {
          const double apart = distances[(i + 3 * question) % distances.size()];
          pairs[i][question] = (against >> question & 1u) != 0 && i % 2 == 0 ? -apart : apart;
        }
      for (std::size_t stop = 1; stop <= pairs.size(); ++stop) {
        SCOPED_TRACE(stop);
        const auto shares = shown_over_all_signs(small_tail_plan(), alpha, {pairs.data(), stop});
        EXPECT_LE(sum(shares), alpha);
        most = std::max(most, sum(shares));
      }
    }
  }
  EXPECT_GE(most, .5 * alpha) << "not for want of trying";
}

TEST(GateTailErrorRates, OfEachQuestionAreAtMostItsPartExactly) {
  const double alpha = .9;
  for (const Values& distances : {quiet, bursts})
    for (std::size_t question = 0; question < questions.size(); ++question) {
      double most = 0;
      for (std::size_t stop = 1; stop <= most_pairs; ++stop) {
        SCOPED_TRACE(testing::Message() << question << ' ' << stop);
        std::vector<Apart> pairs(stop);
        for (std::size_t i = 0; i < stop; ++i) pairs[i][question] = distances[i];
        const auto shares = shown_over_all_signs(small_tail_plan(), alpha, pairs);
        EXPECT_EQ(sum(shares), shares[question]);
        EXPECT_LE(shares[question], parts[question] * alpha);
        most = std::max(most, shares[question]);
      }
      EXPECT_GE(most, .4 * parts[question] * alpha) << question;
    }
}

// The screening rounds without anything, then `look` pairs that show one question's tail, and do
// not some pairs earlier: three of them at the beginning keep the case a suspect.
std::vector<PairedTimes> shown_at(std::size_t question, int look, double delta, int screening) {
  std::vector<PairedTimes> pairs;
  for (int i = 0; i < screening + look; ++i) {
    const int fresh = i - screening;
    const bool slow = fresh >= 0 && (fresh < 3 || fresh >= look - 18);
    PairedTimes pair{1, 1, i};
    // What lies at the tested value counts for neither side. The 90th percentile asks for something
    // in the mean, too little for the mean's own question.
    if (question == 2) pair.shape.mean = delta / 2;
    if (question == 3) pair.shape = {.6 * delta, delta / 2};
    if (slow && question == 0) pair.shape.candidate_slow = .1;
    if (slow && question == 1) {
      pair.candidate_ns = std::exp(.1);
      pair.shape.candidate_quartile = .1;
    }
    if (slow && question == 2) pair.shape.mean = .1;
    if (slow && question == 3) pair.shape.ninetieth = .1;
    pairs.push_back(pair);
  }
  return pairs;
}

TEST(GateTailErrorRates, TheLevelsOfAllLooksAndQuestionsAddUpToAlpha) {
  const double delta = .005;
  for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda})
    // The second is so small that the first look cannot spend it: 2^-19 is more.
    for (const double alpha : {.01, .01 / 400}) {
      const GatePlan plan = plan_for(kind);
      const bool carries = .6 * plan.tail_share[0] * alpha < std::ldexp(1., -19);
      double spent = 0;
      for (std::size_t question = 0; question < questions.size(); ++question) {
        SCOPED_TRACE(testing::Message() << alpha << ' ' << question);
        double of_question = 0;
        for (std::size_t look = carries ? 1 : 0; look < plan.tail_looks.size(); ++look) {
          const int fresh = plan.tail_looks[look] - plan.screening_rounds;
          const auto pairs = shown_at(question, fresh, delta, plan.screening_rounds);
          const TailDecision decision = decide_tail(plan, alpha, delta, pairs, false);
          ASSERT_EQ(decision.tail, questions[question]);
          EXPECT_EQ(static_cast<int>(decision.pairs), plan.tail_looks[look]);
          of_question += decision.level;
          // When the time ends elsewhere, what earlier looks have spent is gone, and nothing more.
          const int stop = fresh + 12;
          const auto later = shown_at(question, stop, delta, plan.screening_rounds);
          if (look + 1 < plan.tail_looks.size()) {
            const TailDecision at_last = decide_tail(plan, alpha, delta, later, true);
            EXPECT_EQ(static_cast<int>(at_last.pairs), plan.tail_looks[look] + 12);
            EXPECT_NEAR(at_last.level + of_question, parts[question] * alpha, 1e-15);
          }
        }
        EXPECT_NEAR(of_question, parts[question] * alpha, 1e-15);
        spent += of_question;
      }
      EXPECT_NEAR(spent, alpha, 1e-15);
    }
}

}  // namespace gate_tail_error_rates_test
}  // namespace ridgeline::analysis
