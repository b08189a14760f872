#include "harness/run/network.hpp"

#include <charconv>
#include <cstddef>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/core.h>

namespace ridgeline::run {
namespace {

constexpr std::size_t most_links = 16;

/// The number above 0 that the first line of a file begins with, before `unit`.
std::optional<double> number_in(const std::filesystem::path& file, std::string_view unit) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  double value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc() || !(value > 0) || value > 1e9) return std::nullopt;
  const std::string_view rest(end, static_cast<std::size_t>(line.data() + line.size() - end));
  return rest.starts_with(unit) ? std::optional(value) : std::nullopt;
}

std::vector<std::filesystem::path> entries(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    found.push_back(at->path());
  return found;
}

}  // namespace

std::string network_links(const std::filesystem::path& sys) {
  std::map<std::string, double> gbit_s;
  std::error_code error;
  for (const auto& interface : entries(sys / "class/net"))
    // Interfaces without a device are virtual: their rate is a word, and so may be their name.
    if (const auto mbit_s = number_in(interface / "speed", "");
        mbit_s && std::filesystem::exists(interface / "device", error))
      gbit_s[interface.filename().string()] = *mbit_s / 1000;
  for (const auto& adapter : entries(sys / "class/infiniband"))
    for (const auto& port : entries(adapter / "ports"))
      if (const auto rate = number_in(port / "rate", " Gb/sec"))
        gbit_s[adapter.filename().string() + ":" + port.filename().string()] = *rate;
  std::string text;
  std::size_t told = 0;
  for (const auto& [name, rate] : gbit_s)
    if (told++ < most_links)
      text += fmt::format("{}{} {:g} Gbit/s", text.empty() ? "" : ", ", name, rate);
  return text;
}

}  // namespace ridgeline::run
