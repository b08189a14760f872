#include "harness/process/home.hpp"

#include <cstdlib>

#include <fmt/core.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/installation.hpp"
#include "harness/process/launcher.hpp"

namespace ridgeline::process {
namespace {

bool holds_profiles(const std::filesystem::path& folder) {
  std::error_code unreadable;
  return std::filesystem::is_directory(folder / "suites" / "profiles", unreadable);
}

}  // namespace

std::filesystem::path home() {
  if (const char* named = std::getenv("RIDGELINE_HOME"); named && *named) {
    if (holds_profiles(named)) return named;
    throw Error(ErrorKind::dependency,
                fmt::format("RIDGELINE_HOME is {}, which holds no folder suites/profiles", named));
  }
  for (std::filesystem::path folder = program_folder();; folder = folder.parent_path()) {
    for (const auto& each : {folder, folder / "share" / "ridgeline"})
      if (holds_profiles(each)) return each;
    if (folder == folder.parent_path()) break;
  }
  throw Error(ErrorKind::dependency,
              fmt::format("no folder above {} holds suites/profiles", program_folder().string()),
              "install Ridgeline anew, or set RIDGELINE_HOME to a clone of it");
}

std::filesystem::path find_program(const std::string& name) {
  const std::filesystem::path beside = program_folder() / name;
  return access(beside.c_str(), X_OK) == 0 ? beside : find_on_path(name);
}

}  // namespace ridgeline::process
