#include "harness/emulated/compiler/shared_guards.hpp"

#include <algorithm>
#include <cstdlib>
#include <istream>
#include <ostream>
#include <string>

namespace ridgeline::emulated {
namespace {

constexpr int least_guard_bytes = 128;

bool begins_with(const std::string& line, const char* word) { return line.rfind(word, 0) == 0; }

}  // namespace

int guard_bytes_of(const std::vector<std::string>& command) {
  const std::string option = "-DRIDGELINE_SHARED_GUARD=";
  for (const std::string& each : command)
    if (begins_with(each, option.c_str()))
      return std::max(least_guard_bytes, std::atoi(each.c_str() + option.size()));
  return least_guard_bytes;
}

void add_shared_guards(std::istream& assembly, std::ostream& guarded, int guard_bytes) {
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
