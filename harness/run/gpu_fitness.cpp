#include "harness/run/gpu_fitness.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

// Reasons for lowered clocks: NVML API reference, nvmlClocksEventReasons.

namespace ridgeline::run {
namespace {

constexpr std::pair<unsigned long, const char*> by_hardware[] = {{0x08, "hw_slowdown"},
                                                                 {0x20, "sw_thermal_slowdown"},
                                                                 {0x40, "hw_thermal_slowdown"},
                                                                 {0x80, "hw_power_brake_slowdown"}};
constexpr std::pair<unsigned long, const char*> otherwise[] = {
    {0x02, "applications_clocks_setting"}, {0x04, "sw_power_cap"}, {0x10, "sync_boost"}};

constexpr const char* smi_source = "nvidia-smi";
constexpr const char* reset =
    "drain and reset the GPU (nvidia-smi --gpu-reset) or restart the machine; if it comes back, "
    "have it replaced";

/// Reads the facts of one GPU for the judges below.
class Reader {
 public:
  explicit Reader(const GpuFacts& facts) : facts_(facts) {}

  std::optional<std::string> text(const std::string& name) const {
    const auto found = facts_.fields.find(name);
    if (found == facts_.fields.end() || found->second == "N/A") return std::nullopt;
    return found->second;
  }
  std::optional<double> number(const std::string& name) const {
    const auto value = text(name);
    if (!value) return std::nullopt;
    double parsed = 0;
    const char* end = value->data() + value->size();
    const auto [rest, error] = std::from_chars(value->data(), end, parsed);
    if (error != std::errc{} || rest != end || !std::isfinite(parsed)) return std::nullopt;
    return parsed;
  }
  /// Whether the driver says that this GPU has no such thing.
  bool has_none(const std::string& name) const {
    const auto found = facts_.fields.find(name);
    return found != facts_.fields.end() && found->second == "N/A";
  }
  const std::vector<std::string>& processes() const { return facts_.processes; }

  /// Of a thing that was not read.
  Finding absent(const Subject& subject, const std::string& field) const {
    if (has_none(field)) return fine(subject, "this GPU has none");
    return finding(subject, Level::unknown, "the driver does not say",
                   "look by hand: nvidia-smi -q");
  }

 private:
  const GpuFacts& facts_;
};

Findings judge_clocks(const Reader& gpu) {
  const Subject throttling{"throttling", smi_source, "every time would be that of a slowed GPU"};
  const Subject clocks{"clocks", smi_source, "times compare only with runs at the same clocks"};
  Findings found;
  const std::string field = "clocks_throttle_reasons.active";
  const std::string reasons = gpu.text(field).value_or("");
  unsigned long mask = 0;
  const bool hexadecimal = reasons.starts_with("0x");
  const auto parsed = std::from_chars(reasons.data() + (hexadecimal ? 2 : 0),
                                      reasons.data() + reasons.size(), mask, 16);
  if (parsed.ec != std::errc{} || parsed.ptr != reasons.data() + reasons.size()) {
    found.push_back(gpu.absent(throttling, field));
  } else {
    std::vector<std::string> hard, soft;
    for (const auto& [bit, name] : by_hardware)
      if ((mask & bit) != 0) hard.emplace_back(name);
    for (const auto& [bit, name] : otherwise)
      if ((mask & bit) != 0) soft.emplace_back(name);
    if (hard.empty())
      found.push_back(fine(throttling, "nothing of the hardware holds clocks down at rest"));
    else
      found.push_back(
          finding(throttling, Level::unfit,
                  fmt::format("clocks are held down at rest by {}", fmt::join(hard, ", ")),
                  "look at fans, airflow and power cables, let it cool, then look again"));
    if (!soft.empty())
      found.push_back(finding(
          clocks, Level::note,
          fmt::format("clocks are held down at rest by {}", fmt::join(soft, ", ")),
          "nvidia-smi -q -d CLOCK,PERFORMANCE shows the setting; keep it from night to night"));
  }
  const auto clock = gpu.text("clocks.applications.graphics"),
             usual = gpu.text("clocks.default_applications.graphics");
  if (!clock || !usual)
    found.push_back(gpu.absent(clocks, "clocks.applications.graphics"));
  else if (*clock != *usual)
    found.push_back(finding(
        clocks, Level::note,
        fmt::format("the application clock is {} MHz, by default {} MHz", *clock, *usual),
        "keep it from night to night, or reset it: nvidia-smi --reset-applications-clocks"));
  else
    found.push_back(
        fine(clocks, fmt::format("the application clock is {} MHz, as by default", *clock)));
  return found;
}

Findings judge_others(const Reader& gpu) {
  const Subject subject{"other processes", smi_source,
                        "they take execution units, bandwidth and power from what is measured"};
  std::string end =
      "end it, or reserve the GPU (a scheduler's exclusive job, a maintenance window)";
  const auto busy = gpu.number("utilization.gpu"), used = gpu.number("memory.used");
  std::vector<std::string> named = gpu.processes();
  if (!named.empty()) {
    const std::size_t more = named.size() > 5 ? named.size() - 5 : 0;
    named.resize(named.size() - more);
    return {finding(subject, Level::unfit,
                    fmt::format("{}{}", fmt::join(named, ", "),
                                more > 0 ? fmt::format(" and {} more", more) : ""),
                    end)};
  }
  std::string seen;
  if (busy && *busy >= limits::gpu_busy_percent)
    seen = fmt::format("the GPU is {:.0f}% busy", *busy);
  else if (used && *used > limits::gpu_memory_mib)
    seen = fmt::format("{:.0f} MiB of GPU memory are in use", *used);
  if (!seen.empty())
    return {finding(subject, Level::unfit, seen + ", but no process is visible from here",
                    "look for it outside this container; " + end)};
  if (!busy && !used) return {gpu.absent(subject, "utilization.gpu")};
  return {fine(subject, "none, and the GPU is idle")};
}

Findings judge_heat_and_power(const Reader& gpu) {
  const Subject heat{"temperature", smi_source, "a hot GPU throttles as soon as it works"};
  Findings found;
  const auto temperature = gpu.number("temperature.gpu"),
             headroom = gpu.number("temperature.gpu.tlimit");
  if (!temperature && !headroom) {
    found.push_back(gpu.absent(heat, ""));
  } else {
    const std::string seen =
        fmt::format("{}{}", temperature ? fmt::format("{:.0f} C at rest", *temperature) : "at rest",
                    headroom ? fmt::format(", {:.0f} C below where clocks fall", *headroom) : "");
    const bool hot = headroom ? *headroom <= limits::headroom_c : *temperature >= limits::hot_c;
    found.push_back(hot ? finding(heat, Level::unfit, seen,
                                  "look at fans and airflow, or wait until it has cooled")
                        : fine(heat, seen));
  }
  const Subject power{"power limit", smi_source, "times compare only with runs at the same limit"};
  const auto limit = gpu.number("power.limit"), usual = gpu.number("power.default_limit");
  const auto enforced = gpu.number("enforced.power.limit");
  if (!limit) {
    found.push_back(gpu.absent(power, "power.limit"));
  } else if (enforced && *enforced < *limit) {
    found.push_back(finding(
        {power.check, power.source,
         "the board or the machine allows less than was asked for, and may "
         "change it during a run"},
        Level::unfit, fmt::format("{:.0f} W are enforced, {:.0f} W are set", *enforced, *limit),
        "look at power supplies and at the machine's power management"));
  } else if (usual && *limit < *usual) {
    found.push_back(finding(
        power, Level::note, fmt::format("{:.0f} W, by default {:.0f} W", *limit, *usual),
        fmt::format("keep it from night to night, or reset it: nvidia-smi --power-limit={:.0f}",
                    *usual)));
  } else {
    found.push_back(fine(power, fmt::format("{:.0f} W", *limit)));
  }
  return found;
}

Findings judge_memory(const Reader& gpu) {
  const char* why =
      "results may be wrong, and the driver spends time on correcting or isolating memory";
  const Subject errors{"ECC errors", smi_source, why};
  Findings found;
  const auto uncorrected = gpu.number("ecc.errors.uncorrected.volatile.total"),
             corrected = gpu.number("ecc.errors.corrected.volatile.total");
  if (!uncorrected && !corrected)
    found.push_back(gpu.absent(errors, "ecc.errors.uncorrected.volatile.total"));
  else if (uncorrected.value_or(0) == 0 && corrected.value_or(0) == 0)
    found.push_back(fine(errors, "none since the driver was loaded"));
  if (uncorrected.value_or(0) > 0)
    found.push_back(finding(
        errors, Level::unfit,
        fmt::format("{:.0f} uncorrected since the driver was loaded", *uncorrected), reset));
  if (corrected.value_or(0) > 0)
    found.push_back(finding(
        {errors.check, errors.source, "memory that often needs correcting fails sooner"},
        Level::note, fmt::format("{:.0f} corrected since the driver was loaded", *corrected),
        "watch the number"));
  const Subject memory{"GPU memory", smi_source, why};
  bool known = false, bad = false;
  for (const auto& [field, words] :
       {std::pair("retired_pages.pending", "memory pages wait to be retired"),
        std::pair("remapped_rows.pending", "memory rows wait to be remapped"),
        std::pair("remapped_rows.failure", "a memory row could not be remapped")}) {
    const auto value = gpu.text(field);
    known = known || value.has_value();
    if (value != "Yes") continue;
    bad = true;
    found.push_back(finding(memory, Level::unfit, words, reset));
  }
  if (!bad && known) found.push_back(fine(memory, "no page or row waits to be isolated"));
  if (!bad && !known) found.push_back(gpu.absent(memory, "retired_pages.pending"));
  const Subject state{"GPU state", smi_source,
                      "the GPU is in a state that it does not leave by itself"};
  const std::string action = gpu.text("gpu_recovery_action").value_or("None");
  if (action != "None")
    found.push_back(
        finding(state, Level::unfit, "the driver asks for the recovery action " + action, reset));
  else if (gpu.text("gpu_recovery_action"))
    found.push_back(fine(state, "the driver asks for no recovery"));
  return found;
}

/// Modes that are on or off, and may wait for a reset.
Findings judge_mode(const Reader& gpu, const Subject& subject, const std::string& mode,
                    const std::string& odd, const char* seen, const char* advice) {
  const auto now = gpu.text(mode + ".mode.current"), later = gpu.text(mode + ".mode.pending");
  if (!now) return {gpu.absent(subject, mode + ".mode.current")};
  Findings found;
  if (later && *later != *now)
    found.push_back(finding(
        {subject.check, subject.source, "times before and after are not comparable"}, Level::note,
        fmt::format("{} is {} now and {} after the next reset", subject.check, *now, *later),
        "reset the GPU, or undo it"));
  if (*now == odd) found.push_back(finding(subject, Level::note, seen, advice));
  if (found.empty()) found.push_back(fine(subject, *now));
  return found;
}

Findings judge_modes(const Reader& gpu) {
  Findings found = judge_mode(
      gpu, {"ECC", smi_source, "without it bit errors go unseen, and memory is faster and larger"},
      "ecc", "Disabled", "off",
      "keep it from night to night, or turn it on: nvidia-smi "
      "--ecc-config=1");
  std::ranges::move(
      judge_mode(gpu,
                 {"MIG", smi_source,
                  "other instances share power and clocks with the one that is measured"},
                 "mig", "Enabled", "the GPU is divided", "leave the other instances idle"),
      std::back_inserter(found));
  const Subject persistence{"persistence mode", smi_source,
                            "without it the driver is loaded again for each process, and forgets "
                            "settings in between"};
  const auto persists = gpu.text("persistence_mode");
  if (!persists)
    found.push_back(gpu.absent(persistence, "persistence_mode"));
  else if (*persists == "Disabled")
    found.push_back(finding(persistence, Level::note, "off",
                            "start nvidia-persistenced, or nvidia-smi --persistence-mode=1"));
  else
    found.push_back(fine(persistence, *persists));
  const Subject compute{"compute mode", smi_source,
                        "a mode that refuses programs keeps cases or gates from being measured"};
  const auto mode = gpu.text("compute_mode");
  if (!mode)
    found.push_back(gpu.absent(compute, "compute_mode"));
  else if (*mode == "Prohibited")
    found.push_back(finding(compute, Level::unfit, "no program may use the GPU",
                            "nvidia-smi --compute-mode=0"));
  else if (*mode == "Exclusive_Process")
    found.push_back(finding({compute.check, compute.source,
                             "a gate that measures two builds in turn keeps a process of each on "
                             "the GPU, which this mode refuses"},
                            Level::note, "exclusive", "for gates: nvidia-smi --compute-mode=0"));
  else
    found.push_back(fine(compute, *mode));
  const Subject link{"PCIe", smi_source,
                     "with fewer lanes, copies from and to the host are slower"};
  const auto width = gpu.number("pcie.link.width.current"),
             widest = gpu.number("pcie.link.width.max");
  if (!width || !widest)
    found.push_back(gpu.absent(link, "pcie.link.width.current"));
  else if (0 < *width && *width < *widest)
    found.push_back(finding(link, Level::note,
                            fmt::format("the link has {:.0f} of {:.0f} lanes", *width, *widest),
                            "reseat the card; see the slot's lanes"));
  else
    found.push_back(fine(link, fmt::format("{:.0f} lanes", *width)));
  return found;
}

/// As nvidia-smi would say it, what the worker has read by NVML.
GpuFacts of_worker(const record::Device& device) {
  GpuFacts facts;
  const auto take = [&](const record::Facts& from, const char* key, const char* field) {
    const auto found = from.find(key);
    if (found != from.end() && !found->second.empty()) facts.fields[field] = found->second;
  };
  take(device.comparable, "power_limit_w", "power.limit");
  take(device.recorded, "default_power_limit_w", "power.default_limit");
  take(device.comparable, "application_sm_clock_mhz", "clocks.applications.graphics");
  take(device.recorded, "default_application_sm_clock_mhz", "clocks.default_applications.graphics");
  take(device.recorded, "temperature_at_rest_c", "temperature.gpu");
  if (const auto held = device.recorded.find("clocks_at_rest_held_by");
      held != device.recorded.end()) {
    unsigned long mask = 0;
    using Reasons = std::span<const std::pair<unsigned long, const char*>>;
    for (const auto& table : {Reasons(by_hardware), Reasons(otherwise)})
      for (const auto& [bit, reason] : table)
        if (("," + held->second + ",").find(fmt::format(",{},", reason)) != std::string::npos)
          mask |= bit;
    facts.fields["clocks_throttle_reasons.active"] = fmt::format("{:#x}", mask);
  }
  const auto translate = [&](const record::Facts& from, const char* key, const char* field) {
    const auto found = from.find(key);
    if (found != from.end())
      facts.fields[field] = found->second.starts_with("on") ? "Enabled" : "Disabled";
  };
  translate(device.comparable, "ecc", "ecc.mode.current");
  translate(device.comparable, "mig", "mig.mode.current");
  translate(device.recorded, "persistence_mode", "persistence_mode");
  if (const auto others = device.recorded.find("processes_at_rest_of_others");
      others != device.recorded.end()) {
    if (others->second == "0")
      facts.fields["utilization.gpu"] = "0";
    else
      facts.processes.push_back(others->second + " that NVML counts");
  }
  return facts;
}

/// How nvidia-smi knows it: the numbers of CUDA and of nvidia-smi may differ.
std::string name_of(const record::Device& device) {
  const auto bus = device.recorded.find("pci_bus");
  if (bus != device.recorded.end() && !bus->second.empty()) return bus->second;
  return device.uuid.starts_with("GPU-") ? device.uuid : "";
}

}  // namespace

Findings judge_gpu(const GpuFacts& facts) {
  Findings found;
  const Reader reader(facts);
  for (const auto judge :
       {judge_clocks, judge_others, judge_heat_and_power, judge_memory, judge_modes})
    std::ranges::move(judge(reader), std::back_inserter(found));
  return found;
}

Findings look_at_gpu(const record::Device& device, const Smi& smi) {
  const Subject subject{"nvidia-smi", "nvidia-smi, asked by the GPU's bus",
                        "without it clocks, heat, errors and other users of the GPU are not known"};
  const std::string name = name_of(device);
  if (name.empty())
    return {finding(subject, Level::unknown, "the GPU's UUID and bus are not known",
                    "run nvidia-smi by hand")};
  try {
    Findings found = judge_gpu(ask_smi(name, smi));
    found.insert(found.begin(), fine(subject, "answers"));
    return found;
  } catch (const NoAnswer& why) {
    if (why.installed)
      return {finding(
          {subject.check, subject.source,
           std::string(subject.why) + ", and a driver that does not answer has often lost the GPU"},
          Level::unfit, why.what(),
          "run nvidia-smi by hand; see dmesg for Xid messages; reset the GPU")};
    Findings found = judge_gpu(of_worker(device));
    for (Finding& each : found) each.source = "NVML, by the worker";
    found.insert(found.begin(), finding(subject, Level::unknown,
                                        std::string(why.what()) + "; what NVML says stands below",
                                        "install the driver's nvidia-smi"));
    return found;
  }
}

}  // namespace ridgeline::run
