#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/device_kind.hpp"
#include "harness/record/facts.hpp"

namespace ridgeline::record {

/// One GPU, CPU or emulated GPU. `model` is the slug that names the results file; `uuid` tells two
/// of a model apart.
struct Device {
  std::string id;  // how the command line calls it here: "cuda:0", "cpu"
  DeviceKind kind = DeviceKind::cpu;
  std::string model;  // "nvidia-h200", "cpu-intel-xeon-2c"
  std::string name;   // as the vendor writes it
  std::string uuid;
  std::string pci_id;  // device id below vendor 10de, four hex digits ("2335"); empty for a CPU
  Facts properties;    // cores, caches, limits: what does not change
  Facts comparable;    // what must be equal for two runs to be compared: memory, MIG, ECC, power
                       // limit, driver branch
  Facts recorded;      // what is worth knowing: exact driver, clocks at rest, host
  bool operator==(const Device&) const = default;
};

/// How a worker was built.
struct Build {
  std::string worker;  // "ridgeline-suites"
  std::string commit;  // full hash; "unknown" outside a git checkout
  bool dirty = false;
  std::string compiler, flags, cuda;  // cuda: "13.0.88 sm_80 sm_90a"; empty without
  std::string code_hash;              // of the worker's code and device sections
  bool operator==(const Build&) const = default;
};

/// The circumstances of a run. `hash` covers `comparable` alone.
struct Environment {
  Facts comparable, recorded;
  std::string hash;
  bool operator==(const Environment&) const = default;
};

enum class RunStatus { running, finished, interrupted, failed };
inline std::span<const Name<RunStatus>> names(RunStatus) {
  static constexpr Name<RunStatus> statuses[] = {{RunStatus::running, "running"},
                                                 {RunStatus::finished, "finished"},
                                                 {RunStatus::interrupted, "interrupted"},
                                                 {RunStatus::failed, "failed"}};
  return statuses;
}
using ridgeline::to_string;  // of all enumerations of records

/// What one `ridgeline run` did on one device.
struct Run {
  std::string id;  // globally unique and sortable by time: "20261120T124501Z-5f3a9c"
  std::string device_uuid;
  std::string label;         // given by the user; may be empty
  std::string command_line;  // what repeats it
  std::string profile;       // name
  std::string profile_text;  // the whole file, so that a run can be repeated after the file has
                             // changed
  std::uint64_t seed = 0;
  std::string started, finished;  // UTC, ISO 8601 to the second; finished is empty while running
  RunStatus status = RunStatus::running;
  std::string unfit;  // why the machine was not fit to measure, so that the run makes no night;
                      // empty when it was
  std::string gate;   // id of the gate that measured this run as one of its sides; empty for a run
                      // of its own
  std::string imported;  // the format of the files that its numbers come from; empty when Ridgeline
                         // measured them
  std::optional<double> unstable;  // half width of an interval over its median above which a
                                   // measurement or a case is unstable: the profile's limit
  bool operator==(const Run&) const = default;
};

/// A run that a name stands for, among those of its device model.
struct Baseline {
  std::string name;  // letters, digits, '.', '_' and '-'
  std::string run_id;
  std::string set_at;  // UTC, ISO 8601 to the second
};

/// One execution of a worker within a run.
struct Process {
  std::string run_id;
  int replicate = 0;  // 0-based; a worker that is restarted after a crash stays in its replicate
  std::uint64_t seed = 0;
  std::string started;
  Facts imported;  // of a run that was imported: the file, its SHA-256, and what it says of itself
  Facts hosts;     // of ranks: "hosts" counts their hosts; "host0" names that of rank 0, and
                   // "host0.ranks", ".links", ".cpu" and ".gpus" say what is on it
  Build build;
  bool operator==(const Process&) const = default;
};

/// What a roof is of: the first word of its kind. A worker may measure roofs of its own, whose word
/// is none of these.
enum class RoofClass { dram, llc, l1, shared, fma, tensor, latency, link, other };
inline std::span<const Name<RoofClass>> names(RoofClass) {
  static constexpr Name<RoofClass> classes[] = {
      {RoofClass::dram, "dram"},       {RoofClass::llc, "llc"},   {RoofClass::l1, "l1"},
      {RoofClass::shared, "shared"},   {RoofClass::fma, "fma"},   {RoofClass::tensor, "tensor"},
      {RoofClass::latency, "latency"}, {RoofClass::link, "link"},
  };
  return classes;
}
inline RoofClass class_of_roof(std::string_view kind) {
  return parse<RoofClass>(kind.substr(0, kind.find('.'))).value_or(RoofClass::other);
}

/// Of operations: its rate is in FLOP/s.
constexpr bool is_arithmetic(RoofClass roof) {
  return roof == RoofClass::fma || roof == RoofClass::tensor;
}

/// A ceiling of a device. `kind` is dotted: dram.read, dram.copy, llc.triad, llc.read_by_all,
/// l1.read, shared.read, link.to_device, fma.f32, tensor.bf16, latency.l1.
struct Roof {
  std::string kind;
  double value = 0;    // byte/s, FLOP/s, or ns for latencies
  std::string unit;    // "B/s", "FLOP/s", "ns"
  std::string source;  // measured_source, unsteady_source, or where the datasheet figure comes from
  bool operator==(const Roof&) const = default;
};

/// Of a roof that this run measured; unsteady when the case that it comes from was not.
inline constexpr std::string_view measured_source = "measured",
                                  unsteady_source = "measured, unsteady";
inline bool is_unsteady(const Roof& roof) { return roof.source == unsteady_source; }
inline bool is_measured(const Roof& roof) {
  return roof.source == measured_source || is_unsteady(roof);
}

}  // namespace ridgeline::record
