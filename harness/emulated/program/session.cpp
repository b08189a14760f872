#include "harness/emulated/program/session.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/emulated/emulated_device.hpp"
#include "harness/emulated/finding_text.hpp"
#include "harness/emulated/program_symbols.hpp"
#include "harness/emulated/results_digest.hpp"
#include "harness/emulated/source_lines.hpp"

namespace ridgeline::program {
namespace {

Session* session = nullptr;

emulated::SourceLine line_of(std::uint32_t pc) {
  if (pc == 0) return {};
  const std::uint32_t pcs[] = {pc};
  return emulated::source_lines(pcs).at(pc);
}

std::string size_text(const dim3& size) {
  if (size.y == 1 && size.z == 1) return fmt::format("{}", size.x);
  return fmt::format("({}, {}, {})", size.x, size.y, size.z);
}

std::string host_text(const std::string& check, const emulated::SourceLine& line,
                      const std::string& detail) {
  return fmt::format("{}{}: {}", check,
                     line.file.empty() ? "" : fmt::format(" at {}:{}", line.file, line.line),
                     detail);
}

}  // namespace

Session::Session(device::Device& device, std::uint64_t most_accesses)
    : device_(device),
      machine_(*static_cast<emulated::Machine*>(device.stream().native)),
      most_accesses_(most_accesses) {
  session = this;
  machine_.limit_accesses(most_accesses);
}
Session::~Session() { session = nullptr; }

std::recursive_mutex& together() {
  static std::recursive_mutex mutex;
  return mutex;
}

Session& Session::here() {
  require(session != nullptr, "a program runs in a session");
  return *session;
}

void Session::look_at_results(const std::pair<const std::uint64_t, Allocation>& of) {
  if (of.second.of_host || of.second.managed)  // NOLINTNEXTLINE(performance-no-int-to-ptr)
    emulated::ResultsDigest::add(reinterpret_cast<const void*>(of.first), of.second.bytes);
}

/// A new one, or that of the same place or line.
Found& Session::found_of(const emulated::Report& report, const emulated::Finding& finding) {
  const auto [at, is_new] =
      places_.try_emplace({report.kernel, finding.pc, finding.check}, found_.size());
  if (!is_new) return found_[at->second];
  const emulated::SourceLine line = line_of(finding.pc);
  if (!line.file.empty()) {
    const auto [known, is_first] =
        lines_.try_emplace({report.kernel, finding.check, line.file, line.line, finding.variable,
                            finding.variable == 0 ? finding.detail : ""},
                           at->second);
    if (!is_first) {
      at->second = known->second;
      return found_[known->second];
    }
  }
  return found_.emplace_back(Found{.check = finding.check,
                                   .kernel = emulated::function_name(report.kernel),
                                   .file = line.file,
                                   .line = line.line,
                                   .text = emulated::text_of(report, finding),
                                   .worst_sizes = "",
                                   .kernel_number = report.kernel});
}

void Session::launched(const emulated::Report& report) {
  ++launches_;
  ++launches_of_[report.kernel];
  accesses_ += report.accesses;
  const std::string sizes =
      fmt::format("<<<{}, {}>>>", size_text(report.config.grid), size_text(report.config.block));
  if (report.findings.empty()) launch_counts_.add(report, launches_, sizes);
  for (const emulated::Finding& finding : report.findings) {
    Found& found = found_of(report, finding);
    found.count += finding.count;
    found.accesses = std::max(found.accesses, finding.accesses);
    if (found.last_launch != launches_) ++found.launches;
    found.last_launch = launches_;
    if (finding.count <= found.worst_count) continue;
    found.worst_count = finding.count;
    found.worst_launch = launches_;
    found.worst_sizes = sizes;
  }
  for (const emulated::Finding& note : report.notes) {
    if (!noted_.emplace(note.check, note.pc).second) continue;
    const auto [file, line] = line_of(note.pc);
    if (file.empty() || noted_lines_.emplace(report.kernel, note.check, file, line).second)
      notes_.insert(emulated::text_of(report, note));
  }
  const bool was_refused =
      !report.completed && report.findings.size() == 1 && report.findings.front().block < 0;
  const bool completed = report.completed;
  const std::string name = emulated::function_name(report.kernel);
  const std::uint64_t blocks =
      std::uint64_t{report.config.grid.x} * report.config.grid.y * report.config.grid.z;
  const std::optional<std::uint64_t> cut_after = report.cut_after;
  try {
    device_.synchronize();  // adds the counts
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): it is in found_ already
  }
  emulated::take_notes();  // which are in notes_
  if (was_refused) {
    last_error = cudaErrorInvalidConfiguration;
    return;
  }
  if (!completed) {
    last_error = cudaErrorLaunchFailure;
    notes_.insert(
        fmt::format("the program was ended behind launch {}, of {}: a GPU would refuse "
                    "every call that follows",
                    launches_, name));
    end_program(1);
  }
  if (cut_after || (most_accesses_ != 0 && accesses_ >= most_accesses_)) {
    out_of_budget_ = fmt::format(
        "stopped at the limit of {} accesses, in launch {}, {}{}: {} of its {} blocks had run. "
        "Make "
        "the sizes behind its grid smaller, or allow more by --limit",
        most_accesses_, launches_, name, sizes, cut_after.value_or(blocks), blocks);
    end_program(1);
  }
}

std::string Session::text_of(const Found& found) const {
  const auto all = launches_of_.find(found.kernel_number);
  if (all == launches_of_.end() || all->second < 2) return found.text;
  return fmt::format(
      "{}; in {} of {} launches of this kernel{} launch {} of the program, {}{}{}", found.text,
      found.launches, all->second, found.launches == 1 ? ":" : ", most often in",
      found.worst_launch, found.kernel, found.worst_sizes,
      found.launches == 1 ? "" : fmt::format(" ({} of {} times)", found.worst_count, found.count));
}

void Session::host_mistake(std::string check, std::uint32_t pc, const std::string& detail) {
  const auto [at, is_new] = places_.try_emplace({0, pc, check}, found_.size());
  if (!is_new) {
    ++found_[at->second].count;
    return;
  }
  const emulated::SourceLine line = line_of(pc);
  std::string text = host_text(check, line, detail);
  found_.push_back({.check = std::move(check),
                    .kernel = "",
                    .file = line.file,
                    .line = line.line,
                    .text = std::move(text),
                    .count = 1,
                    .worst_sizes = ""});
}

void Session::look_for_leaks() {
  struct Leak {
    std::uint64_t count = 0, bytes = 0, first = 0;
  };
  std::map<std::uint32_t, Leak> leaks;
  for (const auto& [address, allocation] : allocations) {
    if (allocation.of_host) continue;
    Leak& leak = leaks[allocation.pc];
    if (leak.count++ == 0) leak.first = address;
    leak.bytes += allocation.bytes;
  }
  for (const auto& [pc, leak] : leaks)
    host_mistake("leak", pc,
                 leak.count == 1
                     ? fmt::format("{} is not freed at the program's end",
                                   machine_.memory().describe(leak.first))
                     : fmt::format("{} allocations, of {} bytes together, are not freed at the "
                                   "program's end, as {}",
                                   leak.count, leak.bytes, machine_.memory().describe(leak.first)));
}

void Session::host_note(const std::string& check, std::uint32_t pc, const std::string& detail) {
  if (noted_.emplace(check, pc).second) note(host_text(check, line_of(pc), detail));
}

}  // namespace ridgeline::program
