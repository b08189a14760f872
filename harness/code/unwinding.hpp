#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/code/elf_file.hpp"

namespace ridgeline::code {

/// Four bytes of an entry that depend on where something lies: on an address in the program, or on
/// something that is not followed, with the address 0.
struct UnwindField {
  std::uint32_t offset = 0;
  std::uint64_t address = 0;
};

struct UnwindEntry {
  std::span<const std::byte> bytes;
  std::vector<UnwindField> fields{};
};

/// What .eh_frame says of one function: how its frames are left, and which table says where its
/// exceptions are caught.
struct Unwinding {
  std::uint64_t function = 0;  // its address
  UnwindEntry shared;          // with other functions
  UnwindEntry own;
};

/// Of all functions, in order. Throws a store Error where something cannot be read.
std::vector<Unwinding> unwindings(const Section& section);

}  // namespace ridgeline::code
