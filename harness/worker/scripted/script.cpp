#include "harness/worker/scripted/script.hpp"

#include <cstdint>
#include <cstdlib>
#include <fstream>

#include <fmt/core.h>

#include "harness/base/error.hpp"

namespace ridgeline::worker::scripted {
namespace {

/// "noisy=segfault@7-9".
void read_acting(const std::string& text, Script& script) {
  const std::size_t equals = text.find('='), at = text.find('@'), dash = text.find('-', at);
  if (equals == std::string::npos)
    throw Error(ErrorKind::usage, "--as needs VARIANT=VARIANT[@FROM[-TO]]");
  Script::Acting acting{text.substr(equals + 1, at == std::string::npos ? at : at - equals - 1)};
  if (at != std::string::npos) {
    acting.from = acting.to = std::atoi(text.c_str() + at + 1);
    if (dash != std::string::npos) acting.to = std::atoi(text.c_str() + dash + 1);
  }
  script.acting[text.substr(0, equals)].push_back(acting);
}

/// "counted:global_load_sectors=512".
void read_count(const std::string& text, Script& script) {
  const std::size_t colon = text.find(':'), equals = text.find('=', colon);
  if (colon == std::string::npos || equals == std::string::npos)
    throw Error(ErrorKind::usage, "--count needs VARIANT:METRIC=VALUE");
  script.counts[text.substr(0, colon)][text.substr(colon + 1, equals - colon - 1)] =
      std::atof(text.c_str() + equals + 1);
}

}  // namespace

void Script::prepare(const std::string& variant) {
  int count = 1;
  if (!state.empty()) {
    std::ifstream before(state);
    for (std::string line; std::getline(before, line);) count += line == variant ? 1 : 0;
    std::ofstream(state, std::ios::app) << variant << '\n';
  }
  shown = variant;
  const auto found = acting.find(variant);
  if (found == acting.end()) return;
  for (const Acting& each : found->second)
    if (count >= each.from && (each.to == 0 || count <= each.to)) shown = each.as;
}

std::string Script::code_hash() const {
  if (!knows_code) return "unknown";
  std::string text = slower != 0 ? fmt::format("slower {}\n", slower) : "";
  for (const std::string& variant : without) text += fmt::format("without {}\n", variant);
  for (const auto& [variant, all] : acting)
    for (const Acting& each : all)
      text += fmt::format("{} as {} {} {}\n", variant, each.as, each.from, each.to);
  for (const auto& [variant, metrics] : counts)
    for (const auto& [name, value] : metrics)
      text += fmt::format("{} counts {} {}\n", variant, value, name);
  if (!knows_layout) text += "no layout\n";
  if (text.empty()) return {};
  std::uint64_t state = 0xcbf29ce484222325;
  for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}{:016x}", state, ~state);
}

Script take_script(int& argc, char** argv) {
  Script script;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--no-layout" || flag == "--no-code") {
      (flag == "--no-layout" ? script.knows_layout : script.knows_code) = false;
      continue;
    }
    if (flag != "--slower" && flag != "--without" && flag != "--as" && flag != "--count" &&
        flag != "--state") {
      argv[kept++] = argv[i];
      continue;
    }
    if (i + 1 >= argc) throw Error(ErrorKind::usage, fmt::format("{} needs a value", flag));
    const std::string value = argv[++i];
    if (flag == "--slower")
      script.slower = std::atof(value.c_str());
    else if (flag == "--without")
      script.without.push_back(value);
    else if (flag == "--state")
      script.state = value;
    else if (flag == "--count")
      read_count(value, script);
    else
      read_acting(value, script);
  }
  argc = kept;
  return script;
}

}  // namespace ridgeline::worker::scripted
