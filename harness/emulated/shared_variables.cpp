#include "harness/emulated/shared_variables.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <elf.h>
#include <link.h>

#include "harness/emulated/program_symbols.hpp"

namespace ridgeline::emulated {
namespace {

struct Storage {
  std::uint64_t base = 0;
  std::size_t bytes = 0;
};

/// The first program that is told is the executable.
int find_storage(dl_phdr_info* info, std::size_t, void* found) {
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_TLS)
      *static_cast<Storage*>(found) = {reinterpret_cast<std::uint64_t>(info->dlpi_tls_data),
                                       info->dlpi_phdr[i].p_memsz};
  return 1;
}

Storage storage() {
  Storage found;
  ::dl_iterate_phdr(find_storage, &found);
  return found;
}

}  // namespace

std::uint64_t thread_local_base() { return storage().base; }

SharedVariables::SharedVariables() : bytes_(storage().bytes) {
  room_.resize(bytes_ / 16 + 1);
  for (Symbol& symbol : program_symbols(STT_TLS)) {
    if (symbol.name.starts_with("ridgeline.guard.")) {  // what compile_kernels leaves behind one
      if (!variables_.empty()) variables_.back().is_shared = true;
      continue;
    }
    variables_.push_back({symbol.value, symbol.bytes, plain_name(symbol.name), symbol.name,
                          symbol.name.starts_with("guard variable for ")});
  }
  for (const Variable& variable : variables_) {
    if (!variable.is_shared) continue;
    const std::size_t end = variable.offset + variable.bytes;
    for (std::size_t at = variable.offset / 16 * 16; at < end && at < bytes_; at += 16)
      room_[at / 16] = static_cast<std::uint8_t>(std::min<std::size_t>(end - at, 16));
  }
}

std::size_t SharedVariables::bytes_in(std::string_view function) const {
  std::size_t bytes = 0;
  for (const Variable& variable : variables_) {
    const std::string_view symbol = variable.symbol;
    if (!function.empty() && symbol.starts_with(function) &&
        symbol.substr(function.size()).starts_with("::"))
      bytes += variable.bytes;
  }
  return bytes;
}

const SharedVariables::Variable* SharedVariables::nearest(std::size_t offset) const {
  const Variable* found = nullptr;
  std::size_t least = bytes_;
  for (const Variable& variable : variables_) {
    if (!variable.is_shared || variable.is_guard) continue;
    const std::size_t end = variable.offset + variable.bytes;
    const std::size_t distance = offset < variable.offset ? variable.offset - offset
                                 : offset < end           ? 0
                                                          : offset - end;
    if (found != nullptr && distance >= least) continue;
    found = &variable;
    least = distance;
  }
  return found;
}

const SharedVariables::Variable* SharedVariables::at(std::size_t offset) const {
  const auto behind = std::ranges::upper_bound(variables_, offset, {}, &Variable::offset);
  if (behind == variables_.begin()) return nullptr;
  const Variable& before = *std::prev(behind);
  return offset < before.offset + before.bytes ? &before : nullptr;
}

}  // namespace ridgeline::emulated
