#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/nightly_series.hpp"

/// Facts of a machine that are others behind a change than before it, and whether they explain it.
namespace ridgeline::analysis {

/// Whether a recorded fact is by its name a reading, such as a load or a temperature at rest, and
/// no setting.
bool is_reading(const std::string& key);

/// How many nights before a change say what a fact of theirs explains. The nights before a change
/// do not alter, so that it is told the same way years later.
inline constexpr std::size_t past_nights = 30;

/// A change of times as it was known on the night that told it. Causes go by that, so that they
/// stay as they were told, whatever the nights behind it are like.
struct KnownChange {
  std::size_t night = 0;         // the first of the new level
  double before = 0, after = 0;  // the levels, in ns
  std::size_t nights = 0;        // of the new level that there were
};

/// A fact that switched with a change.
struct SwitchedFact {
  std::string key;
  std::optional<std::string> before, after;  // absent where it was not recorded
  std::string words;                         // "driver 580.1 -> 580.2"
  // The times of the series went by it on the nights before: the case itself says that the fact
  // has to do with it.
  bool told_apart = false;
};

/// The runs of a night that a series may have its value from: those of its environment, or all for
/// a series of counts, which has no `times`.
std::vector<const store::StoredRun*> runs_of(const NightlyDevice& device, const NightlyTimes* times,
                                             std::size_t night);

/// The nights before a change, each with the run that came last, oldest first.
struct Past {
  std::vector<const store::StoredRun*> runs;
  std::vector<std::optional<bool>> there;  // whether the series' time was nearer to the new level
};

/// How many of the nights that a series has lie before `night`.
std::size_t count_before(const NightlyTimes& times, std::size_t night);

/// The `past_nights` of the series up to night `before`.
Past past_of(const NightlyDevice& device, const NightlyTimes* times, std::size_t before,
             const std::optional<KnownChange>& known);

/// Libraries are those that workers load when they start.
enum class FactsOf { machine, libraries };

/// Those of `facts` that differ between two runs and may explain a change: see changes_between.
std::vector<SwitchedFact> switched_facts(const Past& past, const store::StoredRun& before,
                                         const store::StoredRun& after,
                                         record::Facts record::Environment::*facts, FactsOf of);

/// On which side of a change a night is by its facts.
enum class FactSide { before, after, neither };
/// By the last run of a night that the series may have its value from: `after` when all `facts` are
/// as behind the change, `before` when they are as before it.
FactSide side_of(const NightlyDevice& device, const NightlyTimes* times, std::size_t night,
                 const std::vector<SwitchedFact>& facts);

}  // namespace ridgeline::analysis
