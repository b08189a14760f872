#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/process/worker_process.hpp"
#include "harness/protocol/messages.hpp"
#include "harness/record/case.hpp"
#include "harness/record/run.hpp"

namespace ridgeline::run {

/// A worker program and what it says of itself.
struct Worker {
  std::string name;               // of the file
  std::filesystem::path program;  // whose code it is; empty when it was not found
  std::string unavailable;        // why it cannot be used; empty when it can
  protocol::Hello hello;
  std::vector<record::Case> cases;        // of all kinds of device; one per suite and kind when the
                                          // worker is unavailable
  protocol::Devices devices;              // empty unless asked for
  std::string code{};                     // as program_code has it; empty when it is unavailable
  std::string advice{};                   // what to do when it is unavailable
  std::vector<protocol::Suite> suites{};  // that say what they ask
  // What the worker says of the code of its cases, by kind of device and name; of those of which it
  // says something.
  std::map<std::pair<DeviceKind, std::string>, std::string> case_codes{};
  // What it calls the cases that have another name here, likewise by kind and name.
  std::map<std::pair<DeviceKind, std::string>, std::string> own_names{};
  std::optional<DeviceKind> own_kind{};  // the kind of device that no other of Ridgeline's workers
                                         // serves, if there is one
  process::Launcher launcher{};          // of its ranks, when it has any
  process::WorkerCommand command{};      // by which it is started; the program alone when empty
  bool of_others = false;  // not one of Ridgeline's: profiles need not know its suites
};

/// How the worker is started.
inline process::WorkerCommand command_of(const Worker& worker) {
  return worker.command.program.empty() ? process::WorkerCommand(worker.program) : worker.command;
}

/// What tells the code of a worker apart from that of another: its code hash; of one that cannot
/// tell it, a hash of the program's file, which knows nothing of what the program loads. Throws a
/// dependency Error when that cannot be read.
std::string program_code(const record::Build& build, const std::filesystem::path& program);

enum class Ask { cases, devices, cases_and_devices };

/// Finds Ridgeline's workers, replaces or adds those in `named` (as worker_file.hpp reads them),
/// and asks each. A worker that not every build has is returned as unavailable with the reason; any
/// other that is missing or cannot talk throws a dependency Error.
std::vector<Worker> ask_workers(const std::vector<std::string>& named, Ask what);

/// Asks these programs and no others; failures as of ask_workers.
std::vector<Worker> ask_only(const std::vector<std::string>& programs, Ask what);

/// The unavailable worker without which there is no device of the kind of `device` ("cuda",
/// "cuda:0"), or null: also when another worker serves it.
const Worker* missing_for(const std::vector<Worker>& workers, std::string_view device);

/// Devices of all workers, each once, best first: GPUs, the CPU, whatever else has times, and last
/// what is emulated.
std::vector<record::Device> devices_of(const std::vector<Worker>& workers);

/// Why there is no device of this kind ("cuda"), as the first worker says that has none; empty
/// where there is one, and where no worker says why. Not yet fit to be printed.
std::string why_unavailable(const std::vector<Worker>& workers, std::string_view kind);

/// The device called `id`, or the best one when `id` is empty, which is never an emulated one.
/// Throws an Error that lists what there is; a dependency Error when it is of a worker that is
/// missing.
record::Device choose_device(const std::vector<Worker>& workers, const std::string& id);

}  // namespace ridgeline::run
