#include "harness/analysis/bound.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace ridgeline::analysis {
namespace {

using catalogue::Datasheet;

constexpr double tera = 1e12, giga = 1e9;

std::optional<double> sum(std::optional<double> a, std::optional<double> b) {
  if (!a && !b) return std::nullopt;
  return a.value_or(0) + b.value_or(0);
}

/// f32 multiply-adds that an SM starts each clock. Source: CUDA C++ Programming Guide, "Arithmetic
/// Instructions".
int f32_lanes(int capability) {
  return capability == 70 || capability == 75 || capability == 80 ? 64 : 128;
}

/// FLOP/s of tensor cores for this dtype, in TFLOP/s; an f32 goes through them as tf32. 0 where
/// there is none.
double tensor_rate(const Datasheet& device, std::string_view dtype) {
  if (dtype == "bf16") return device.bf16;
  if (dtype == "f16") return device.f16;
  if (dtype == "f32" || dtype == "tf32") return device.tf32;
  if (dtype.starts_with("f8") || dtype.starts_with("fp8") || dtype.starts_with("e4m3"))
    return device.fp8;
  return 0;
}

/// FLOP/s without tensor cores, in TFLOP/s; 0 where no source says. Types of 16 bits may compute in
/// pairs: up to 256 of them a clock and SM, on capabilities 8.0 and 9.0 (CUDA C++ Programming
/// Guide, "Arithmetic Instructions").
double cuda_core_rate(const Datasheet& device, std::string_view dtype) {
  if (dtype == "f64") return device.f64;
  if (dtype == "f32" || dtype == "tf32") return device.f32;
  if ((dtype == "f16" || dtype == "bf16") && (device.capability == 80 || device.capability == 90))
    return device.f32 * 256 / f32_lanes(device.capability);
  return 0;
}

void add(Bound& bound, const char* resource, double amount, const char* unit, double rate,
         std::string source) {
  if (amount > 0)
    bound.terms.push_back({resource, amount, rate, unit, amount / rate * 1e9, std::move(source)});
}

void leave_out(Bound& bound, const char* resource, const std::string& why) {
  bound.left_out.push_back(fmt::format("{}: {}", resource, why));
}

void add_arithmetic(Bound& bound, const CountedWork& work, const Datasheet& device) {
  const char* resource = work.tensor ? "tensor cores" : "CUDA cores";
  if (!work.flops)
    return leave_out(bound, resource, "the case does not say how many operations it needs");
  const double rate =
      work.tensor ? tensor_rate(device, work.dtype) : cuda_core_rate(device, work.dtype);
  if (*work.flops > 0 && rate <= 0)
    return leave_out(bound, resource, fmt::format("no rate for {} is known", work.dtype));
  add(bound, resource, *work.flops, "FLOP", rate * tera, std::string(device.source));
}

}  // namespace

std::optional<double> metric(const std::vector<record::Metric>& metrics, std::string_view name) {
  const auto found = std::ranges::find(metrics, name, &record::Metric::name);
  return found == metrics.end() ? std::nullopt : std::optional(found->value);
}

CountedWork counted_work(const record::Case& info, const record::Measurement& counted) {
  CountedWork work;
  work.dtype = info.id.dtype;
  work.flops = counted.flops ? counted.flops : info.flops;
  work.dram_bytes = sum(metric(counted.metrics, "dram_read_bytes"),
                        metric(counted.metrics, "dram_written_bytes"));
  if (work.dram_bytes) {
    // Every store goes through to L2; a load may end in L1, but what DRAM gave has come through L2.
    constexpr double sector = 32;
    work.l2_bytes = metric(counted.metrics, "dram_read_bytes").value_or(0) +
                    sector * metric(counted.metrics, "global_store_sectors").value_or(0);
  }
  if (option(info.id, "cache", "cold") == "hot") work.dram_bytes.reset();
  work.shared_wavefronts = sum(metric(counted.metrics, "shared_load_wavefronts"),
                               metric(counted.metrics, "shared_store_wavefronts"));
  work.tensor = metric(counted.metrics, "tensor_instructions").value_or(0) > 0;
  return work;
}

Bound least_time(const CountedWork& work, const Datasheet& device,
                 const std::optional<record::Roof>& l2) {
  Bound bound;
  if (work.dram_bytes)
    add(bound, "DRAM", *work.dram_bytes, "B", device.dram_gb_s * giga, std::string(device.source));
  else
    leave_out(bound, "DRAM", "its bytes are not counted, or the case keeps its data in the cache");
  if (!l2)
    leave_out(bound, "L2", "no run of `roofs` on this model is stored");
  else if (work.l2_bytes)
    add(bound, "L2", *work.l2_bytes, "B", l2->value, l2->kind + ", measured");
  else
    leave_out(bound, "L2", "its bytes are not counted");
  if (work.shared_wavefronts)
    add(bound, "shared memory", *work.shared_wavefronts, "wavefronts",
        clock_of_roof(device) * device.sms,
        fmt::format("128 B a clock and SM at {:.0f} MHz", clock_of_roof(device) / 1e6));
  else
    leave_out(bound, "shared memory", "its wavefronts are not counted");
  add_arithmetic(bound, work, device);
  const auto longest = std::ranges::max_element(bound.terms, {}, &BoundTerm::ns);
  if (longest == bound.terms.end()) return bound;
  bound.binding = *longest;
  if (work.flops && *work.flops > 0) {
    bound.flop_rate = *work.flops / longest->ns * 1e9;
    if (work.dram_bytes && *work.dram_bytes > 0)
      bound.flop_per_byte = *work.flops / *work.dram_bytes;
  }
  return bound;
}

double clock_of_roof(const Datasheet& device) {
  const double flop_a_clock = 2.0 * f32_lanes(device.capability) * device.sms;
  return device.f32 * tera / flop_a_clock;
}

std::optional<int> counting_capability(const Datasheet& device) {
  for (const int emulated : {90, 80})
    if (emulated / 10 == device.capability / 10 && emulated <= device.capability) return emulated;
  return std::nullopt;
}

}  // namespace ridgeline::analysis
