#include "harness/run/device_lock.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/text.hpp"
#include "harness/process/interrupt.hpp"

namespace ridgeline::run {
namespace {

constexpr int retry_ms = 100;

// One place for everybody: a folder of the user or of the session would let two of them measure at
// once.
std::string lock_file(const std::string& uuid) {
  const char* folder = std::getenv("RIDGELINE_LOCKS");
  std::string name;
  for (const char c : uuid) name += std::strchr("/ \t\n\\", c) ? '_' : c;
  return fmt::format("{}/ridgeline-{}.lock", folder && *folder ? folder : "/tmp", name);
}

// O_NOFOLLOW and the check for a plain file with one name: in a folder that everybody may write to,
// the name may have been taken by somebody else, also for a file of ours (a hard link), which we
// would write over. A file of another user is opened without O_CREAT, which Linux
// forbids in sticky folders.
process::Descriptor open_lock(const std::string& path) {
  process::Descriptor file(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!file && errno == ENOENT) {
    file = process::Descriptor(
        open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (file)
      fchmod(file.get(), 0666);
    else if (errno == EEXIST)
      file = process::Descriptor(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  }
  if (!file && errno == EACCES)
    file = process::Descriptor(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat facts = {};
  const bool known = file && fstat(file.get(), &facts) == 0;
  if (!known || !S_ISREG(facts.st_mode) || facts.st_nlink > 1)
    throw Error(ErrorKind::store,
                fmt::format("cannot open the device's lock file {}: {}", path,
                            !known                    ? std::strerror(errno)
                            : !S_ISREG(facts.st_mode) ? "it is not a regular file"
                                                      : "it has other names (hard links)"),
                "remove it, or name another folder with RIDGELINE_LOCKS");
  return file;
}

std::string read_holder(int file) {
  char text[512];
  const ssize_t length = pread(file, text, sizeof text, 0);
  return length > 0 ? printable(std::string_view(text, static_cast<std::size_t>(length)), 400)
                    : "an unknown process";
}

}  // namespace

void wait_for_lock(const process::Descriptor& file, const std::string& path,
                   const std::function<void()>& busy) {
  bool told = false;
  while (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      throw Error(ErrorKind::store, fmt::format("cannot lock {}: {}", path, std::strerror(errno)));
    if (!told) busy();
    told = true;
    pollfd stop{process::Interrupt::descriptor(), POLLIN, 0};
    poll(&stop, 1, retry_ms);
    process::Interrupt::check();
  }
}

DeviceLock::DeviceLock(const std::string& device_uuid, const std::string& holder,
                       const std::function<void(const std::string&)>& busy) {
  const std::string path = lock_file(device_uuid);
  file_ = open_lock(path);
  wait_for_lock(file_, path, [&] { busy(read_holder(file_.get())); });
  // What the file says is for people; a file that cannot be written still locks.
  const std::string text = fmt::format("pid {}, {}", getpid(), holder);
  if (ftruncate(file_.get(), 0) == 0) (void)!pwrite(file_.get(), text.data(), text.size(), 0);
}

Error in_use(const std::string& device_id, const std::string& holder) {
  return {ErrorKind::dependency, fmt::format("device {} is in use by {}", device_id, holder),
          "wait for it, or leave out --no-wait"};
}

std::optional<DeviceUse> device_use(const std::string& device_uuid) {
  const process::Descriptor file(
      open(lock_file(device_uuid).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat facts = {};
  if (!file || fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  const bool free = flock(file.get(), LOCK_SH | LOCK_NB) == 0;
  if (!free && errno != EWOULDBLOCK) return std::nullopt;
  return DeviceUse{read_holder(file.get()), !free};
}

}  // namespace ridgeline::run
