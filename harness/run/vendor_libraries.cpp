#include "harness/run/vendor_libraries.hpp"

#include <dlfcn.h>
#include <link.h>

#include "harness/base/installation.hpp"
#include "harness/base/killed_by_opening.hpp"

namespace ridgeline::run {
namespace {

/// The file that dlopen takes for `name`; empty when it takes none, or one that kills what opens
/// it.
std::string opened(const char* name) {
  if (!killed_by_opening(name).empty()) return {};
  void* handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return {};
  link_map* loaded = nullptr;
  std::string file = name;
  if (dlinfo(handle, RTLD_DI_LINKMAP, reinterpret_cast<void*>(&loaded)) == 0 &&
      loaded->l_name[0] != '\0')
    file = loaded->l_name;
  dlclose(handle);
  return file;
}

}  // namespace

const std::vector<VendorLibrary>& vendor_libraries() {
  static const std::vector<VendorLibrary> all = {
      {"cuBLASLt", {"libcublasLt.so.13", "libcublasLt.so.12"}},
      {"cuDNN", {"libcudnn.so.9"}},
      {"NCCL", {"libnccl.so.2"}},
  };
  return all;
}

std::string opened_library(const std::vector<const char*>& files) {
  for (const char* name : files)
    if (std::string file = opened(name); !file.empty()) return file;
  for (const char* name : files) {
    const auto in_wheel = in_wheels_beside(program_folder(), std::string("lib/") + name);
    if (in_wheel.empty()) continue;
    if (std::string file = opened(in_wheel.c_str()); !file.empty()) return file;
  }
  return {};
}

}  // namespace ridgeline::run
