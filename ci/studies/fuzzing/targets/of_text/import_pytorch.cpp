#include "ci/studies/fuzzing/targets/imported_text.hpp"
#include "harness/imported/pytorch.hpp"

/// Records of the benchmark database of PyTorch.
namespace ridgeline::fuzzing::targets {

static void read_pytorch_text(std::string_view input) {
  read_imported(input, [](std::istream& stream, const std::string& file) {
    return imported::read_pytorch(stream, file);
  });
}

static std::vector<std::string> pytorch_seeds() {
  return {
      R"x({"benchmark": {"name": "layer norm", "mode": "inference", "dtype": "bf16", "extra_info": {"batch": 8, "compile": true}}, "model": {"name": "eager", "type": "op"}, "metric": {"name": "latency(ms)", "benchmark_values": [1.5, 1.25, 1.75]}, "runners": [{"name": "linux.h100", "gpu_info": "Synthetic GPU"}], "dependencies": {"pytorch": {"version": "2.9"}}}
{"benchmark": {"name": "layer norm", "mode": "inference", "dtype": "bf16", "extra_info": {"batch": 8, "compile": true}}, "model": {"name": "eager", "type": "op"}, "metric": {"name": "speedup", "benchmark_values": [1.1], "target_value": 1.0}}
{"metric": {"name": "tokens_per_s", "benchmark_values": [12.5]}}
)x",
      R"x([{"metric": {"name": "time_us", "benchmark_values": ["1.5", 2]}, "benchmark": {"extra_info": {"ridgeline_case": "a/b/c/d=1"}}}])x"};
}

Target import_pytorch() {
  return {read_pytorch_text,
          pytorch_seeds,
          4096,
          {"\"metric\": {", "\"benchmark_values\": [", "\"extra_info\": {", "latency (ms)",
           "\"target_value\": ", "NaN", "\n{"}};
}

}  // namespace ridgeline::fuzzing::targets
