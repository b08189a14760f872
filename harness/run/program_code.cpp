#include "harness/run/program_code.hpp"

#include <array>
#include <cstdint>
#include <fstream>

#include <fmt/core.h>

#include "harness/analysis/stored_gate.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::run {

std::string program_code(const record::Build& build, const std::filesystem::path& program) {
  if (analysis::is_known_code(build.code_hash)) return build.code_hash;
  std::ifstream file(program, std::ios::binary);
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  std::array<char, 65536> block;
  while (file.read(block.data(), block.size()), file.gcount() > 0)
    for (std::streamsize i = 0; i < file.gcount(); ++i)
      hash = (hash ^ static_cast<unsigned char>(block[static_cast<std::size_t>(i)])) * 0x100000001b3;
  if (!file.eof())
    throw Error(ErrorKind::dependency, fmt::format("cannot read the program {}", printable(program.string())));
  return fmt::format("file {:016x}", hash);
}

}  // namespace ridgeline::run
