#include "harness/cli/version.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/process/home.hpp"
#include "harness/process/launcher.hpp"
#include "harness/process/python_worker.hpp"
#include "harness/run/vendor_libraries.hpp"

namespace ridgeline::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* none = "not found";

std::string or_none(std::string_view found) { return std::string(found.empty() ? none : found); }

std::string workers() {
  std::vector<std::string> found;
  for (const char* name :
       {"ridgeline-suites", "ridgeline-collectives", "ridgeline-emulated", "ridgeline-adapter"})
    if (!process::find_program(name).empty()) found.emplace_back(name);
  return or_none(fmt::format("{}", fmt::join(found, ", ")));
}

std::string commit(const BuildStamp& built) {
  const std::string_view commit = built.commit;
  if (commit.empty() || commit == "unknown") return "unknown";
  return fmt::format("{}{}", commit, built.dirty == '0' ? "" : ", changed");
}

}  // namespace

std::string version() { return RIDGELINE_VERSION; }

std::string version_text(const BuildStamp& built) {
  std::string text = fmt::format("ridgeline {}\n", version());
  const auto say = [&](std::string_view what, std::string_view found) {
    text += fmt::format("{:<11}{}\n", what, found);
  };
  say("commit", commit(built));
  say("compiler", fmt::format("{}, {}", or_none(built.compiler), built.flags));
  say("CUDA", built.cuda[0] == '\0' ? "built without" : built.cuda);
  fs::path home;
  try {
    home = process::home();
    say("profiles", (home / "suites" / "profiles").string());
  } catch (const Error& error) {
    say("profiles", error.what());
  }
  say("workers", workers());
  say("driver", or_none(run::opened_library({"libcuda.so.1"})));
  for (const run::VendorLibrary& each : run::vendor_libraries())
    say(each.name, or_none(run::opened_library(each.files)));
  say("mpirun", or_none(process::find_on_path("mpirun").string()));
  const std::string python = process::python(home);
  say("Python", fs::path(python).has_parent_path()
                    ? python
                    : or_none(process::find_on_path(python).string()));
  text.pop_back();
  return text;
}

}  // namespace ridgeline::cli
