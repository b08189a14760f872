#include "harness/device/emulated/shared_variables.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>

#include <cxxabi.h>
#include <elf.h>
#include <link.h>

#include "harness/base/error.hpp"

namespace ridgeline::device::emulated {
namespace {

/// "kernel(float*)::tile" as "tile"; other names as they are.
std::string variable_name(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                          &std::free);
  const std::string name = status == 0 ? plain.get() : symbol;
  const std::size_t at = name.rfind("::");
  return at == std::string::npos ? name : name.substr(at + 2);
}

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
  std::ifstream file("/proc/self/exe", std::ios::binary | std::ios::ate);
  std::vector<char> image(file ? static_cast<std::size_t>(file.tellg()) : 0);
  file.seekg(0);
  file.read(image.data(), static_cast<std::streamsize>(image.size()));
  const auto part = [&](std::uint64_t offset, std::uint64_t count) {
    require(offset <= image.size() && count <= image.size() - offset, "the running program is a whole ELF file");
    return image.data() + offset;
  };
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(part(0, sizeof(Elf64_Ehdr)));
  const auto* const sections =
      reinterpret_cast<const Elf64_Shdr*>(part(header->e_shoff, std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr)));
  bool any = false;
  for (const Elf64_Shdr& section : std::span(sections, header->e_shnum)) {
    if (section.sh_type != SHT_SYMTAB) continue;
    any = true;
    const auto* const symbols = reinterpret_cast<const Elf64_Sym*>(part(section.sh_offset, section.sh_size));
    const char* const names = part(sections[section.sh_link].sh_offset, sections[section.sh_link].sh_size);
    for (const Elf64_Sym& symbol : std::span(symbols, section.sh_size / sizeof(Elf64_Sym)))
      if (ELF64_ST_TYPE(symbol.st_info) == STT_TLS && symbol.st_size != 0)
        variables_.push_back({symbol.st_value, symbol.st_size, variable_name(names + symbol.st_name)});
  }
  if (!any)
    throw Error(ErrorKind::dependency, "the emulated device finds no symbols in its program",
                "do not strip the program: findings name the variables of kernels");
  std::ranges::sort(variables_, {}, &Variable::offset);
}

const SharedVariables::Variable* SharedVariables::at(std::size_t offset) const {
  const auto behind = std::ranges::upper_bound(variables_, offset, {}, &Variable::offset);
  if (behind == variables_.begin()) return nullptr;
  const Variable& before = *std::prev(behind);
  return offset < before.offset + before.bytes ? &before : nullptr;
}

}  // namespace ridgeline::device::emulated
