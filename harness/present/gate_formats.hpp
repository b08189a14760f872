#pragma once

#include <span>
#include <string>

namespace ridgeline::present {

struct GateReport;

/// A format in which `ridgeline gate` writes a file.
struct GateFormat {
  const char *option, *what;  // "--junit", and what --help says of it
  std::string (*text)(const GateReport& report);
};

/// In the order of --help.
std::span<const GateFormat> gate_formats();

}  // namespace ridgeline::present
