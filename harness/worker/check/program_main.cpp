#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/emulated/block.hpp"
#include "harness/emulated/program/latest_launch.hpp"
#include "harness/emulated/program/managed_memory.hpp"
#include "harness/emulated/program/session.hpp"
#include "harness/emulated/program_symbols.hpp"
#include "harness/emulated/settings.hpp"
#include "harness/measure/count.hpp"
#include "harness/record/json.hpp"
#include "harness/worker/check/endings.hpp"
#include "harness/worker/check/told_check.hpp"
#include "harness/worker/check/unset_variables.hpp"

// The program around one that has a main() of its own: PROGRAM DEVICE [--report FILE] [--text FILE]
// [--limit ACCESSES] [-- ARGUMENTS...]. The files get what it found, as JSON and for people. Exit
// codes: 0 nothing wrong was found, 2 something was, or the program ended with another code than 0,
// 3 it was stopped at its limit or interrupted, 64 usage, 69 no such device.

/// The user's main(), as the rewriter calls it.
extern "C" int ridgeline_run_program(int count, char** arguments);

namespace ridgeline {
namespace {

std::string device_name, report_file, text_file;
program::Session* session = nullptr;
std::string interrupted;  // where the program was, when it was asked to end
bool has_arguments = false;

/// What stopped the program before its end, if anything did.
const std::string& stopped() {
  return session->out_of_budget().empty() ? interrupted : session->out_of_budget();
}

record::Measurement measured(int code) {
  record::Measurement measurement;
  measurement.case_name = "check";
  const auto& found = session->found();
  const auto unsupported = std::ranges::find(found, "unsupported", &program::Found::check);
  if (unsupported != found.end()) {
    measurement.outcome = record::Outcome::unsupported;
    measurement.reason = session->text_of(*unsupported);
  } else if (!found.empty()) {
    measurement.outcome = record::Outcome::wrong_result;
    measurement.reason = session->text_of(found.front());
  } else if (!stopped().empty()) {
    measurement.outcome = record::Outcome::timeout;
    measurement.reason = stopped();
  } else if (code != 0) {
    measurement.outcome = record::Outcome::wrong_result;
    measurement.reason = fmt::format("the program ended with code {}", code);
  } else {
    measurement.outcome = record::Outcome::counted;
  }
  if (measurement.outcome == record::Outcome::counted)
    measure::add_counts(session->device().take_counts(), "/", measurement);
  return measurement;
}

json::Value varying_accesses() {
  json::Value list = json::Value::array();
  const auto to_json = [](const program::VaryingAccess::Of& of) {
    return json::Value{{"launch", of.launch}, {"sizes", of.sizes}, {"per_request", of.per_request}};
  };
  for (const program::VaryingAccess& each : session->launch_counts().varying())
    list.push_back({{"kernel", each.kernel},
                    {"file", each.file},
                    {"line", each.line},
                    {"access", each.access},
                    {"lane_bytes", each.lane_bytes},
                    {"unit", each.unit},
                    {"launches", each.launches},
                    {"most", to_json(each.most)},
                    {"least", to_json(each.least)}});
  return list;
}

json::Value to_json(const record::Measurement& measurement, int code) {
  json::Value all = record::to_json(measurement);
  json::Value list = json::Value::array();
  for (const program::Found& each : session->found()) {
    json::Value one{{"check", each.check}, {"text", session->text_of(each)}, {"count", each.count}};
    if (each.accesses > 1) one["accesses"] = each.accesses;
    if (!each.kernel.empty()) one["kernel"] = each.kernel;
    if (each.launches != 0) {
      one["launches"] = each.launches;
      one["worst_launch"] = each.worst_launch;
    }
    if (!each.file.empty()) {
      one["file"] = each.file;
      one["line"] = each.line;
    }
    list.push_back(std::move(one));
  }
  all["findings"] = std::move(list);
  all["notes"] = json::Value::array();
  for (const std::string& note : session->notes()) all["notes"].push_back(note);
  if (measurement.outcome == record::Outcome::counted) {
    for (const auto& allocation : session->allocations)
      program::Session::look_at_results(allocation);
    all["varying_accesses"] = varying_accesses();
    worker::add_unset_variables(all, static_cast<double>(session->accesses()));
  }
  all["exit_code"] = code;
  all["launches"] = session->launches();
  all["accesses"] = session->accesses();
  return all;
}

std::string text_of(const record::Measurement& measurement) {
  const auto& found = session->found();
  std::string text = fmt::format("\n{}: ", device_name);
  if (measurement.outcome == record::Outcome::counted && session->launches() == 0)
    text += "no kernel was launched, so none was checked";
  else if (measurement.outcome == record::Outcome::counted)
    text += fmt::format("nothing wrong was found in {} launches", session->launches());
  else if (found.empty())
    text += measurement.reason;
  else
    text += fmt::format("{} in {} launches",
                        found.size() == 1 ? "1 mistake" : fmt::format("{} mistakes", found.size()),
                        session->launches());
  text += '\n';
  for (const program::Found& each : found) text += fmt::format("  {}\n", session->text_of(each));
  if (!found.empty() && !stopped().empty()) text += fmt::format("  {}\n", stopped());
  for (const std::string& note : session->notes()) text += fmt::format("note: {}\n", note);
  if (!measurement.sites.empty()) text += '\n' + worker::counts_text(measurement);
  if (measurement.outcome == record::Outcome::counted)
    if (const std::string told = text_of(session->launch_counts().varying()); !told.empty())
      text += "\nlaunches of one kernel differ:\n" + told;
  return text;
}

[[noreturn]] void end_with(const Error& error) {
  fmt::print(stderr, "ridgeline check: {}\n", error.what());
  if (!error.advice().empty()) fmt::print(stderr, "  {}\n", error.advice());
  std::fflush(nullptr);
  ::_exit(error.exit_code());
}

/// Ends the process where the files cannot be written.
record::Measurement report(int code) {
  program::open_managed_memory();
  record::Measurement measurement = measured(code);
  try {
    worker::write_told(text_file, text_of(measurement));
    worker::write_told(report_file, to_json(measurement, code).dump() + '\n');
  } catch (const Error& error) {
    end_with(error);
  }
  return measurement;
}

std::string size_text(const dim3& size) {
  return size.y == 1 && size.z == 1 ? fmt::format("{}", size.x)
                                    : fmt::format("({}, {}, {})", size.x, size.y, size.z);
}

/// "launch 3, work<<<(2, 2), 64>>>".
std::string launch_text() {
  const program::LatestLaunch& launch = program::latest_launch();
  return fmt::format("launch {}, {}<<<{}, {}>>>", session->launches() + (launch.runs ? 1 : 0),
                     emulated::function_name(launch.kernel), size_text(launch.grid),
                     size_text(launch.block));
}

/// In a kernel, or in host code, at `line`.
std::string place_of(const emulated::SourceLine& line, bool in_kernel) {
  const program::LatestLaunch& launch = program::latest_launch();
  if (launch.runs) {
    if (!in_kernel) return "in " + launch_text();
    const uint3 at = emulated::Block::current().index();
    return fmt::format("in {}: it had come to block ({}, {}, {})", launch_text(), at.x, at.y, at.z);
  }
  return fmt::format("in host code{}, {}",
                     line.file.empty() ? "" : fmt::format(" at {}:{}", line.file, line.line),
                     launch.kernel == 0 ? "before the first launch" : "behind " + launch_text());
}

/// Reports; returns the exit code of that.
int told(int code) {
  const record::Outcome outcome = report(code).outcome;
  return outcome == record::Outcome::counted ? 0 : outcome == record::Outcome::timeout ? 3 : 2;
}

/// Reports, and ends the process. One that the program has forked ends with its own code, and
/// without a word: it is not what is checked.
[[noreturn]] void finish(int code) {
  if (!worker::is_forked()) {
    worker::begin_report();
    code = told(code);
  }
  std::cout.flush();
  std::fflush(nullptr);
  ::_exit(code);
}

/// A program that a signal ends, wherever it is.
int end_by(const worker::Ending& ending) {
  const auto [pc, line] = ending.users_place();
  if (ending.was_asked()) {
    interrupted = "interrupted " + place_of(line, ending.in_kernel);
    return told(1);
  }
  std::string detail = ending.text();
  if (ending.address)
    detail += fmt::format(" at {}", session->machine().memory().describe(*ending.address));
  detail += ", " + place_of({}, ending.in_kernel);
  if (!has_arguments && program::latest_launch().kernel == 0)
    detail += ". It was given no arguments: those of main() stand behind --";
  session->host_mistake("crash", pc, detail);
  return told(1);
}

[[noreturn]] void run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw Error(ErrorKind::usage, "no device is named");
  device_name = arguments[0];
  report_file = worker::value_of(arguments, "--report");
  text_file = worker::value_of(arguments, "--text");
  std::uint64_t limit = 0;
  const std::string limited = worker::value_of(arguments, "--limit");
  std::from_chars(limited.data(), limited.data() + limited.size(), limit);
  // Whoever ends the program, what it has printed is seen.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  // One block at a time, so that nothing depends on how many cores there are.
  emulated::settings_of_new_devices() = {.workers = 1};
  static const std::unique_ptr<device::Device> device = device::open(device_name);
  if (device->facts().kind != device::Kind::emulated)
    throw Error(ErrorKind::usage, device_name + " does not check kernels",
                "there are emulated:sm_90 and emulated:sm_80");
  static program::Session here(*device, limit);
  session = &here;
  here.end_program = [](int code) { finish(code); };
  worker::watch_endings(text_file, end_by);
  // What the rewriter does not see may call exit(), too.
  ::on_exit([](int code, void*) { finish(code); }, nullptr);
  static std::vector<std::string> words{"program"};
  const auto dashes = std::ranges::find(arguments, "--");
  has_arguments = dashes != arguments.end() && std::next(dashes) != arguments.end();
  if (has_arguments) words.insert(words.end(), std::next(dashes), arguments.end());
  static std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  try {
    finish(ridgeline_run_program(static_cast<int>(words.size()), pointers.data()));
  } catch (const std::exception& error) {
    here.host_mistake("exception", 0, fmt::format("the program threw: {}", error.what()));
    finish(1);
  }
}

}  // namespace
}  // namespace ridgeline

int main(int argc, char** argv) {
  try {
    ridgeline::run({argv + 1, argv + argc});
  } catch (const ridgeline::Error& error) {
    ridgeline::end_with(error);
  }
}
