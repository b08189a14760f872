#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "harness/base/names.hpp"
#include "harness/record/case.hpp"
#include "harness/record/measurement.hpp"
#include "harness/record/run.hpp"

/// The messages of worker protocol v1, as plain structs; json.hpp turns them into JSON Lines and
/// back. See docs/worker-protocol.md.
namespace ridgeline::protocol {

inline constexpr int version = 1;
inline constexpr std::size_t max_message_bytes = 16u << 20;

/// A worker that is started as `PROGRAM --worker --connect HOST:PORT` (rank 0 alone under a
/// launcher) connects there, first sends the value of this environment variable as one line of
/// plain text, and then serves requests on the connection.
inline constexpr const char* token_variable = "RIDGELINE_TOKEN";

/// Requests without parameters. `bye` is the one without an answer: the worker ends.
struct HelloRequest {
  static constexpr const char* name = "hello";
  int protocol = version;
};
struct ListRequest {
  static constexpr const char* name = "list";
};
struct DevicesRequest {
  static constexpr const char* name = "devices";
};
/// Makes a device ready before it is needed; only of a worker with Feature::open.
struct Open {
  static constexpr const char* name = "open";
  std::string device;
};
struct FinishRequest {
  static constexpr const char* name = "finish";
};
struct ByeRequest {
  static constexpr const char* name = "bye";
};

/// What not every worker that speaks this version can do.
enum class Feature {
  layout,    // moves where buffers lie, as Prepare::layout says
  settle,    // understands Prepare::settle_budget_ns
  energy,    // understands Prepare::energy_budget_ns
  open,      // understands Open
  expected,  // keeps what its outputs should be, and which were right, in the folder
             // RIDGELINE_EXPECTED of its environment
  hot,       // measures hot alone, whatever its cases are called
};
inline std::span<const Name<Feature>> names(Feature) {
  static constexpr Name<Feature> features[] = {
      {Feature::layout, "layout"}, {Feature::settle, "settle"},     {Feature::energy, "energy"},
      {Feature::open, "open"},     {Feature::expected, "expected"}, {Feature::hot, "hot"}};
  return features;
}

struct Hello {
  static constexpr const char* name = "hello";
  int protocol = version;
  record::Build build;
  std::string launcher;        // "mpirun" when measuring needs one process a rank under it; empty
                               // otherwise
  std::set<Feature> features;  // without those that this program does not know
  record::Facts hosts{};       // of ranks that a launcher has started: as in record::Process
};

/// What a suite asks of its family, in one sentence.
struct Suite {
  std::string name, question;
};

/// A case, and what tells its code apart from that of another build; empty when the worker does not
/// say. Two workers that say the same of a case execute the same for it.
struct ListedCase : record::Case {
  std::string code;
};

/// The answer to `list`. The same case may be listed once for each kind of device.
struct Cases {
  static constexpr const char* name = "list";
  std::vector<ListedCase> cases;
  std::vector<Suite> suites;  // those that say what they ask
};

struct UnavailableKind {
  std::string kind, reason;
};

struct Devices {
  static constexpr const char* name = "devices";
  std::vector<record::Device> devices;  // best first
  std::vector<UnavailableKind> unavailable;
};

/// What a worker is asked to prepare. Times in ns, as in measure::PrepareOptions.
struct Prepare {
  static constexpr const char* name = "prepare";
  std::string case_name, device;
  std::uint64_t seed = 1;
  std::string cache = "cold", launch = "graph", input = "uniform";
  double warmup_budget_ns = 0, sample_floor_ns = 0;
  // Moves where buffers lie, differently for each value; 0 leaves them where they fall, and is all
  // that a worker without Feature::layout understands.
  std::uint64_t layout = 0;
  // 0, or what only a worker with Feature::settle, or Feature::energy, understands: how long it may
  // execute the case until clocks and power are steady, and how long for its energy.
  double settle_budget_ns = 0, energy_budget_ns = 0;
};

/// Outcome ok means ready to be sampled, counted that a device without times has verified and
/// counted the case, and that only `finish` is left; anything else ends the case, and `finish` is
/// not sent.
struct Prepared {
  static constexpr const char* name = "prepare";
  record::Outcome outcome = record::Outcome::ok;
  std::string reason;
};

struct Sample {
  static constexpr const char* name = "sample";
  double target = 0.01;
  int min_samples = 0, max_samples = 0;
  double budget_ns = 0;
};

struct Sampled {
  static constexpr const char* name = "sample";
  std::vector<double> samples_ns;  // taken by this request
};

struct Opened {
  static constexpr const char* name = "open";
};
/// The answer to `finish`: everything of the case, all samples included.
struct Finished {
  static constexpr const char* name = "finish";
  record::Measurement measurement;
};

using Request = std::variant<HelloRequest, ListRequest, DevicesRequest, Open, Prepare, Sample,
                             FinishRequest, ByeRequest>;

/// Why a request could not be served, where that decides what is done next.
enum class FailureCause {
  out_of_memory,  // perhaps because of the other side of a gate
};
inline std::span<const Name<FailureCause>> names(FailureCause) {
  static constexpr Name<FailureCause> causes[] = {{FailureCause::out_of_memory, "out_of_memory"}};
  return causes;
}

/// The answer to a request that could not be served; the worker goes on.
struct Failure {
  static constexpr const char* name = "error";
  std::string message, advice;
  int exit_code = 70;
  std::optional<FailureCause> cause{};  // absent, too, when it is one that this program does not
                                        // know
};

using AnyAnswer = std::variant<Hello, Cases, Devices, Opened, Prepared, Sampled, Finished, Failure>;

}  // namespace ridgeline::protocol
