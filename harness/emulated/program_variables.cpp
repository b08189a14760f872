#include "harness/emulated/program_variables.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include <elf.h>
#include <fmt/core.h>

#include "harness/emulated/program_symbols.hpp"

// Where data begins that can be written, by the C library.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const char __data_start;

namespace ridgeline::emulated {
namespace {

/// The variable that begins last at or before the address; null when none does. Free room that
/// compile_kernels leaves behind variables is none.
const Symbol* variable_before(std::uint64_t address) {
  static const std::vector<Symbol> all = [] {
    std::vector<Symbol> found = program_symbols(STT_OBJECT);
    std::erase_if(found,
                  [](const Symbol& one) { return one.name.starts_with("ridgeline.guard."); });
    return found;
  }();
  // Kernels often go from one element of a table to the next.
  thread_local const Symbol* last = nullptr;
  if (last != nullptr && address - last->value < last->bytes) return last;
  const auto behind = std::ranges::upper_bound(all, address, {}, &Symbol::value);
  return behind == all.begin() ? nullptr : last = &*std::prev(behind);
}

}  // namespace

bool ProgramVariables::are_constant_at(std::uint64_t address) {
  return address < reinterpret_cast<std::uint64_t>(&__data_start);
}

bool ProgramVariables::have(std::uint64_t address, std::uint64_t bytes) {
  if (are_constant_at(address)) return true;
  const Symbol* const variable = variable_before(address);
  return variable != nullptr && address + bytes <= variable->value + variable->bytes;
}

std::string ProgramVariables::describe(std::uint64_t address) {
  const Symbol* const variable = variable_before(address);
  if (variable == nullptr) return fmt::format("{:#x}", address);
  return fmt::format("{} of {} bytes + {}", plain_name(variable->name), variable->bytes,
                     address - variable->value);
}

}  // namespace ridgeline::emulated
