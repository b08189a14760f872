#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/library_choice.hpp"
#include "harness/base/json.hpp"
#include "harness/present/collective_case.hpp"
#include "harness/present/collectives.hpp"

/// `ridgeline collectives choices`: a library's own choice beside all that it was told.
namespace ridgeline::present {

struct ToldCollective {
  std::string choice;  // "ring ll128"
  analysis::CaseSummary summary;
};

struct ChosenSize {
  double bytes = 0;
  std::optional<analysis::CaseSummary> own;  // absent where the run does not have the case
  std::vector<ToldCollective> told;          // in the order of their names
  std::optional<analysis::Regret> regret;
};

/// One operation at all sizes at which the library was told something, of the newest run that has
/// such.
struct ChosenCurve {
  std::string run, model;
  CollectiveCase of;  // the first of them
  std::vector<ChosenSize> sizes;
};

/// As find_curves.
std::vector<ChosenCurve> find_choices(const std::filesystem::path& results,
                                      const CurveChoice& choice, const store::LeftOut& left_out);

std::string choices_text(const std::vector<ChosenCurve>& curves, std::size_t width);
json::Value to_json(const ChosenCurve& curve);

}  // namespace ridgeline::present
