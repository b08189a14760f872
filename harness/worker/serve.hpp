#pragma once

#include "harness/device/facts.hpp"
#include "harness/protocol/messages.hpp"
#include "harness/worker/program.hpp"
#include "harness/worker/transport.hpp"

namespace ridgeline::worker {

/// Answers requests until `bye` or the end of the transport. A request that fails is answered with
/// an error, and the next one is served; devices are touched by `devices` and `prepare` alone.
void serve(const Program& program, Transport& transport);

/// What a device is, as it is stored.
record::Device to_record(const device::Facts& facts);

}  // namespace ridgeline::worker
