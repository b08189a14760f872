#include "harness/device/library.hpp"

#include <dlfcn.h>

namespace ridgeline::device {

Library::Library(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) return;
  }
  reason_ = std::string(*names.begin()) + " not found";
}

void* Library::symbol(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

}  // namespace ridgeline::device
