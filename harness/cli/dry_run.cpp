#include "harness/cli/dry_run.hpp"

#include <cstdio>
#include <optional>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/json_output.hpp"
#include "harness/record/json.hpp"
#include "harness/run/time_estimate.hpp"

namespace ridgeline::cli {

std::string device_text(const run::Plan& plan, bool chosen) {
  return fmt::format("device {}: {} ({}){}\n", printable(plan.device.id), printable(plan.device.name),
                     printable(plan.device.model), chosen ? "" : ", the best one here");
}

std::string executions_text(const run::Plan& plan) {
  const int processes = plan.profile.processes;
  return fmt::format("{} case{} in {} process{}, profile {}, at most {}", plan.cases.size(),
                     plan.cases.size() == 1 ? "" : "s", processes, processes == 1 ? "" : "es", plan.profile.name,
                     units::duration(plan.profile.budget_s));
}

int dry_run(const Context& context, const run::Plan& plan, bool device_chosen) {
  const std::optional<run::TimeEstimate> estimate = run::estimated_time(context.results, plan);
  if (context.json) {
    json::Value all{{"dry_run", true},
                    {"device", record::to_json(plan.device)},
                    {"profile", plan.profile.name},
                    {"processes", plan.profile.processes},
                    {"budget_s", plan.profile.budget_s},
                    {"cases", json::Value::array()}};
    for (const run::Selected& each : plan.cases) all["cases"].push_back(each.name);
    if (estimate) all["estimate"] = {{"seconds", estimate->seconds}, {"from_cases", estimate->known_cases}};
    present::print_json(all);
    return present::fine;
  }
  if (!context.quiet) fmt::print("{}", device_text(plan, device_chosen));
  for (const run::Selected& each : plan.cases)
    fmt::print("{}{}\n", printable(each.name, 400),
               each.unavailable.empty() ? "" : fmt::format(" (unavailable: {})", printable(each.unavailable)));
  if (context.quiet) return present::fine;
  fmt::print("{}\n", executions_text(plan));
  if (estimate)
    fmt::print("about {}, by what {} of the cases took in earlier runs of this profile\n",
               units::duration(estimate->seconds), estimate->known_cases);
  else
    fmt::print("no earlier run of this profile says how long they take\n");
  return present::fine;
}

}  // namespace ridgeline::cli
