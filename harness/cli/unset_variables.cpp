#include "harness/cli/unset_variables.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/process/tool.hpp"

namespace ridgeline::cli {
namespace {

namespace fs = std::filesystem;

/// "" when the program does not end as it should.
std::string digest_of_run(const fs::path& program, std::vector<std::string> arguments,
                          const fs::path& report) {
  const auto file = std::ranges::find(arguments, "--report");
  *std::next(file) = report.string();
  process::run_tool({program.string(), arguments, {}});
  std::ifstream in(report, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const std::optional<json::Value> written = json::try_parse(text);
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
  process::build_check(check.kit, sources, program, said_before);
  const std::string zeroed = digest_of_run(program, check.arguments, folder / "zeroed.json");
  if (zeroed == digest->text()) return {};
  if (digest_of_run(check.program, check.arguments, folder / "again.json") != digest->text())
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
           names}};
}

}  // namespace ridgeline::cli
