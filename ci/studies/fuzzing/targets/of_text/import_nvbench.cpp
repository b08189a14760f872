#include "ci/studies/fuzzing/targets/imported_text.hpp"
#include "harness/imported/nvbench.hpp"

/// Files of NVBench.
namespace ridgeline::fuzzing::targets {

static void read_nvbench_text(std::string_view input) {
  read_imported(input, [](std::istream& stream, const std::string& file) {
    return imported::read_nvbench(stream, file);
  });
}

static std::vector<std::string> nvbench_seeds() {
  return {
      R"x({"meta": {"argv": ["b"], "version": {"json": {"string": "1.0.0"}}}, "devices": [{"id": 0, "name": "G"}], "benchmarks": [{"name": "copy", "devices": [0], "axes": null, "states": [
{"name": "s", "device": 0, "axis_values": [{"name": "T", "type": "type", "value": "F32"}, {"name": "n", "type": "int64", "value": "8"}], "summaries": [{"tag": "nv/cold/sample_size", "hint": "sample_size", "data": [{"name": "value", "type": "int64", "value": "5"}]}, {"tag": "nv/cold/time/gpu/mean", "hint": "duration", "data": [{"name": "value", "type": "float64", "value": "1.5e-05"}]}], "is_skipped": false},
{"name": "t", "axis_values": null, "summaries": null, "is_skipped": true, "skip_reason": "no"}]}]})x"};
}

Target import_nvbench() {
  return {read_nvbench_text,
          nvbench_seeds,
          4096,
          {"\"states\": [", "\"axis_values\": ", "\"summaries\": ", "nv/batch/time/gpu/mean",
           "\"nan\"", "\"value\": ", "null", "\"is_skipped\": true"}};
}

}  // namespace ridgeline::fuzzing::targets
