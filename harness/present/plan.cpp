#include "harness/present/plan.hpp"

#include <cstdio>
#include <optional>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/output.hpp"
#include "harness/record/json.hpp"
#include "harness/run/time_estimate.hpp"

namespace ridgeline::present {

namespace {

std::string device_words(const record::Device& device) {
  return fmt::format("device {}: {} ({})", printable(device.id), printable(device.name),
                     printable(device.model));
}

}  // namespace

std::string device_text(const record::Device& device) { return device_words(device) + '\n'; }

std::string best_device_text(const record::Device& device, const std::vector<run::Worker>& asked) {
  std::string text = device_words(device) + ", the best one here\n";
  if (const std::string why = run::why_unavailable(asked, "cuda"); !why.empty())
    text += fmt::format("no GPU: {}\n", printable(why));
  return text;
}

std::string executions_text(const run::Plan& plan) {
  return fmt::format("{} in {}, profile {}, at most {}",
                     units::plural(std::ssize(plan.cases), "case"),
                     units::plural(plan.profile.processes, "process"), plan.profile.name,
                     units::duration(plan.profile.budget_s));
}

std::string doubts_text(const std::vector<std::string>& doubts) {
  std::string text;
  for (const std::string& doubt : doubts) text += fmt::format("before the start: {}\n", doubt);
  return text;
}

int dry_run(const std::filesystem::path& results, const run::Plan& plan,
            const std::string& device_line, bool json, bool quiet) {
  const std::optional<run::TimeEstimate> estimate = run::estimated_time(results, plan);
  if (json) {
    json::Value all{{"dry_run", true},
                    {"device", record::to_json(plan.device)},
                    {"profile", plan.profile.name},
                    {"processes", plan.profile.processes},
                    {"budget_s", plan.profile.budget_s},
                    {"cases", json::list(plan.cases, &run::Selected::name)}};
    if (estimate)
      all["estimate"] = {{"seconds", estimate->seconds}, {"from_cases", estimate->known_cases}};
    print_json(all);
    return fine;
  }
  if (!quiet) say(stdout, device_line);
  for (const run::Selected& each : plan.cases)
    say(stdout, fmt::format("{}{}\n", printable(each.name, 400),
                            each.unavailable.empty()
                                ? ""
                                : fmt::format(" (unavailable: {})", printable(each.unavailable))));
  if (quiet) return fine;
  say(stdout, fmt::format("{}\n", executions_text(plan)));
  if (estimate)
    say(stdout,
        fmt::format("about {}, by what {} of the cases took in earlier runs of this profile\n",
                    units::duration(estimate->seconds), estimate->known_cases));
  else
    say(stdout, fmt::format("no earlier run of this profile says how long they take\n"));
  return fine;
}

}  // namespace ridgeline::present
