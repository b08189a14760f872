#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "ci/studies/simulated_gates/tables.hpp"

namespace ridgeline::analysis::study {
namespace {

struct TailsFound {
  std::int64_t within_40 = 0, within_60 = 0;
};

/// A regression finds it as well.
TailsFound count_found(const std::vector<CaseEnd>& cases) {
  TailsFound found;
  for (const CaseEnd& each : cases) {
    const record::Verdict verdict = each.decision.verdict;
    if (verdict != record::Verdict::tail && verdict != record::Verdict::regression) continue;
    ++found.within_60;
    found.within_40 += each.rounds <= 40 ? 1 : 0;
  }
  return found;
}

}  // namespace

std::string false_tails(Study& study) {
  std::string text;
  add(text,
      "**False tails.** {} suites of 100 cases for each noise and each of two changes: none, and "
      "every case slower by half of delta. 20 samples of a process; delta 0.5% of a GPU, 3% of a "
      "CPU.\n\n",
      study.options().suites);
  add(text,
      "| noise | plan | false tail suites, no change | false tail suites, all slower | false "
      "regression suites, no change | likewise, all slower | suspects, no change | mean rounds of "
      "a case, no change | likewise, all slower |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const Noise& noise : study.noises()) {
    const Suites& same = study.suites(noise, 0, setting_of(noise));
    const Suites& slower = study.suites(noise, 0.5, setting_of(noise));
    add(text, "| {} | {} | {} | {} | {} | {} | {:.1f}% | {:.1f} | {:.1f} |\n", noise.name,
        to_string(noise.device), share(same.false_tails, same.count),
        share(slower.false_tails, slower.count), share(same.false_regressions, same.count),
        share(slower.false_regressions, slower.count), 100 * same.suspects, same.rounds,
        slower.rounds);
  }
  return text;
}

std::string found_tails(Study& study) {
  std::string text;
  add(text,
      "**Tails found** within 40 / within 60 rounds: one such case among 99 without a change, in "
      "{} trials of each kind. A regression counts as found.\n\n| planted in the candidate |",
      study.options().trials);
  for (const Noise& noise : study.noises()) add(text, " {} |", noise.name);
  add(text, "\n|---|");
  for (std::size_t i = 0; i < study.noises().size(); ++i) add(text, "---|");
  for (const Plant& plant : planted_tails()) {
    add(text, "\n| {} |", plant.name);
    for (const Noise& noise : study.noises()) {
      if (plant.slow_mode != 1 && !noise.has_modes()) {
        add(text, " - |");
        continue;
      }
      const std::size_t trials = study.options().trials;
      const TailsFound found = count_found(study.planted(noise, plant, setting_of(noise), trials));
      add(text, " {} / {} |", rate(found.within_40, trials), rate(found.within_60, trials));
    }
  }
  add(text, "\n");
  return text;
}

std::string screenings(Study& study) {
  std::string text;
  add(text,
      "**How many rounds choose the suspects.** The same suites and trials with 6, 8, 10 and 12 "
      "screening rounds, {} suites and {} trials of each kind; what is found is found within 60 "
      "rounds. Noise with two modes is left out, whose gates are long.\n\n",
      study.options().suites, study.options().trials);
  add(text,
      "| noise | screening rounds | false tail suites, no change | likewise, all slower by "
      "half of delta | suspects, no change | mean rounds of a case |");
  std::vector<Plant> plants = planted_tails();
  plants.resize(6);
  for (const Plant& plant : plants) add(text, " {} |", plant.name);
  add(text, "\n|---|---|---|---|---|---|");
  for (std::size_t i = 0; i < plants.size(); ++i) add(text, "---|");
  for (const Noise& noise : study.noises()) {
    if (noise.has_modes()) continue;
    for (const int rounds : {6, 8, 10, 12}) {
      const Setting setting = setting_of(noise, rounds);
      const Suites& same = study.suites(noise, 0, setting);
      const Suites& slower = study.suites(noise, 0.5, setting);
      add(text, "\n| {} | {} | {} | {} | {:.1f}% | {:.1f} |", noise.name, rounds,
          share(same.false_tails, same.count), share(slower.false_tails, slower.count),
          100 * same.suspects, same.rounds);
      for (const Plant& plant : plants) {
        const std::size_t trials = study.options().trials;
        add(text, " {} |",
            rate(count_found(study.planted(noise, plant, setting, trials)).within_60, trials));
      }
    }
  }
  add(text, "\n");
  return text;
}

}  // namespace ridgeline::analysis::study
