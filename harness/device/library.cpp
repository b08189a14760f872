#include "harness/device/library.hpp"

#include <dlfcn.h>

#include "harness/base/installation.hpp"

namespace ridgeline::device {

Library::Library(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) return;
  }
  for (const char* name : names) {
    const auto file = in_wheels_beside(program_folder(), std::string("lib/") + name);
    if (!file.empty()) handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) return;
  }
  reason_ = std::string(*names.begin()) + " not found";
}

void* Library::symbol(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

}  // namespace ridgeline::device
