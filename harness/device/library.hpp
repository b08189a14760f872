#pragma once

#include <initializer_list>
#include <string>

namespace ridgeline::device {

/// A shared library opened at run time, so that programs start where it is absent. Never closed:
/// vendor libraries keep threads and exit handlers.
class Library {
 public:
  /// Tries the names in order, first as the system finds them, then in NVIDIA's wheels of the
  /// program's environment (in_wheels_beside); loaded() is false when none can be opened, and
  /// reason() says "libx.so.1 not found", or what is wrong with one that is there.
  explicit Library(std::initializer_list<const char*> names);

  bool loaded() const { return handle_ != nullptr; }
  const std::string& reason() const { return reason_; }

  /// What dlopen returned, for code that looks functions up by itself; null when nothing is loaded.
  void* native() const { return handle_; }

  /// The function called `name`, or null when the library lacks it.
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  bool open(const char* file, const char* name);
  void* symbol(const char* name) const;
  void* handle_ = nullptr;
  std::string reason_;
};

}  // namespace ridgeline::device
