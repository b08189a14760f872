#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "harness/analysis/annotated_listing.hpp"
#include "harness/base/error.hpp"
#include "harness/emulated/program/managed_memory.hpp"
#include "harness/emulated/program/session.hpp"
#include "harness/emulated/settings.hpp"
#include "harness/measure/count.hpp"
#include "harness/record/json.hpp"
#include "harness/worker/check/unset_variables.hpp"

// The program around one that has a main() of its own: PROGRAM DEVICE [--report FILE] [--text FILE]
// [--limit ACCESSES] [-- ARGUMENTS...]. The files get what it found, as JSON and for people. Exit
// codes: 0 nothing wrong was found, 2 something was, or
// the program ended with another code than 0, 3 it was stopped at its limit, 64 usage, 69 no such
// device.

/// The user's main(), as the rewriter calls it.
extern "C" int ridgeline_run_program(int count, char** arguments);

namespace ridgeline {
namespace {

std::string device_name, report_file, text_file;
program::Session* session = nullptr;

record::Measurement measured(int code) {
  record::Measurement measurement;
  measurement.case_name = "check";
  const auto& found = session->found();
  const auto unsupported = std::ranges::find(found, "unsupported", &program::Found::check);
  if (unsupported != found.end()) {
    measurement.outcome = record::Outcome::unsupported;
    measurement.reason = unsupported->text;
  } else if (!found.empty()) {
    measurement.outcome = record::Outcome::wrong_result;
    measurement.reason = found.front().text;
  } else if (!session->out_of_budget().empty()) {
    measurement.outcome = record::Outcome::timeout;
    measurement.reason = session->out_of_budget();
  } else if (code != 0) {
    measurement.outcome = record::Outcome::wrong_result;
    measurement.reason = fmt::format("the program ended with code {}", code);
  } else {
    measurement.outcome = record::Outcome::counted;
  }
  const device::Counts counts = session->device().take_counts();
  if (measurement.outcome != record::Outcome::counted) return measurement;
  measure::add_counts(counts, "/", measurement);
  return measurement;
}

json::Value to_json(const record::Measurement& measurement, int code) {
  json::Value all = record::to_json(measurement);
  json::Value list = json::Value::array();
  for (const program::Found& each : session->found()) {
    json::Value one{{"check", each.check}, {"text", each.text}, {"count", each.count}};
    if (each.accesses > 1) one["accesses"] = each.accesses;
    if (!each.kernel.empty()) one["kernel"] = each.kernel;
    if (!each.file.empty()) {
      one["file"] = each.file;
      one["line"] = each.line;
    }
    list.push_back(std::move(one));
  }
  all["findings"] = std::move(list);
  all["notes"] = json::Value::array();
  for (const std::string& note : session->notes()) all["notes"].push_back(note);
  for (const auto& allocation : session->allocations) program::Session::look_at_results(allocation);
  worker::add_unset_variables(all, static_cast<double>(session->accesses()));
  all["exit_code"] = code;
  all["launches"] = session->launches();
  all["accesses"] = session->accesses();
  return all;
}

void print(std::FILE* to, const record::Measurement& measurement) {
  const auto& found = session->found();
  fmt::print(to, "\n");
  if (measurement.outcome == record::Outcome::counted && session->launches() == 0)
    fmt::print(to, "{}: no kernel was launched, so none was checked\n", device_name);
  else if (measurement.outcome == record::Outcome::counted)
    fmt::print(to, "{}: nothing wrong was found in {} launches\n", device_name,
               session->launches());
  else if (found.empty())
    fmt::print(to, "{}: {}\n", device_name, measurement.reason);
  else
    fmt::print(to, "{}: {} in {} launches\n", device_name,
               found.size() == 1 ? "1 mistake" : fmt::format("{} mistakes", found.size()),
               session->launches());
  for (const program::Found& each : found) fmt::print(to, "  {}\n", each.text);
  if (!found.empty() && !session->out_of_budget().empty())
    fmt::print(to, "  {}\n", session->out_of_budget());
  for (const std::string& note : session->notes()) fmt::print(to, "note: {}\n", note);
  if (measurement.sites.empty()) return;
  fmt::print(to, "\n");
  for (const record::Metric& metric : measurement.metrics)
    fmt::print(to, "{:<34}{:>16}{}\n", metric.name, fmt::format("{:.10g}", metric.value),
               metric.unit == "1" ? "" : " " + metric.unit);
  fmt::print(to, "\n");
  for (const std::string& line :
       analysis::annotated_listing(measurement.sites, measurement.sources))
    fmt::print(to, "{}\n", line);
}

/// Reports, and ends the process.
[[noreturn]] void finish(int code) {
  static bool ends = false;
  if (std::exchange(ends, true)) ::_exit(70);
  std::cout.flush();
  std::fflush(nullptr);
  program::open_managed_memory();
  const record::Measurement measurement = measured(code);
  if (std::FILE* const text = text_file.empty() ? nullptr : std::fopen(text_file.c_str(), "w")) {
    print(text, measurement);
    std::fclose(text);
  }
  if (!report_file.empty()) std::ofstream(report_file) << to_json(measurement, code).dump() << '\n';
  std::fflush(nullptr);
  ::_exit(measurement.outcome == record::Outcome::counted   ? 0
          : measurement.outcome == record::Outcome::timeout ? 3
                                                            : 2);
}

[[noreturn]] void run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw Error(ErrorKind::usage, "no device is named");
  device_name = arguments[0];
  std::uint64_t limit = 0;
  std::size_t at = 1;
  for (; at < arguments.size() && arguments[at] != "--"; ++at) {
    if (arguments[at] == "--report" && at + 1 < arguments.size()) report_file = arguments[++at];
    if (arguments[at] == "--text" && at + 1 < arguments.size()) text_file = arguments[++at];
    if (arguments[at] == "--limit" && at + 1 < arguments.size()) {
      const std::string& text = arguments[++at];
      std::from_chars(text.data(), text.data() + text.size(), limit);
    }
  }
  // One block at a time, so that nothing depends on how many cores there are.
  emulated::settings_of_new_devices() = {.workers = 1};
  static const std::unique_ptr<device::Device> device = device::open(device_name);
  if (device->facts().kind != device::Kind::emulated)
    throw Error(ErrorKind::usage, device_name + " does not check kernels",
                "there are emulated:sm_90 and emulated:sm_80");
  static program::Session here(*device, limit);
  session = &here;
  here.end_program = [](int code) { finish(code); };
  // What the rewriter does not see may call exit(), too.
  ::on_exit([](int code, void*) { finish(code); }, nullptr);
  static std::vector<std::string> words{"program"};
  for (++at; at < arguments.size(); ++at) words.push_back(arguments[at]);
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
    fmt::print(stderr, "ridgeline check: {}\n", error.what());
    if (!error.advice().empty()) fmt::print(stderr, "  {}\n", error.advice());
    std::fflush(nullptr);
    ::_exit(error.exit_code());
  }
}
