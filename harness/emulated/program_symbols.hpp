#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ridgeline::emulated {

/// What the running program calls a place.
struct Symbol {
  std::uint64_t value = 0;  // the address of a function; of a thread-local variable, its offset
  std::size_t bytes = 0;
  std::string name;  // demangled
};

/// The functions (STT_FUNC) or thread-local variables (STT_TLS) that the running program has
/// symbols for, by value. Throws a dependency Error when it has none (it was stripped).
std::vector<Symbol> program_symbols(unsigned char type);

/// "void gemm::tiled<16>(float*)::tile" is "tile", and the function itself "tiled<16>".
std::string plain_name(std::string symbol);

/// The function that starts there, demangled; empty when no symbol says so.
std::string function_symbol(std::uint64_t address);
/// Its plain name.
const std::string& function_name(std::uint64_t address);

}  // namespace ridgeline::emulated
