#include "harness/emulated/finding_text.hpp"

#include <cstdint>
#include <vector>

#include <fmt/core.h>

#include "harness/device/failure.hpp"
#include "harness/emulated/parameter_names.hpp"
#include "harness/emulated/program_symbols.hpp"
#include "harness/emulated/source_lines.hpp"
#include "harness/emulated/thread_names.hpp"

namespace ridgeline::emulated {
namespace {

std::string where(std::uint32_t pc) {
  if (pc == 0) return "";
  const std::uint32_t pcs[] = {pc};
  const SourceLine line = source_lines(pcs).at(pc);
  if (line.file.empty()) return "";
  return fmt::format(" at {}:{}", line.file, line.line);
}

}  // namespace

std::string text_of(const Report& report, const Finding& finding) {
  std::string text = finding.check;
  if (const std::string& kernel = function_name(report.kernel); !kernel.empty())
    text += " in " + kernel;
  text += where(finding.pc);
  if (finding.block < 0) return text + ": " + finding.detail;
  text += fmt::format(": thread {} of block {}",
                      index_of(static_cast<std::uint64_t>(finding.thread), report.config.block),
                      index_of(static_cast<std::uint64_t>(finding.block), report.config.grid));
  if (finding.other >= 0)
    text += fmt::format(", with thread {}",
                        index_of(static_cast<std::uint64_t>(finding.other), report.config.block));
  text += ": ";
  if (finding.argument > 0) {
    const std::vector<std::string> names = parameter_names(report.kernel);
    const auto index = static_cast<std::size_t>(finding.argument) - 1;
    if (index < names.size()) text += names[index] + ", ";
    text += fmt::format("argument {}: ", finding.argument);
  }
  text += finding.detail;
  if (finding.count > 1)
    text += fmt::format(
        " ({} {}{})", finding.count, finding.check == "deadlock" ? "threads" : "times",
        finding.accesses == 1 ? ""
                              : fmt::format(", by {} accesses of this line", finding.accesses));
  return text;
}

std::string text_of(const HostAccess& access, const GlobalMemory& memory) {
  return fmt::format("host code touches memory of the device{}: {}", where(access.pc),
                     memory.describe(access.address));
}

void throw_findings(const Report& report) {
  if (report.findings.empty()) return;
  for (const Finding& finding : report.findings)
    if (finding.check == "unsupported")
      throw device::Unsupported(finding.detail, text_of(report, finding));
  std::string others;
  for (std::size_t i = 1; i < report.findings.size(); ++i) {
    const Finding& other = report.findings[i];
    others += fmt::format("{}{}{}", i == 1 ? "also found: " : "; ", other.check, where(other.pc));
    if (other.check == "deadlock")
      others += ": " + other.detail;  // who else waits is what explains it
  }
  throw device::KernelMistake(text_of(report, report.findings.front()), others);
}

}  // namespace ridgeline::emulated
