#pragma once

#include "harness/record/run.hpp"
#include "harness/store/row.hpp"

namespace ridgeline::store {

/// Of a row with the columns of table device.
record::Device read_device(const Row& row);

}  // namespace ridgeline::store
