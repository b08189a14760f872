#include "harness/base/killed_by_opening.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/stat.h>

namespace ridgeline {
namespace killed_by_opening_test {

namespace fs = std::filesystem;

/// The file of a library that every system of glibc has.
fs::path library_of_the_system() {
  void* const handle = dlopen("libm.so.6", RTLD_NOW);
  link_map* loaded = nullptr;
  if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, reinterpret_cast<void*>(&loaded)) != 0)
    return {};
  return loaded->l_name;
}

/// A file in a folder of its own, which does not exist yet.
fs::path new_library() {
  std::string folder = (fs::temp_directory_path() / "killed_by_opening.XXXXXX").string();
  return mkdtemp(folder.data()) == nullptr ? fs::path() : fs::path(folder) / "library.so";
}

/// A file that never ends opening: nobody writes into it.
fs::path slow_library() {
  fs::path library = new_library();
  return mkfifo(library.c_str(), 0600) == 0 ? library : fs::path();
}

/// The only child of this process; 0 where there is none.
pid_t child() {
  for (const fs::directory_entry& task : fs::directory_iterator("/proc/self/task"))
    if (pid_t found = 0; std::ifstream(task.path() / "children") >> found) return found;
  return 0;
}

TEST(KilledByOpening, OnlyALibraryThatEndsIsFatal) {
  const fs::path library = new_library();
  ASSERT_FALSE(library.empty());
  EXPECT_EQ(killed_by_opening(library.c_str()), "") << "there is none";

  std::ofstream(library) << "no library";
  EXPECT_EQ(killed_by_opening(library.c_str()), "") << "dlopen refuses it in words";

  const fs::path whole = library_of_the_system();
  ASSERT_TRUE(fs::exists(whole));
  fs::copy_file(whole, library, fs::copy_options::overwrite_existing);
  EXPECT_EQ(killed_by_opening(library.c_str()), "");

  fs::resize_file(library, fs::file_size(library) / 2);
  EXPECT_EQ(killed_by_opening(library.c_str()), "SIGBUS (Bus error)");
  fs::remove_all(library.parent_path());
}

TEST(KilledByOpening, ASlowLibraryIsNotBlamed) {
  const fs::path library = slow_library();
  ASSERT_FALSE(library.empty());
  EXPECT_EQ(killed_by_opening(library.c_str(), 1), "");
  fs::remove_all(library.parent_path());
}

TEST(KilledByOpening, ASignalFromOutsideIsNotBlamed) {
  if (!fs::exists("/proc/thread-self/children"))
    GTEST_SKIP() << "the kernel does not list children";
  const fs::path library = slow_library();
  ASSERT_FALSE(library.empty());
  for (const int number : {SIGKILL, SIGTERM, SIGHUP, SIGALRM}) {
    auto answer =
        std::async(std::launch::async, [&] { return killed_by_opening(library.c_str()); });
    const auto killed = [&] { return answer.wait_for(std::chrono::milliseconds(5)); };
    while (killed() != std::future_status::ready)
      if (const pid_t found = child(); found > 0) kill(found, number);
    EXPECT_EQ(answer.get(), "") << number;
  }
  fs::remove_all(library.parent_path());
}

}  // namespace killed_by_opening_test
}  // namespace ridgeline
