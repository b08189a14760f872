#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/record/case.hpp"
#include "harness/record/measurement.hpp"
#include "harness/record/run.hpp"
#include "harness/store/store.hpp"

/// What a run writes while it measures.
namespace ridgeline::store {

/// Records the run with its device and circumstances (both deduplicated). The run's status starts
/// as running. A file holds one device model: a device of another one is refused.
void begin(Connection& connection, const record::Run& run, const record::Device& device,
           const record::Environment& environment);
void finish(Connection& connection, std::string_view run_id, record::RunStatus status,
            const std::string& finished);
/// The run goes on, whatever its status. What it said of its device's measured roofs is gone: they
/// are of all its processes. Throws when there is no such run, or a gate measured or an import made
/// it.
void resume(Connection& connection, std::string_view run_id);
/// Returns the process's id, for its measurements.
std::int64_t add(Connection& connection, const record::Process& process);
/// Returns the measurement's id. Throws a store Error, too, when it has more sites or sources than
/// a measurement may carry. A source's text that the file has already is referred to.
std::int64_t add(Connection& connection, std::int64_t process_id, const record::Case& case_info,
                 const record::Measurement& measurement);
/// More of a stored measurement, which has no metrics of these names.
void add(Connection& connection, std::int64_t measurement_id,
         std::span<const record::Metric> metrics);
/// Roofs of the run's device: measured by this run, or taken from the catalogue. Adding a kind from
/// the same source again replaces its value.
void add(Connection& connection, std::string_view run_id, const record::Roof& roof);

}  // namespace ridgeline::store
