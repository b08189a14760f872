#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "harness/record/case.hpp"
#include "harness/record/gate.hpp"
#include "harness/record/run.hpp"
#include "harness/store/connection.hpp"
#include "harness/store/row.hpp"

namespace ridgeline::store {

/// Of a row with the columns of table run, and uuid of its device.
record::Run read_run(const Row& row);
/// Of a row with the columns of table gate, and uuid of the device of its candidate's run.
record::Gate read_gate(const Row& row);

/// Of a row with the columns of table pair, and baseline_ns and candidate_ns of its measurements.
record::Pair read_pair(const Row& row);

/// Of a row with the columns of table metric.
record::Metric read_metric(const Row& row);

/// What a run or a gate was when it began.
template <class T>
T begun(T record) {
  record.status = record::RunStatus::running;
  record.finished.clear();
  return record;
}

/// Of a row with the columns of table case. Refuses a name that the fields do not make.
record::Case read_case(const Row& row);

/// Of a row with the columns of table device. Refuses a model that cannot name a results file.
record::Device read_device(const Row& row);

/// The cases that a run has measurements of, by their ids in this file.
std::unordered_map<std::int64_t, record::Case> read_cases(Connection& connection,
                                                          std::string_view run_id);

}  // namespace ridgeline::store
