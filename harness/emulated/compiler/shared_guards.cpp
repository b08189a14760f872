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

bool is_label(const std::string& line) {
  return !line.empty() && line.front() != '\t' && line.back() == ':';
}

/// Whether the line says what a variable holds at first.
bool is_value(const std::string& line) {
  constexpr const char* words[] = {"\t.zero\t",  "\t.byte\t",  "\t.value\t",  "\t.long\t",
                                   "\t.quad\t",  "\t.float\t", "\t.double\t", "\t.string\t",
                                   "\t.ascii\t", "\t.octa\t"};
  return std::ranges::any_of(words, [&](const char* word) { return begins_with(line, word); });
}

}  // namespace

int guard_bytes_of(const std::vector<std::string>& command) {
  const std::string option = "-DRIDGELINE_SHARED_GUARD=";
  for (const std::string& each : command)
    if (begins_with(each, option.c_str()))
      return std::max(least_guard_bytes, std::atoi(each.c_str() + option.size()));
  return least_guard_bytes;
}

void add_shared_guards(std::istream& assembly, std::ostream& guarded, int guard_bytes) {
  enum class Section { other, zeros, values } section = Section::other;
  bool in_values = false;  // of a variable
  int guards = 0;
  const auto leave_guard = [&] {
    const std::string name = "ridgeline.guard." + std::to_string(guards++);
    guarded << "\t.type\t" << name << ", %object\n\t.size\t" << name << ", " << guard_bytes << '\n'
            << name << ":\n\t.zero\t" << guard_bytes << '\n';
  };
  for (std::string line; std::getline(assembly, line);) {
    if (in_values && !is_value(line)) {
      leave_guard();
      in_values = false;
    }
    guarded << line << '\n';
    if (begins_with(line, "\t.section\t"))
      section = line.find("\t.tbss") != std::string::npos    ? Section::zeros
                : line.find("\t.tdata") != std::string::npos ? Section::values
                                                             : Section::other;
    else if (begins_with(line, "\t.text") || begins_with(line, "\t.data") ||
             begins_with(line, "\t.bss"))
      section = Section::other;
    else if (section == Section::zeros && begins_with(line, "\t.zero\t"))
      leave_guard();
    else if (section == Section::values)
      in_values = in_values || is_label(line);
  }
  if (in_values) leave_guard();
}

}  // namespace ridgeline::emulated
