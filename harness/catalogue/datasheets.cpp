#include "harness/catalogue/datasheets.hpp"

#include <string>

namespace ridgeline::catalogue {
namespace {

// clang-format off
constexpr Datasheet all_datasheets[] = {
    {.pci_ids = "1db1 1db5", .model = "Tesla V100 SXM2", .sms = 80, .capability = 70,
     .f32 = 15.7, .f64 = 7.8, .f16 = 125, .dram_gb_s = 900, .l2_mib = 6, .nvlink_gb_s = 300,
     .source = "NVIDIA Tesla V100 GPU Architecture, whitepaper (2017)",
     .note = "boost clock of 1530 MHz"},
    {.pci_ids = "1eb8", .model = "Tesla T4", .sms = 40, .capability = 75,
     .f32 = 8.1, .f64 = 0.25, .f16 = 65, .dram_gb_s = 320, .l2_mib = 4,
     .source = "NVIDIA Turing GPU Architecture, whitepaper (2018)",
     .note = "boost clock of 1590 MHz"},
    {.pci_ids = "20b0", .model = "A100 SXM4 40 GB", .sms = 108, .capability = 80,
     .f32 = 19.5, .f64 = 9.7, .tf32 = 156, .bf16 = 312, .f16 = 312,
     .dram_gb_s = 1555, .l2_mib = 40, .nvlink_gb_s = 600,
     .source = "NVIDIA A100 Tensor Core GPU Architecture, whitepaper (2020)",
     .note = "boost clock of 1410 MHz"},
    {.pci_ids = "20b2", .model = "A100 SXM4 80 GB", .sms = 108, .capability = 80,
     .f32 = 19.5, .f64 = 9.7, .tf32 = 156, .bf16 = 312, .f16 = 312,
     .dram_gb_s = 2039, .l2_mib = 40, .nvlink_gb_s = 600,
     .source = "NVIDIA A100 Tensor Core GPU datasheet (2021)", .note = "boost clock of 1410 MHz"},
    {.pci_ids = "20f1", .model = "A100 PCIe 40 GB", .sms = 108, .capability = 80,
     .f32 = 19.5, .f64 = 9.7, .tf32 = 156, .bf16 = 312, .f16 = 312,
     .dram_gb_s = 1555, .l2_mib = 40, .nvlink_gb_s = 600,
     .source = "NVIDIA A100 Tensor Core GPU datasheet (2021)",
     .note = "boost clock of 1410 MHz; NVLink over a bridge of two cards"},
    {.pci_ids = "20b5", .model = "A100 PCIe 80 GB", .sms = 108, .capability = 80,
     .f32 = 19.5, .f64 = 9.7, .tf32 = 156, .bf16 = 312, .f16 = 312,
     .dram_gb_s = 1935, .l2_mib = 40, .nvlink_gb_s = 600,
     .source = "NVIDIA A100 Tensor Core GPU datasheet (2021)",
     .note = "boost clock of 1410 MHz; NVLink over a bridge of two cards"},
    {.pci_ids = "2236", .model = "A10", .sms = 72, .capability = 86,
     .f32 = 31.2, .f64 = 0.49, .tf32 = 62.5, .bf16 = 125, .f16 = 125, .dram_gb_s = 600, .l2_mib = 6,
     .source = "NVIDIA A10 datasheet (2021)", .note = "boost clock of 1695 MHz"},
    {.pci_ids = "27b8", .model = "L4", .sms = 58, .capability = 89,
     .f32 = 30.3, .f64 = 0.47, .tf32 = 60, .bf16 = 121, .f16 = 121, .fp8 = 242,
     .dram_gb_s = 300, .l2_mib = 48,
     .source = "NVIDIA L4 datasheet (2023)", .note = "boost clock of 2040 MHz"},
    {.pci_ids = "26b9", .model = "L40S", .sms = 142, .capability = 89,
     .f32 = 91.6, .f64 = 1.4, .tf32 = 183, .bf16 = 362, .f16 = 362, .fp8 = 733,
     .dram_gb_s = 864, .l2_mib = 96,
     .source = "NVIDIA L40S datasheet (2023)", .note = "boost clock of 2520 MHz"},
    {.pci_ids = "2684", .model = "GeForce RTX 4090", .sms = 128, .capability = 89,
     .f32 = 82.6, .f64 = 1.3, .tf32 = 82.6, .bf16 = 165, .f16 = 165, .fp8 = 330,
     .dram_gb_s = 1008, .l2_mib = 72,
     .source = "NVIDIA Ada GPU Architecture, whitepaper (2022)",
     .note = "boost clock of 2520 MHz; sums in f32"},
    {.pci_ids = "2330", .model = "H100 SXM5 80 GB", .sms = 132, .capability = 90,
     .f32 = 66.9, .f64 = 33.5, .tf32 = 494.7, .bf16 = 989.4, .f16 = 989.4, .fp8 = 1978.9,
     .dram_gb_s = 3352, .l2_mib = 50, .nvlink_gb_s = 900,
     .source = "NVIDIA H100 Tensor Core GPU Architecture, whitepaper (2022)",
     .note = "f32 and f64 assume the SMs at 1980 MHz, tensor rates at 1830 MHz; the bandwidth is "
             "published as 3.35 TB/s"},
    {.pci_ids = "2331", .model = "H100 PCIe", .sms = 114, .capability = 90,
     .f32 = 51.2, .f64 = 25.6, .tf32 = 378, .bf16 = 756, .f16 = 756, .fp8 = 1513,
     .dram_gb_s = 2039, .l2_mib = 50, .nvlink_gb_s = 600,
     .source = "NVIDIA H100 Tensor Core GPU Architecture, whitepaper (2022)",
     .note = "boost clock of 1755 MHz, tensor rates at 1620 MHz; NVLink over a bridge"},
    {.pci_ids = "2321", .model = "H100 NVL 94 GB", .sms = 132, .capability = 90,
     .f32 = 60, .f64 = 30, .tf32 = 418, .bf16 = 835, .f16 = 835, .fp8 = 1671,
     .dram_gb_s = 3938, .l2_mib = 50, .nvlink_gb_s = 600,
     .source = "NVIDIA H100 datasheet (2024)", .note = "boost clock; NVLink over a bridge"},
    {.pci_ids = "2342", .model = "GH200", .sms = 132, .capability = 90,
     .f32 = 66.9, .f64 = 33.5, .tf32 = 494.7, .bf16 = 989.4, .f16 = 989.4, .fp8 = 1978.9,
     .dram_gb_s = 4022, .l2_mib = 50, .nvlink_gb_s = 900,
     .source = "NVIDIA GH200 Grace Hopper Superchip datasheet (2023)",
     .note = "with HBM3, HBM3e reaches 4900 GB/s; f32 and f64 assume the SMs at 1980 MHz, tensor "
             "rates at 1830 MHz; the device may report 60 MiB of L2"},
    {.pci_ids = "2335", .model = "H200 SXM", .sms = 132, .capability = 90,
     .f32 = 66.9, .f64 = 33.5, .tf32 = 494.7, .bf16 = 989.4, .f16 = 989.4, .fp8 = 1978.9,
     .dram_gb_s = 4814, .l2_mib = 50, .nvlink_gb_s = 900,
     .source = "NVIDIA H200 datasheet (2024)",
     .note = "f32 and f64 assume the SMs at 1980 MHz, tensor rates at 1830 MHz; the bandwidth is "
             "6016 bits at 3201 MHz, published as 4.8 TB/s; the device reports 60 MiB of L2"},
    {.pci_ids = "2901", .model = "B200 SXM", .sms = 148, .capability = 100,
     .f32 = 75, .f64 = 37, .tf32 = 1125, .bf16 = 2250, .f16 = 2250, .fp8 = 4500,
     .dram_gb_s = 8000, .l2_mib = 126, .nvlink_gb_s = 1800,
     .source = "NVIDIA HGX B200 datasheet (2024)",
     .note = "boost clock; a system's figures over its eight GPUs"},
    {.pci_ids = "2b85", .model = "GeForce RTX 5090", .sms = 170, .capability = 120,
     .f32 = 104.8, .f64 = 1.6, .tf32 = 104.8, .bf16 = 210, .f16 = 210, .fp8 = 419,
     .dram_gb_s = 1792, .l2_mib = 96,
     .source = "NVIDIA RTX Blackwell GPU Architecture, whitepaper (2025)",
     .note = "boost clock of 2407 MHz; sums in f32"},
};
// clang-format on
static_assert(pci_ids_are_unique(all_datasheets));

constexpr double tera = 1e12, giga = 1e9, mebi = 1 << 20;

}  // namespace

std::span<const Datasheet> datasheets() { return all_datasheets; }

std::optional<Datasheet> datasheet(std::string_view pci_id) {
  if (pci_id.size() != 4 || pci_id.find(' ') != std::string_view::npos) return std::nullopt;
  for (const Datasheet& sheet : all_datasheets)
    if (sheet.pci_ids.find(pci_id) != std::string_view::npos) return sheet;
  return std::nullopt;
}

std::vector<record::Roof> datasheet_roofs(std::string_view pci_id) {
  std::vector<record::Roof> roofs;
  const std::optional<Datasheet> sheet = datasheet(pci_id);
  if (!sheet) return roofs;
  const auto add = [&](const char* kind, double value, const char* unit) {
    if (value > 0) roofs.push_back({kind, value, unit, std::string(sheet->source)});
  };
  add("dram", sheet->dram_gb_s * giga, "B/s");
  add("fma.f32", sheet->f32 * tera, "FLOP/s");
  add("fma.f64", sheet->f64 * tera, "FLOP/s");
  add("tensor.tf32", sheet->tf32 * tera, "FLOP/s");
  add("tensor.bf16", sheet->bf16 * tera, "FLOP/s");
  add("tensor.f16", sheet->f16 * tera, "FLOP/s");
  add("tensor.fp8", sheet->fp8 * tera, "FLOP/s");
  add("l2_bytes", sheet->l2_mib * mebi, "B");
  return roofs;
}

}  // namespace ridgeline::catalogue
