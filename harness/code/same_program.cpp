#include "harness/code/same_program.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "harness/base/error.hpp"
#include "harness/code/elf_file.hpp"

namespace ridgeline::code {
namespace {

namespace fs = std::filesystem;

bool same_bytes(const fs::path& one, const fs::path& other) {
  std::error_code failure;
  if (fs::file_size(one, failure) != fs::file_size(other, failure) || failure) return false;
  std::ifstream a(one, std::ios::binary), b(other, std::ios::binary);
  using Bytes = std::istreambuf_iterator<char>;
  return a && b && std::equal(Bytes(a), Bytes(), Bytes(b), Bytes()) && !a.bad() && !b.bad();
}

/// Whether it is a program that asks for nothing from its own folder, and opens no library while it
/// runs, which it could look for there.
bool stands_alone(const fs::path& file) {
  try {
    const ElfFile program = ElfFile::read(file);
    return std::ranges::none_of(
               program.requests(),
               [](const std::string& request) { return request.find('$') != std::string::npos; }) &&
           std::ranges::none_of(program.dynamic_symbols(), [](const Symbol& symbol) {
             return symbol.name == "dlopen" || symbol.name == "dlmopen";
           });
  } catch (const Error& failure) {
    if (failure.kind() != ErrorKind::store) throw;
    return false;  // no program
  }
}

}  // namespace

bool same_program(const fs::path& baseline, const fs::path& candidate) {
  return same_bytes(baseline, candidate) &&
         (baseline.parent_path() == candidate.parent_path() || stands_alone(baseline));
}

}  // namespace ridgeline::code
