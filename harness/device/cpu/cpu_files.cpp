#include "harness/device/cpu/cpu_files.hpp"

#include <charconv>
#include <fstream>

namespace ridgeline::device::cpu {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\"");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\"") - first + 1);
}

}  // namespace

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return trimmed(line);
}

std::string value_of(const std::filesystem::path& file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto separator = line.find_first_of(":=");
    if (separator != std::string::npos && trimmed(line.substr(0, separator)) == key)
      return trimmed(line.substr(separator + 1));
  }
  return {};
}

std::vector<int> parse_cpu_list(const std::string& text) {
  std::vector<int> cpus;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int first = 0;
    auto read = std::from_chars(at, end, first);
    if (read.ec != std::errc{} || first < 0) break;
    int last = first;
    if (read.ptr < end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, last);
    if (read.ec != std::errc{} || last < first || last > 1 << 16) break;
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (read.ptr < end && *read.ptr != ',') break;
    at = read.ptr + 1;
  }
  return cpus;
}

std::uint64_t parse_size(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return 0;
  const std::string unit(end, text.data() + text.size());
  if (unit.empty()) return number;
  if (unit == "K") return number << 10;
  if (unit == "M") return number << 20;
  return unit == "G" ? number << 30 : 0;
}

}  // namespace ridgeline::device::cpu
