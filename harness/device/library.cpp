#include "harness/device/library.hpp"

#include <string_view>

#include <dlfcn.h>
#include <fmt/core.h>

#include "harness/base/installation.hpp"

namespace ridgeline::device {

Library::Library(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (open(name, name)) return;
  for (const char* name : names) {
    const auto file = in_wheels_beside(program_folder(), std::string("lib/") + name);
    if (!file.empty() && open(file.c_str(), name)) return;
  }
  if (reason_.empty()) reason_ = std::string(*names.begin()) + " not found";
}

bool Library::open(const char* file, const char* name) {
  handle_ = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle_ != nullptr) return true;
  // It begins with the file that it is about: with the bare name where no such file was found.
  const char* const why = dlerror();
  if (reason_.empty() && why != nullptr &&
      !std::string_view(why).starts_with(fmt::format("{}: ", name)))
    reason_ = fmt::format("{} cannot be loaded: {}", name, why);
  return false;
}

void* Library::symbol(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

}  // namespace ridgeline::device
