#include "harness/worker/check/unset_variables.hpp"

#include <string>

#include <fmt/core.h>

#include "harness/emulated/program_texts.hpp"
#include "harness/emulated/results_digest.hpp"

namespace ridgeline::worker {

void add_unset_variables(json::Value& report, double accesses) {
  const auto variables = emulated::unset_variable_texts();
  if (variables.empty() || accesses > most_repeated_accesses) return;
  json::Value& unset = report["unset_variables"] = json::Value::array();
  for (const std::string_view variable : variables) unset.push_back(std::string(variable));
  report["results_digest"] = fmt::format("{:016x}", emulated::ResultsDigest::value());
}

}  // namespace ridgeline::worker
