#pragma once

#include <string>

#include "harness/base/json.hpp"
#include "harness/present/terminal.hpp"
#include "harness/record/run.hpp"
#include "harness/run/fitness.hpp"

/// `ridgeline doctor`: whether a machine is fit to measure.
namespace ridgeline::present {

struct Diagnosis {
  record::Device device;
  run::Findings findings;
};

/// What stands out first, with why it matters and what to do, then what is fine, a line each.
std::string diagnosis_text(const Diagnosis& diagnosis, const Look& look);

/// Every finding, in the order in which they were looked at.
json::Value to_json(const Diagnosis& diagnosis);

/// undecided when the machine is not fit, or, when `strict`, when anything is not fine; else fine.
int exit_code(const Diagnosis& diagnosis, bool strict);

}  // namespace ridgeline::present
