#include "harness/cli/unset_variables.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <sstream>

#include <fmt/core.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/checked_environment.hpp"
#include "harness/process/tool.hpp"

namespace ridgeline::cli {
namespace {

namespace fs = std::filesystem;

/// "" when the program does not end as it should.
std::string digest_of_run(const fs::path& program, std::vector<std::string> arguments,
                          off_t input_at, const fs::path& report) {
  const auto file = std::ranges::find(arguments, "--report");
  *std::next(file) = report.string();
  const bool takes_input = input_at >= 0 && lseek(STDIN_FILENO, input_at, SEEK_SET) == input_at;
  process::run_tool({.name = program.string(),
                     .arguments = arguments,
                     .environment = checked_environment(),
                     .takes_input = takes_input});
  const std::optional<json::Value> written = json::try_parse(file_text(report));
  const json::Value* const digest = written ? written->find("results_digest") : nullptr;
  return digest != nullptr && digest->is_text() ? digest->text() : "";
}

}  // namespace

json::Value unset_finding(const FineCheck& check, const fs::path& folder) {
  const json::Value *const unset = check.report.find("unset_variables"), *const digest =
                                                                             check.report.find(
                                                                                 "results_digest");
  if (unset == nullptr || digest == nullptr || !digest->is_text() || unset->size() == 0) return {};
  process::CheckSources sources = check.sources;
  sources.zeroes_variables = true;
  const fs::path program = folder / "zeroed";
  std::ostringstream said_before;
  try {
    process::build_check(check.kit, sources, program, said_before);
  } catch (const Error& error) {
    throw Error(
        error.kind(),
        fmt::format("the second run, with zeros in variables, was not made: {}", error.what()),
        error.advice());
  }
  const std::string zeroed =
      digest_of_run(program, check.arguments, check.input_at, folder / "zeroed.json");
  if (zeroed == digest->text()) return {};
  if (digest_of_run(check.program, check.arguments, check.input_at, folder / "again.json") !=
      digest->text())
    return {};
  constexpr std::size_t most = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(unset->size(), most); ++i)
    names += fmt::format("{}{}", i == 0 ? "" : ", ", printable(unset->elements()[i].text(), 400));
  if (unset->size() > most) names += fmt::format(", and {} more", unset->size() - most);
  return json::Value{
      {"check", "uninitialised (local)"},
      {"text",
       "uninitialised (local): results change with what was in kernels' variables before "
       "they were written. Variables that may be read too early: " +
           names},
      {"remedy", "give each of them a value where it is declared"}};
}

}  // namespace ridgeline::cli
