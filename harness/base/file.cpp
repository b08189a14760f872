#include "harness/base/file.hpp"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "harness/base/error.hpp"

namespace ridgeline {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  const std::string why =
      error != 0 ? std::generic_category().message(error) : "the data could not be written";
  throw Error(ErrorKind::store, fmt::format("cannot write {}: {}", path.string(), why),
              "check the path, its permissions and the disk");
}

/// Whether everything that was written to `path` is on the disk; errno says why not.
bool synchronise(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool done = ::fsync(file) == 0;
  const int error = errno;
  ::close(file);
  errno = error;
  return done;
}

/// What `path` stands for once its links are followed; what a dangling one names, too.
std::filesystem::path target_of(const std::filesystem::path& path) {
  constexpr int most_links = 40;  // as the kernel follows
  std::filesystem::path target = path;
  for (int links = 0; std::filesystem::is_symlink(std::filesystem::symlink_status(target));
       ++links) {
    if (links == most_links) fail(path, ELOOP);
    target = target.parent_path() / std::filesystem::read_symlink(target);
  }
  return target;
}

/// Writes `file`; `path` is what a failure names.
void write_through(const std::filesystem::path& path, const std::filesystem::path& file,
                   const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary);
  if (!stream) fail(path, errno);
  write(stream);
  const int first = stream ? 0 : errno;  // what is put out later fails without a reason
  errno = 0;
  stream.close();
  if (!stream) fail(path, first != 0 ? first : errno);
}

void replace(const std::filesystem::path& path, const std::filesystem::path& target,
             const std::function<void(std::ostream&)>& write) {
  std::filesystem::path unfinished = target;
  unfinished += fmt::format(".{}.tmp", ::getpid());
  try {
    write_through(path, unfinished, write);
    if (!synchronise(unfinished)) fail(path, errno);
    std::error_code error;
    std::filesystem::rename(unfinished, target, error);
    if (error) fail(path, error.value());
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    throw;
  }
}

}  // namespace

void write_file(const std::filesystem::path& path,
                const std::function<void(std::ostream&)>& write) {
  try {
    const std::filesystem::path target = target_of(path);
    const std::filesystem::file_status status = std::filesystem::status(target);
    if (exists(status) && !is_regular_file(status) && !is_directory(status))
      write_through(path, path, write);
    else
      replace(path, target, write);
  } catch (const std::filesystem::filesystem_error& error) {
    fail(path, error.code().value());
  }
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void check_folder(const std::filesystem::path& folder) {
  try {
    std::filesystem::path there = std::filesystem::absolute(folder);
    while (!std::filesystem::exists(there) && there.has_relative_path()) {
      // One that leads nowhere is in the way of a folder of its name.
      if (std::filesystem::is_symlink(std::filesystem::symlink_status(there))) fail(folder, ENOENT);
      there = there.parent_path();
    }
    if (!std::filesystem::is_directory(there)) fail(folder, ENOTDIR);
    if (::access(there.c_str(), W_OK | X_OK) != 0) fail(folder, errno);
  } catch (const std::filesystem::filesystem_error& error) {
    fail(folder, error.code().value());
  }
}

void check_writable(const std::filesystem::path& path) {
  try {
    const std::filesystem::path target = target_of(path);
    const std::filesystem::file_status status = std::filesystem::status(target);
    if (is_directory(status)) fail(path, EISDIR);
    const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
    // What is no regular file is written to as it is; anything else is replaced, which is up to its
    // folder.
    const bool through = exists(status) && !is_regular_file(status);
    if (!through && !std::filesystem::exists(folder)) fail(path, ENOENT);
    if (!through && !std::filesystem::is_directory(folder)) fail(path, ENOTDIR);
    if (::access(through ? target.c_str() : folder.c_str(), through ? W_OK : W_OK | X_OK) != 0)
      fail(path, errno);
  } catch (const std::filesystem::filesystem_error& error) {
    fail(path, error.code().value());
  }
}

}  // namespace ridgeline
