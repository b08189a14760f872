#include <algorithm>
#include <variant>

#include "ci/studies/fuzzing/targets/changed_store.hpp"
#include "harness/store/selector.hpp"

/// What people type for a run or a gate: "latest", "h200@label:x", the start of an id.
namespace ridgeline::fuzzing::targets {

namespace {

const std::filesystem::path& results() {
  static const std::filesystem::path folder = [] {
    const std::filesystem::path made = own_folder() / "results";
    std::filesystem::create_directory(made);
    write_bytes(made / "synthetic-gpu.sqlite", whole_store());
    write_bytes(made / "synthetic-gpu-2.sqlite", "broken");
    return made;
  }();
  return folder;
}

void read_selector(std::string_view input) {
  const std::string selector(input);
  const store::LeftOut left_out = [](const Error&) {};
  const std::initializer_list<ErrorKind> refusals{ErrorKind::usage, ErrorKind::store};
  std::string run, gate;
  const bool is_run = accepts(
      refusals, [&] { run = store::find_run(results(), selector, left_out).summary.run.id; });
  const bool is_gate = accepts(
      refusals, [&] { gate = store::find_gate(results(), selector, left_out).summary.gate.id; });
  accepts(refusals, [&] {
    const store::RunOrGate found = store::find_run_or_gate(results(), selector, left_out);
    const auto* found_run = std::get_if<store::FoundRun>(&found);
    // The name of a model means a gate, too, only here.
    expect(found_run ? is_run && found_run->summary.run.id == run
                     : !is_gate || std::get<store::FoundGate>(found).summary.gate.id == gate,
           "a selector means something else where it may mean both");
  });
  // A whole id always means what it means.
  for (const std::string& id : {run, gate})
    if (!id.empty())
      accepts({}, [&] {
        if (id == run)
          store::find_run(results(), id, left_out);
        else
          store::find_gate(results(), id, left_out);
      });
}

std::vector<std::string> selector_seeds() {
  return {"latest",   "synthetic-gpu@latest",    "gpu@label:first", "commit:abc",  "baseline:main",
          "20261101", "20261120T130000Z-9a7e00", "synthetic-gpu",   "gpu-2@latest"};
}

}  // namespace

Target selectors() {
  return {read_selector,
          selector_seeds,
          64,
          {"latest", "label:", "commit:", "baseline:", "@", "gpu", "synthetic", "202611"}};
}

}  // namespace ridgeline::fuzzing::targets
