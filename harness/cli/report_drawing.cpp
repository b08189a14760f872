#include "harness/cli/report_drawing.hpp"

#include <cstdio>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/present/said_lines.hpp"
#include "harness/process/home.hpp"
#include "harness/process/launcher.hpp"
#include "harness/process/python_worker.hpp"
#include "harness/process/tool.hpp"

namespace ridgeline::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& home, const std::string& interpreter, const char* why) {
  throw Error(ErrorKind::dependency, fmt::format("cannot draw the report: {} {}", interpreter, why),
              process::how_to_draw(home, ""));
}

/// Whether `interpreter` does what a Python is told to do.
bool is_python(const std::string& interpreter) {
  return process::run_tool({interpreter, {"-c", "raise SystemExit(42)"}, {}}).exit_code == 42;
}

}  // namespace

void draw_report(const fs::path& document, const fs::path& output,
                 const std::vector<std::string>& formats) {
  const fs::path home = process::home();
  const std::string interpreter = process::python(home);
  if (process::find_on_path(interpreter).empty())
    refuse(home, interpreter, "is not there, or cannot be executed");
  std::vector<std::string> arguments{"-m", "reports", "--output=" + output.string()};
  if (!formats.empty()) arguments.push_back(fmt::format("--formats={}", fmt::join(formats, ",")));
  arguments.insert(arguments.end(), {"--", document.string()});
  // With this clone's package `reports`, and no other.
  const process::Tool tool{
      interpreter,
      arguments,
      {{"PYTHONPATH", home.string()}, {"PYTHONSAFEPATH", "1"}, {"PYTHONDONTWRITEBYTECODE", "1"}}};
  present::SaidLines errors(stderr);
  const process::ToolResult drawn = process::run_tool(tool, &errors);
  if (drawn.fine) return;
  ErrorKind kind = ErrorKind::internal;
  for (const ErrorKind known : {ErrorKind::dependency, ErrorKind::store})
    if (drawn.exit_code == static_cast<int>(known)) kind = known;
  if (drawn.exit_code && kind == ErrorKind::internal && !is_python(interpreter))
    refuse(home, interpreter, "is no Python");
  throw Error(kind, fmt::format("cannot draw the report: {} {}", interpreter, drawn.ending),
              fmt::format("its data is complete in {}; to draw it: {} -m reports {} --output {}",
                          document.string(), interpreter, document.string(), output.string()));
}

}  // namespace ridgeline::cli
