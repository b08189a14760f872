#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/code/elf_file.hpp"

// What linkers for x86-64 and nvcc write into programs.
namespace ridgeline::code {

/// Of the linker, with the place where something begins or ends: what lies there may be anything.
bool is_boundary(const Symbol& symbol);

/// Whether a section follows from all others, or is the stamp that tells the commit.
bool is_made(const Section& section);

/// Of the field that a relocation of this type fills in; 0 where it is none. Throws a store Error
/// for an unknown type.
std::uint32_t width_of(std::uint32_t type);

/// Whether other files may name it.
bool is_seen(const Symbol& symbol);

/// The one section with CUDA's code for GPUs, where its tools look for it: for each source file a
/// header, and so many bytes as it says.
inline constexpr std::string_view device_code = ".nv_fatbin";

/// The parts of its bytes; none when they are not what is expected.
std::vector<std::span<const std::byte>> device_code_parts(std::span<const std::byte> bytes);

}  // namespace ridgeline::code
