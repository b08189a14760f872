#include "harness/base/installation.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/core.h>

#include "harness/base/error.hpp"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

/// The folders in `folder` whose names begin with `beginning`, in the order of their names; none
/// where it cannot be read.
std::vector<fs::path> folders_in(const fs::path& folder, std::string_view beginning) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (fs::directory_iterator each(folder, failure), end; !failure && each != end;
       each.increment(failure)) {
    std::error_code unreadable;
    if (each->path().filename().string().starts_with(beginning) && each->is_directory(unreadable))
      found.push_back(each->path());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

fs::path program_folder() {
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  if (failure)
    throw Error(ErrorKind::internal,
                fmt::format("cannot read /proc/self/exe: {}", failure.message()));
  return program.parent_path();
}

fs::path in_wheels_beside(const fs::path& folder, std::string_view path) {
  for (const fs::path& python : folders_in(folder.parent_path() / "lib", "python"))
    for (const char* packages : {"site-packages", "dist-packages"})  // Debian's own has the second
      for (const fs::path& wheel : folders_in(python / packages / "nvidia", "")) {
        const fs::path file = wheel / path;
        std::error_code unreadable;
        if (fs::is_regular_file(file, unreadable)) return file;
      }
  return {};
}

}  // namespace ridgeline
