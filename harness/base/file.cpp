#include "harness/base/file.hpp"

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/error.hpp"

namespace ridgeline {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  const std::string why = error != 0 ? std::generic_category().message(error) : "the data could not be written";
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

}  // namespace

void write_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write) {
  std::filesystem::path unfinished = path;
  unfinished += fmt::format(".{}.tmp", ::getpid());
  try {
    errno = 0;
    std::ofstream stream(unfinished, std::ios::binary | std::ios::trunc);
    if (!stream) fail(path, errno);
    write(stream);
    errno = 0;
    stream.close();
    if (!stream || !synchronise(unfinished)) fail(path, errno);
    std::error_code error;
    std::filesystem::rename(unfinished, path, error);
    if (error) fail(path, error.value());
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    throw;
  }
}

}  // namespace ridgeline
