#include "harness/base/killed_by_opening.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

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

TEST(KilledByOpening, OnlyALibraryThatEndsIsFatal) {
  std::string folder = (fs::temp_directory_path() / "killed_by_opening.XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const fs::path library = fs::path(folder) / "library.so";
  EXPECT_EQ(killed_by_opening(library.c_str()), "") << "there is none";

  std::ofstream(library) << "no library";
  EXPECT_EQ(killed_by_opening(library.c_str()), "") << "dlopen refuses it in words";

  const fs::path whole = library_of_the_system();
  ASSERT_TRUE(fs::exists(whole));
  fs::copy_file(whole, library, fs::copy_options::overwrite_existing);
  EXPECT_EQ(killed_by_opening(library.c_str()), "");

  fs::resize_file(library, fs::file_size(library) / 2);
  EXPECT_EQ(killed_by_opening(library.c_str()), "SIGBUS (Bus error)");
  fs::remove_all(folder);
}

}  // namespace killed_by_opening_test
}  // namespace ridgeline
