#include "harness/gate/expected_folder.hpp"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/text.hpp"

namespace ridgeline::gate {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view folder_prefix = "ridgeline-gate-";  // its process and letters follow

/// Whether a folder of that name is one that a gate of ours left behind.
bool is_left_behind(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (!name.starts_with(folder_prefix)) return false;
  pid_t owner = 0;
  const char *begin = name.data() + folder_prefix.size(), *end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(begin, end, owner);
  if (error != std::errc() || rest == end || *rest != '-' || owner <= 0) return false;
  struct stat is {};
  return ::lstat(folder.c_str(), &is) == 0 && S_ISDIR(is.st_mode) && is.st_uid == ::getuid() &&
         ::kill(owner, 0) != 0 && errno == ESRCH;
}

void remove_left_behind(const fs::path& temporary) {
  std::error_code ignored;
  for (const fs::directory_entry& each : fs::directory_iterator(temporary, ignored))
    if (is_left_behind(each.path())) fs::remove_all(each.path(), ignored);
}

}  // namespace

ExpectedFolder::ExpectedFolder() {
  std::error_code none;
  const fs::path temporary = fs::temp_directory_path(none);
  if (none) return;
  remove_left_behind(temporary);
  std::string name = (temporary / fmt::format("{}{}-XXXXXX", folder_prefix, ::getpid())).string();
  if (::mkdtemp(name.data()) != nullptr) path_ = name;
}

ExpectedFolder::~ExpectedFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

process::Variables ExpectedFolder::variables(const run::Worker& worker) const {
  if (path_.empty() || worker.code.empty()) return {};
  const fs::path part = path_ / fmt::format("{:016x}", fnv1a(worker.code));
  std::error_code failed;
  fs::create_directory(part, failed);
  if (failed) return {};
  return {{"RIDGELINE_EXPECTED", part.string()}};
}

}  // namespace ridgeline::gate
