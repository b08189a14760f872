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

/// What a line that begins a section says of it.
enum class Section { other, zeros, values };
Section section_of(const std::string& line) {
  const auto names = [&](const char* word) { return line.find(word) != std::string::npos; };
  if (names("\t.data.rel.ro")) return Section::other;
  if (names("\t.tbss") || names("\t.bss")) return Section::zeros;
  return names("\t.tdata") || names("\t.data") ? Section::values : Section::other;
}

/// "name" and what stands behind it of "\t.comm\tname,256,32".
struct Common {
  std::string name, bytes, alignment;
};
Common common_of(const std::string& line) {
  const std::size_t begin = line.rfind('\t') + 1, first = line.find(',', begin),
                    second = line.find(',', first + 1);
  if (second == std::string::npos) return {};
  return {line.substr(begin, first - begin), line.substr(first + 1, second - first - 1),
          line.substr(second + 1)};
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
  Section section = Section::other;
  std::string local;       // the variable that is said to be the file's own
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
    // Zeros of the file's own have no section yet.
    const Common common = begins_with(line, "\t.comm\t") ? common_of(line) : Common{};
    if (!common.name.empty() && common.name == local) {
      guarded << "\t.pushsection\t.bss\n\t.balign\t" << common.alignment << "\n\t.type\t"
              << common.name << ", %object\n\t.size\t" << common.name << ", " << common.bytes
              << '\n'
              << common.name << ":\n\t.zero\t" << common.bytes << '\n';
      leave_guard();
      guarded << "\t.popsection\n";
      continue;
    }
    if (begins_with(line, "\t.local\t")) local = line.substr(8);
    guarded << line << '\n';
    if (begins_with(line, "\t.section\t") || begins_with(line, "\t.text") ||
        begins_with(line, "\t.data") || begins_with(line, "\t.bss"))
      section = section_of(line);
    else if (section == Section::zeros && begins_with(line, "\t.zero\t"))
      leave_guard();
    else if (section == Section::values)
      in_values = in_values || is_label(line);
  }
  if (in_values) leave_guard();
}

}  // namespace ridgeline::emulated
