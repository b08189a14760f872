#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/record/run.hpp"

/// What vendors say that their GPUs reach: ceilings to draw beside the measured ones, never instead
/// of them.
namespace ridgeline::catalogue {

/// One model of GPU as its vendor describes it. Rates are dense (no sparsity) and in TFLOP/s; 0
/// where the model has no such unit.
struct Datasheet {
  std::string_view pci_ids;  // device ids below vendor 10de, four lower-case hex digits each,
                             // separated by spaces
  std::string_view model;
  int sms = 0;
  int capability = 0;                           // 10 * major + minor
  double f32 = 0, f64 = 0;                      // without tensor cores
  double tf32 = 0, bf16 = 0, f16 = 0, fp8 = 0;  // tensor cores, sums in f32
  double dram_gb_s = 0;                         // 1e9 byte/s
  double l2_mib = 0;
  double nvlink_gb_s = 0;   // both directions together; 0 without
  std::string_view source;  // the public document
  std::string_view note;    // the clocks that the rates assume, and where documents disagree
};

std::span<const Datasheet> datasheets();

/// The datasheet of the GPU with this PCI device id ("2335"); absent when the catalogue does not
/// know it.
std::optional<Datasheet> datasheet(std::string_view pci_id);

/// Its figures as roofs: dram in B/s; fma.f32, fma.f64, tensor.tf32, tensor.bf16, tensor.f16,
/// tensor.fp8 in FLOP/s; l2_bytes in B. Empty for an unknown id.
std::vector<record::Roof> datasheet_roofs(std::string_view pci_id);

/// True when no PCI id occurs twice.
constexpr bool pci_ids_are_unique(std::span<const Datasheet> sheets) {
  for (std::size_t a = 0; a < sheets.size(); ++a)
    for (std::size_t at = 0; at < sheets[a].pci_ids.size(); at += 5) {
      const std::string_view id = sheets[a].pci_ids.substr(at, 4);
      if (sheets[a].pci_ids.find(id, at + 4) != std::string_view::npos) return false;
      for (std::size_t b = a + 1; b < sheets.size(); ++b)
        if (sheets[b].pci_ids.find(id) != std::string_view::npos) return false;
    }
  return true;
}

}  // namespace ridgeline::catalogue
