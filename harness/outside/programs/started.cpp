#include "harness/outside/programs/started.hpp"

#include <fstream>
#include <sstream>
#include <system_error>

#include <fmt/core.h>
#include <stdlib.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/process/tool.hpp"

namespace ridgeline::outside {
namespace {

namespace fs = std::filesystem;

process::ToolResult run(const fs::path& program, const std::vector<std::string>& arguments,
                        std::ostream* log) {
  process::ToolResult result = process::run_tool({program.string(), arguments, {}}, log);
  if (!result.fine)
    throw Error(ErrorKind::dependency,
                fmt::format("{} {}{}", program.filename().string(), result.ending,
                            result.words.empty() ? "" : "; it last said: " + result.words));
  return result;
}

}  // namespace

ResultsFolder::ResultsFolder() {
  std::string pattern = (fs::temp_directory_path() / "ridgeline-results-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw Error(ErrorKind::dependency, fmt::format("cannot make a folder {}", pattern),
                "set TMPDIR to one that can be written");
  path_ = pattern;
}

ResultsFolder::~ResultsFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string run_for_output(const fs::path& program, const std::vector<std::string>& arguments) {
  return run(program, arguments, nullptr).output;
}

imported::Contents run_for_results(
    const fs::path& program, const std::vector<std::string>& arguments, const fs::path& file,
    const std::function<imported::Contents(std::istream&, const std::string& name)>& read) {
  std::error_code ignored;
  fs::remove(file, ignored);
  std::ostringstream unread;
  run(program, arguments, &unread);
  std::ifstream stream(file, std::ios::binary);
  const std::string name = "what " + program.filename().string() + " wrote";
  if (!stream)
    throw Error(ErrorKind::dependency,
                fmt::format("{} ended well and wrote no results", program.filename().string()),
                "is it a program of this kind?");
  try {
    return read(stream, name);
  } catch (const Error& error) {
    throw Error(ErrorKind::dependency, error.what(), error.advice());
  }
}

}  // namespace ridgeline::outside
