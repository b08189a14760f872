#include "harness/emulated/compiler/program_texts.hpp"

namespace ridgeline::emulated {

void write_texts(const char* section, const std::vector<std::string>& texts,
                 std::ostream& assembly) {
  if (texts.empty()) return;
  assembly << "\t.section\t" << section << ",\"a\",@progbits\n";
  for (const std::string& text : texts) {
    assembly << "\t.string\t\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') assembly << '\\';
      assembly << c;
    }
    assembly << "\"\n";
  }
}

}  // namespace ridgeline::emulated
