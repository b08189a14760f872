#pragma once

#include <memory>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "harness/worker/program.hpp"
#include "harness/worker/scripted/script.hpp"
#include "harness/worker/transport.hpp"

/// A worker for tests: suite `scripted` on the fake device, where each case behaves or misbehaves
/// as its variant's name says. The variants `counted...` run on a second one, `emulated:fake`,
/// which counts.
namespace ridgeline::worker::scripted {

/// Cases that keep to the protocol, good results and bad, and the names of those that do not.
Program program(const Script& script = {});

/// `outside`, where the cases that break the protocol do so when they are asked for samples or to
/// finish. $RIDGELINE_SCRIPTED_PROTOCOL is the protocol version it claims to speak,
/// $RIDGELINE_SCRIPTED_DELAY_MS how long it takes to say hello, $RIDGELINE_SCRIPTED_PREPARING a
/// file that gets a line with its process id each time it begins to prepare a case.
std::unique_ptr<Transport> faulty(std::unique_ptr<Transport> outside,
                                  std::shared_ptr<Script> script);

/// A variant that breaks the protocol instead of answering `sample`.
struct Fault {
  const char* variant;
  const char* idea;
  void (*strike)(Transport& outside);
};
const std::vector<Fault>& faults();

/// A variant that is measured well and answers `finish` with something else than was measured.
struct Lie {
  const char* variant;
  const char* idea;
  void (*tell)(nlohmann::json& measurement);
};
const std::vector<Lie>& lies();

}  // namespace ridgeline::worker::scripted
