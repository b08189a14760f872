#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/device_kind.hpp"

namespace ridgeline::record {

/// One `key=value` of a case's name.
struct Field {
  std::string key, value;
  bool operator==(const Field&) const = default;
};

/// What a case is: suite/variant/dtype/problem, then the options that are not default. Its name is
/// its identity everywhere.
struct CaseId {
  std::string suite, variant, dtype;
  std::vector<Field> problem;  // in the problem's declared order
  std::vector<Field> options;  // e.g. cache=hot; empty when all are default
  bool operator==(const CaseId&) const = default;
};

/// The value of an option, or `otherwise` when it is the default.
std::string option(const CaseId& id, std::string_view key, std::string_view otherwise);

/// Whether the case uses another GPU beside its device's, which the problem names as `peer`.
bool has_peer(const CaseId& id);

/// How the executions of a sample are launched: "single" by the option of that name, or where the
/// problem says that a sample is one call (`calls=1`); else "graph".
std::string launch_of(const CaseId& id);

/// "gemm/shared_tiled/f32/m=4096,n=4096,k=4096,cache=hot".
std::string name(const CaseId& id);

/// What is known of a case before a device is touched.
struct Case {
  CaseId id;
  DeviceKind device_kind = DeviceKind::cpu;  // of device that this case runs on
  std::string idea;                          // one line: what the variant does differently
  int ranks = 1;                             // processes that measure it together (collectives)
  std::optional<double> flops;  // floating-point operations of one execution; absent when the
                                // device decides the size
  std::optional<double> bytes;  // least bytes that one execution must move; absent likewise
  std::string roof;  // kind of the ceiling this case measures ("dram.copy"); empty for ordinary
                     // cases
  bool operator==(const Case&) const = default;
};

}  // namespace ridgeline::record
