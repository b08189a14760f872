#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/record/run.hpp"
#include "harness/store/connection.hpp"

namespace ridgeline::store {

struct StoredProcess {
  std::int64_t id = 0;
  record::Process process;
};

/// The processes of a run in the order stored, which is that of their ids.
std::vector<StoredProcess> read_processes(Connection& connection, std::string_view run_id);

/// Ids of the measurements of a run in the order stored, which is that of Store::measurements.
std::vector<std::int64_t> measurement_ids(Connection& connection, std::string_view run_id);

}  // namespace ridgeline::store
