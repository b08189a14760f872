#include "harness/emulated/compiler/shared_guards.hpp"

#include <istream>
#include <ostream>
#include <string>

namespace ridgeline::emulated {
namespace {

// Larger than what most loops run too far, and small enough that all variables of a program have an
// address of 20 bits.
constexpr int guard_bytes = 1024;

bool begins_with(const std::string& line, const char* word) { return line.rfind(word, 0) == 0; }

}  // namespace

void add_shared_guards(std::istream& assembly, std::ostream& guarded) {
  bool thread_local_section = false;
  int guards = 0;
  for (std::string line; std::getline(assembly, line);) {
    guarded << line << '\n';
    if (begins_with(line, "\t.section\t"))
      thread_local_section = line.find("\t.tbss") != std::string::npos;
    else if (begins_with(line, "\t.text") || begins_with(line, "\t.data") ||
             begins_with(line, "\t.bss"))
      thread_local_section = false;
    if (!thread_local_section || !begins_with(line, "\t.zero\t")) continue;
    const std::string name = "ridgeline.guard." + std::to_string(guards++);
    guarded << "\t.type\t" << name << ", %object\n\t.size\t" << name << ", " << guard_bytes << '\n'
            << name << ":\n\t.zero\t" << guard_bytes << '\n';
  }
}

}  // namespace ridgeline::emulated
