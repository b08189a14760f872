#include "harness/emulated/program_symbols.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include <cxxabi.h>
#include <elf.h>

#include "harness/base/error.hpp"

namespace ridgeline::emulated {
namespace {

/// A name of C stays what it is: `c`, which any variable may be called, is also the type char.
std::string demangled(const char* symbol) {
  if (!std::string_view(symbol).starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 ? plain.get() : symbol;
}

}  // namespace

std::vector<Symbol> program_symbols(unsigned char type) {
  std::ifstream file("/proc/self/exe", std::ios::binary | std::ios::ate);
  std::vector<char> image(file ? static_cast<std::size_t>(file.tellg()) : 0);
  file.seekg(0);
  file.read(image.data(), static_cast<std::streamsize>(image.size()));
  const auto part = [&](std::uint64_t offset, std::uint64_t count) {
    require(offset <= image.size() && count <= image.size() - offset,
            "the running program is a whole ELF file");
    return image.data() + offset;
  };
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(part(0, sizeof(Elf64_Ehdr)));
  const auto* const sections = reinterpret_cast<const Elf64_Shdr*>(
      part(header->e_shoff, std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr)));
  std::vector<Symbol> found;
  bool any = false;
  for (const Elf64_Shdr& section : std::span(sections, header->e_shnum)) {
    if (section.sh_type != SHT_SYMTAB) continue;
    any = true;
    const auto* const symbols =
        reinterpret_cast<const Elf64_Sym*>(part(section.sh_offset, section.sh_size));
    const char* const names =
        part(sections[section.sh_link].sh_offset, sections[section.sh_link].sh_size);
    for (const Elf64_Sym& symbol : std::span(symbols, section.sh_size / sizeof(Elf64_Sym)))
      if (ELF64_ST_TYPE(symbol.st_info) == type && symbol.st_size != 0)
        found.push_back({symbol.st_value, symbol.st_size, demangled(names + symbol.st_name)});
  }
  if (!any)
    throw Error(ErrorKind::dependency, "the emulated device finds no symbols in its program",
                "do not strip the program: findings name the variables of kernels");
  std::ranges::sort(found, {}, &Symbol::value);
  return found;
}

std::string plain_name(std::string symbol) {
  constexpr std::string_view nameless = "(anonymous namespace)";
  for (std::size_t at = symbol.find(nameless); at != std::string::npos; at = symbol.find(nameless))
    symbol.erase(at, nameless.size());
  std::size_t begin = 0, end = symbol.size();
  int depth = 0;  // of template arguments and parameters
  bool arguments_end = false;
  for (std::size_t i = 0; i < symbol.size(); ++i) {
    const char c = symbol[i];
    if (depth == 0 && c == '(' && !arguments_end) {
      end = i;
      arguments_end = true;
    }
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    if (depth != 0 || (c != ':' && c != ' ')) continue;
    if (c == ' ' && arguments_end) break;  // "const"
    begin = i + 1;                         // what follows is a name in what stands before
    end = symbol.size();
    arguments_end = false;
  }
  return symbol.substr(begin, end - begin);
}

std::string function_symbol(std::uint64_t address) {
  static const std::vector<Symbol> functions = program_symbols(STT_FUNC);
  const auto symbol = std::ranges::lower_bound(functions, address, {}, &Symbol::value);
  return symbol != functions.end() && symbol->value == address ? symbol->name : std::string();
}

const std::string& function_name(std::uint64_t address) {
  static std::recursive_mutex together;  // the report of a crash in here asks for names, too
  static std::map<std::uint64_t, std::string> known;
  const std::lock_guard lock(together);
  if (const auto at = known.find(address); at != known.end()) return at->second;
  return known[address] = plain_name(function_symbol(address));
}

}  // namespace ridgeline::emulated
