#include "harness/gate/expected_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/text.hpp"

namespace ridgeline::gate {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view folder_prefix = "ridgeline-gate-";  // letters of mkdtemp's follow
constexpr std::size_t letters = 6;

/// Of a folder of ours, without following links; none where there is no such folder.
process::Descriptor open_folder(const fs::path& folder) {
  process::Descriptor opened(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat is {};
  if (!opened || ::fstat(opened.get(), &is) != 0 || is.st_uid != ::getuid()) return {};
  return opened;
}

bool lock(const process::Descriptor& folder) {
  return ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0;
}

/// Whether nobody has removed the folder that was opened.
bool is_there(const process::Descriptor& folder) {
  struct stat is {};
  return ::fstat(folder.get(), &is) == 0 && is.st_nlink > 0;
}

bool has_our_name(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.size() == folder_prefix.size() + letters && name.starts_with(folder_prefix) &&
         std::ranges::all_of(name.substr(folder_prefix.size()), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
         });
}

/// Folders whose owners are gone. A lock tells that across containers that share the folder, where
/// the number of a process tells nothing.
void remove_left_behind(const fs::path& temporary) {
  std::error_code ignored;
  for (const fs::directory_entry& each : fs::directory_iterator(temporary, ignored)) {
    if (!has_our_name(each.path())) continue;
    const process::Descriptor folder = open_folder(each.path());
    if (folder && lock(folder)) fs::remove_all(each.path(), ignored);
  }
}

}  // namespace

ExpectedFolder::~ExpectedFolder() {
  std::error_code ignored;
  if (folder_) fs::remove_all(folder_->path, ignored);
}

std::optional<ExpectedFolder::Owned> ExpectedFolder::make(const fs::path& temporary) {
  // Another gate may take it for one that was left behind, before it is locked.
  for (int tries = 0; tries < 10; ++tries) {
    std::string name =
        (temporary / fmt::format("{}{}", folder_prefix, std::string(letters, 'X'))).string();
    if (::mkdtemp(name.data()) == nullptr) return std::nullopt;
    process::Descriptor folder = open_folder(name);
    if (folder && lock(folder) && is_there(folder)) return Owned{name, std::move(folder)};
  }
  return std::nullopt;
}

process::Variables ExpectedFolder::variables(const run::Worker& worker) {
  if (worker.code.empty()) return {};
  if (!tried_) {
    tried_ = true;
    std::error_code none;
    const fs::path temporary = fs::temp_directory_path(none);
    if (none) return {};
    remove_left_behind(temporary);
    folder_ = make(temporary);
  }
  if (!folder_) return {};
  const fs::path part = folder_->path / fmt::format("{:016x}", fnv1a(worker.code));
  std::error_code failed;
  fs::create_directory(part, failed);
  if (failed) return {};
  return {{"RIDGELINE_EXPECTED", part.string()}};
}

}  // namespace ridgeline::gate
