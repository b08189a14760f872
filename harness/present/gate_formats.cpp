#include "harness/present/gate_formats.hpp"

#include "harness/present/gate_report.hpp"

namespace ridgeline::present {

std::span<const GateFormat> gate_formats() {
  static constexpr GateFormat formats[] = {
      {"--markdown", "Also write this, for a job summary; - is the standard output", gate_markdown},
      {"--junit", "Also write JUnit XML; - is the standard output", gate_junit},
  };
  return formats;
}

}  // namespace ridgeline::present
