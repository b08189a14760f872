#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/gate/cases.hpp"
#include "harness/gate/request.hpp"
#include "harness/run/workers.hpp"

namespace ridgeline::gate {

/// The workers of both sides, and what people must know of them. Of variants, both are `baseline`.
struct Programs {
  Sides<std::vector<run::Worker>> workers;
  Sides<std::string> names;    // as the user named the sides
  Sides<std::string> commits;  // of refs
  std::vector<std::string> notes;
};

/// Builds what has to be built, and asks all workers. `say` gets lines for people. Throws Errors.
Programs find_programs(const Wanted& wanted, const std::function<void(const std::string&)>& say);

/// Those whose device is the best one, where none is named.
const std::vector<run::Worker>& deciding(const Wanted& wanted, const Programs& programs);

/// The one that is wanted, or the best. Throws an Error unless both sides see the same.
record::Device choose_device(const Wanted& wanted, const Programs& programs);

/// The patterns that are wanted, by device: on each those that choose a case there, and those that
/// do so on none, which choose_cases() refuses. A device for which none of them is has no cases.
std::vector<std::vector<std::string>> patterns_by_device(const Wanted& wanted,
                                                         const Programs& programs,
                                                         std::span<const record::Device> devices,
                                                         const run::Profile& profile);

/// Refer to `programs`, which must outlive them.
GateCases choose_cases(const Wanted& wanted, const Programs& programs, const record::Device& device,
                       const run::Profile& profile, const std::filesystem::path& home);

/// Of the workers of a side's cases, sorted.
std::vector<std::string> code_of(const GateCases& cases, Side side);

/// Whether the case is compared, and both sides are known to execute the same code for it.
bool executes_same_code(const GateCases& cases, const std::string& case_name);

/// Whether all that is compared is of workers of both sides that say the same of their code.
bool is_one_code(const GateCases& cases);

/// Refuses to compare a variant with itself, which can find nothing but false alarms, unless that
/// is what is wanted.
void check_variants(const Wanted& wanted, const GateCases& cases);

}  // namespace ridgeline::gate
