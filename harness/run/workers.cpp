#include "harness/run/workers.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <memory>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/stored_side.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/process/home.hpp"
#include "harness/process/worker_process.hpp"
#include "harness/run/worker_file.hpp"

namespace ridgeline::run {
namespace {

/// Programs that belong to Ridgeline. Suites of those that not every build has are named here, so
/// that they can be called unavailable without them; the names are the beginnings of their cases'
/// names.
struct Known {
  const char* name;
  const char* built_with;  // what a build leaves it out without; empty when every build has it
  std::optional<DeviceKind> own_kind;  // as Worker has it
  std::vector<record::Case> suites;
};

std::vector<Known> known_workers() {
  const auto suite = [](const char* variant, DeviceKind kind) {
    record::Case whole;
    whole.id = {"collectives", variant, "f32", {}, {}};
    whole.device_kind = kind;
    return whole;
  };
  return {{"ridgeline-suites", "", {}, {}},
          {"ridgeline-collectives",
           "MPI",
           {},
           {suite("mpi", DeviceKind::cpu), suite("nccl", DeviceKind::cuda)}},
          {"ridgeline-emulated", "nvcc", DeviceKind::emulated, {}}};
}

bool is_unknown(const std::string& worker) {
  return std::ranges::none_of(known_workers(),
                              [&](const Known& known) { return known.name == worker; });
}

/// Of a worker that not every build has; absent for any other.
std::optional<Known> known_optional(const std::string& worker) {
  for (const Known& known : known_workers())
    if (known.name == worker && *known.built_with != '\0') return known;
  return std::nullopt;
}

template <class Answer>
Answer answered(std::variant<Answer, protocol::Failure> answer) {
  if (const auto* failure = std::get_if<protocol::Failure>(&answer))
    throw Error(ErrorKind::dependency, failure->message, failure->advice);
  return std::get<Answer>(std::move(answer));
}

/// A case that says nothing of caches would be cold by its name.
void name_hot(Worker& worker, record::Case& info) {
  if (!record::option(info.id, "cache", "").empty()) return;
  const std::string own = record::name(info.id);
  info.id.options.push_back({"cache", "hot"});
  worker.own_names[{info.device_kind, record::name(info.id)}] = own;
}

void ask(Worker& worker, process::WorkerProcess& process, Ask what) {
  const process::Deadline deadline = process::after(process::start_s);
  worker.hello = process.greet(deadline);
  worker.code = program_code(worker.hello.build, worker.program);
  if (what != Ask::devices) {
    auto listed = answered(process.ask<protocol::Cases>(protocol::ListRequest{}, deadline));
    for (protocol::ListedCase& each : listed.cases) {
      if (worker.hello.features.contains(protocol::Feature::hot)) name_hot(worker, each);
      if (!each.code.empty())
        worker.case_codes[{each.device_kind, record::name(each.id)}] = std::move(each.code);
      worker.cases.push_back(std::move(each));
    }
    worker.suites = std::move(listed.suites);
  }
  if (what != Ask::cases)
    worker.devices = answered(process.ask<protocol::Devices>(protocol::DevicesRequest{}, deadline));
  process.kill();  // it holds nothing yet, and a polite end takes longer
}

Worker worker_named(const std::string& text) {
  WorkerFile found = find_worker(text);
  Worker worker{found.file.filename().string(), found.file, {}, {}, {}, {}};
  worker.command = std::move(found.command);
  return worker;
}

std::vector<Worker> find_workers(const std::vector<std::string>& named) {
  std::vector<Worker> workers;
  for (const Known& known : known_workers()) {
    workers.push_back({known.name, process::find_program(known.name), {}, {}, {}, {}});
    workers.back().own_kind = known.own_kind;
  }
  for (const std::string& text : named) {
    const Worker wanted = worker_named(text);
    const auto same = std::ranges::find(workers, wanted.name, &Worker::name);
    if (same == workers.end()) {
      workers.push_back(wanted);
      continue;
    }
    same->program = wanted.program;
    same->command = wanted.command;
  }
  for (Worker& worker : workers) worker.of_others = is_unknown(worker.name);
  return workers;
}

/// Does `action`; a failure makes a worker that not every build has unavailable, and ends the
/// command for any other.
void attempt(Worker& worker, const std::function<void()>& action) {
  try {
    action();
  } catch (const std::runtime_error& failure) {
    const auto* error = dynamic_cast<const Error*>(&failure);
    const auto* lost = dynamic_cast<const process::WorkerLost*>(&failure);
    const std::string advice =
        error ? error->advice()
        : lost && lost->outcome() == record::Outcome::timeout
            ? fmt::format("it has {:g} s to start and to list its cases", process::start_s)
            : "";
    const std::optional<Known> known = known_optional(worker.name);
    if (!known)
      throw Error(
          error && error->kind() == ErrorKind::usage ? ErrorKind::usage : ErrorKind::dependency,
          fmt::format("worker {}: {}", worker.name, failure.what()), advice);
    worker.unavailable = failure.what();
    worker.advice = advice;
    worker.cases = known->suites;
  }
}

std::string how_to_have(const std::string& worker) {
  if (const std::optional<Known> known = known_optional(worker))
    return fmt::format("a build without {} leaves it out; build with {}, or name {} with --worker",
                       known->built_with, known->built_with, worker);
  return "build it, or name a worker with --worker";
}

std::vector<Worker> ask_all(std::vector<Worker> workers, Ask what) {
  std::vector<std::unique_ptr<process::WorkerProcess>> processes(workers.size());
  // All are started before the first is waited for: most of their start is loading libraries.
  for (std::size_t i = 0; i < workers.size(); ++i)
    attempt(workers[i], [&] {
      if (workers[i].program.empty())
        throw Error(ErrorKind::dependency,
                    fmt::format("{} not found beside ridgeline or on the PATH", workers[i].name),
                    how_to_have(workers[i].name));
      processes[i] = std::make_unique<process::WorkerProcess>(command_of(workers[i]));
    });
  for (std::size_t i = 0; i < workers.size(); ++i)
    if (processes[i]) attempt(workers[i], [&] { ask(workers[i], *processes[i], what); });
  return workers;
}

}  // namespace

std::string program_code(const record::Build& build, const std::filesystem::path& program) {
  if (analysis::is_known_code(build.code_hash)) return build.code_hash;
  std::ifstream file(program, std::ios::binary);
  std::uint64_t hash = fnv1a("");
  std::array<char, 65536> block;
  while (file.read(block.data(), block.size()), file.gcount() > 0)
    hash = fnv1a({block.data(), static_cast<std::size_t>(file.gcount())}, hash);
  if (!file.eof())
    throw Error(ErrorKind::dependency,
                fmt::format("cannot read the program {}", printable(program.string())));
  return fmt::format("file {:016x}", hash);
}

std::vector<Worker> ask_workers(const std::vector<std::string>& named, Ask what) {
  return ask_all(find_workers(named), what);
}

std::vector<Worker> ask_only(const std::vector<std::string>& programs, Ask what) {
  std::vector<Worker> workers;
  for (const std::string& program : programs) {
    workers.push_back(worker_named(program));
    workers.back().of_others = is_unknown(workers.back().name);
  }
  return ask_all(std::move(workers), what);
}

const Worker* missing_for(const std::vector<Worker>& workers, std::string_view device) {
  const auto kind = parse<DeviceKind>(device.substr(0, device.find(':')));
  if (!kind) return nullptr;
  const auto serves = [&](const Worker& worker) {
    return std::ranges::any_of(
               worker.cases, [&](const record::Case& info) { return info.device_kind == kind; }) ||
           std::ranges::any_of(worker.devices.devices,
                               [&](const auto& device) { return device.kind == kind; });
  };
  if (std::ranges::any_of(workers, serves)) return nullptr;
  const auto missing = std::ranges::find_if(workers, [&](const Worker& worker) {
    return !worker.unavailable.empty() && worker.own_kind == kind;
  });
  return missing == workers.end() ? nullptr : &*missing;
}

std::vector<record::Device> devices_of(const std::vector<Worker>& workers) {
  std::vector<record::Device> devices;
  for (const Worker& worker : workers)
    for (const record::Device& device : worker.devices.devices)
      if (std::ranges::find(devices, device.id, &record::Device::id) == devices.end())
        devices.push_back(device);
  const auto rank = [](const record::Device& device) {
    return device.kind == DeviceKind::cuda       ? 0
           : device.kind == DeviceKind::cpu      ? 1
           : device.kind == DeviceKind::emulated ? 3
                                                 : 2;
  };
  std::ranges::stable_sort(devices, {}, rank);
  return devices;
}

std::string why_unavailable(const std::vector<Worker>& workers, std::string_view kind) {
  std::string why;
  for (const Worker& worker : workers) {
    for (const record::Device& device : worker.devices.devices)
      if (to_string(device.kind) == kind) return {};
    for (const protocol::UnavailableKind& missing : worker.devices.unavailable)
      if (kind == missing.kind && why.empty()) why = missing.reason;
  }
  return why;
}

record::Device choose_device(const std::vector<Worker>& workers, const std::string& id) {
  const std::vector<record::Device> devices = devices_of(workers);
  if (devices.empty()) throw Error(ErrorKind::dependency, "the workers found no device");
  if (id.empty()) {
    const record::Device& best = devices.front();
    if (best.kind != DeviceKind::emulated && best.kind != DeviceKind::fake) return best;
    throw Error(ErrorKind::dependency, "the workers found no device that has times",
                fmt::format("--device {} {}", printable(best.id),
                            best.kind == DeviceKind::fake ? "has times from a script"
                                                          : "counts what kernels do"));
  }
  std::vector<std::string> names;
  for (const record::Device& device : devices) {
    if (device.id == id) return device;
    names.push_back(fmt::format("{} ({})", printable(device.id), printable(device.name)));
  }
  const std::string kind = id.substr(0, id.find(':'));
  if (const Worker* missing = missing_for(workers, kind))
    throw Error(ErrorKind::dependency,
                fmt::format("there is no device {} here: {}", printable(id),
                            printable(missing->unavailable, 1000)),
                missing->advice);
  std::string reason = why_unavailable(workers, kind);
  if (!reason.empty())
    reason = fmt::format("; {} is unavailable: {}", printable(kind), printable(reason));
  throw Error(ErrorKind::usage, fmt::format("there is no device {} here{}", printable(id), reason),
              fmt::format("there is {}", fmt::join(names, ", ")));
}

}  // namespace ridgeline::run
