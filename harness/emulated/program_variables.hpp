#pragma once

#include <cstdint>
#include <string>

// Where the program begins and ends, by the linker.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const char __executable_start, _end;

namespace ridgeline::emulated {

/// Variables that a program has outside of functions: __device__, __constant__ and __managed__ ones
/// are such for the host compiler. Addresses are those of the running program.
class ProgramVariables {
 public:
  /// Whether the address lies in the program as it was loaded: variables, constants, or code.
  static bool are_at(std::uint64_t address) { return offset_of(address) < bytes(); }
  /// Whether it lies before all that can be written.
  static bool are_constant_at(std::uint64_t address);
  /// Whether a variable has all those bytes, or they are constant, of which not all have symbols.
  static bool have(std::uint64_t address, std::uint64_t bytes);
  /// "table of 64 bytes + 8": of the one that the address lies in, or behind.
  static std::string describe(std::uint64_t address);

  /// Bytes of the program as it was loaded, and where an address lies in them.
  static std::uint64_t bytes() { return offset_of(reinterpret_cast<std::uint64_t>(&_end)); }
  static std::uint64_t offset_of(std::uint64_t address) {
    return address - reinterpret_cast<std::uint64_t>(&__executable_start);
  }
  static std::uint64_t at_offset(std::uint64_t offset) {
    return reinterpret_cast<std::uint64_t>(&__executable_start) + offset;
  }
};

}  // namespace ridgeline::emulated
