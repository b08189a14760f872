#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/gate.hpp"
#include "harness/store/write_run.hpp"

/// What a gate writes, beside the processes and measurements of its two runs.
namespace ridgeline::store {

/// Records a gate, whose runs are there already, in this file. Its status starts as running. The
/// runs of a gate that measures ("runs" does not) name it and are of one device.
void begin(Connection& connection, const record::Gate& gate);
/// Records a gate with the runs that it will measure: all of it or nothing.
void begin(Connection& connection, const record::Gate& gate, const record::Run& baseline,
           const record::Run& candidate, const record::Device& device,
           const record::Environment& environment);
/// One pair with the measurements of its two sides, whose medians are its times. A pair with a
/// measurement that something disturbed (invalid_environment) must be dropped.
void add(Connection& connection, std::string_view gate_id, const record::Pair& pair,
         std::int64_t baseline_measurement, std::int64_t candidate_measurement);
/// The verdict on a case; replaces an earlier one. A case that was not compared (failed, missing,
/// new, skipped, without baseline) carries no ratio and no metric; one whose counts were compared
/// carries no times.
void add(Connection& connection, std::string_view gate_id, const record::CaseVerdict& verdict);
/// The same of many, at once.
void add(Connection& connection, std::string_view gate_id,
         const std::vector<record::CaseVerdict>& verdicts);
/// Records a gate of stored runs, with its verdicts and its end: all of it or nothing.
void add(Connection& connection, const record::Gate& gate,
         const std::vector<record::CaseVerdict>& verdicts);
/// Replaces the options of a gate, which is there.
void set_options(Connection& connection, std::string_view gate_id, const std::string& options);
/// Ends the gate, and the runs that it measured.
void finish_gate(Connection& connection, std::string_view gate_id, record::RunStatus status,
                 const std::string& finished);
/// A gate that is not finished, and the runs that it measured, are running again.
void resume_gate(Connection& connection, std::string_view gate_id);

}  // namespace ridgeline::store
