#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline::emulated {

/// The static __shared__ variables of a program: thread_local ones for the host compiler, so that
/// each OS thread, which runs one block at a time, has them for itself. compile_kernels leaves room
/// behind each of them.
class SharedVariables {
 public:
  struct Variable {
    std::size_t offset = 0, bytes = 0;  // in the thread-local storage of the program
    std::string name;                   // "a_tile"
    std::string symbol;                 // "tiled(float*)::a_tile"
    /// The compiler's own, which says whether a variable's constructor, empty in all kernels, has
    /// run.
    bool is_guard = false;
    bool is_shared = false;  // and not a variable of host code
  };
  /// Reads the symbols of the running program. Throws a dependency Error when it has none (it was
  /// stripped).
  SharedVariables();

  /// Bytes of the program's thread-local storage.
  std::size_t bytes() const { return bytes_; }
  /// Of the variables that a function declares itself, by its demangled name. What functions that
  /// it calls declare is not in it.
  std::size_t bytes_in(std::string_view function) const;
  /// The variable that `offset` lies in; null when there is none.
  const Variable* at(std::size_t offset) const;
  /// The shared variable that is nearest to `offset`; null when there is none.
  const Variable* nearest(std::size_t offset) const;
  /// Of each 16 bytes of the storage, how many from the first on a shared variable has.
  const std::uint8_t* room() const { return room_.data(); }

 private:
  std::vector<Variable> variables_;  // by offset
  std::vector<std::uint8_t> room_;
  std::size_t bytes_ = 0;
};

/// Where the calling thread's storage begins.
std::uint64_t thread_local_base();

}  // namespace ridgeline::emulated
