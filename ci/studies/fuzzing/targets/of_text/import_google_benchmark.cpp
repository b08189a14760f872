#include "ci/studies/fuzzing/targets/imported_text.hpp"
#include "harness/imported/google_benchmark.hpp"

/// Files of Google Benchmark, and what `ridgeline export` writes for its tools.
namespace ridgeline::fuzzing::targets {

static void read_google_benchmark_text(std::string_view input) {
  read_imported(input, [](std::istream& stream, const std::string& file) {
    return imported::read_google_benchmark(stream, file);
  });
}

static std::vector<std::string> google_benchmark_seeds() {
  return {
      R"x({"context": {"date": "2026-11-28T06:59:36+00:00", "executable": "./b", "library_build_type": "release"}, "benchmarks": [
{"name": "BM<int>/8", "run_name": "BM<int>/8", "run_type": "iteration", "repetitions": 2, "repetition_index": 0, "threads": 1, "iterations": 10, "real_time": 2.5, "cpu_time": 2e0, "time_unit": "us", "none": NaN},
{"name": "BM<int>/8", "repetition_index": 1, "iterations": 10, "real_time": 2.75, "cpu_time": 2, "time_unit": "us", "label": "x"},
{"name": "B/n:1", "error_occurred": true, "error_message": "no"}]})x",
      R"x({"context": {"ridgeline_run": "x", "executable": ""}, "benchmarks": [{"name": "a/b/c/d=1", "replicate": 1, "iterations": 3, "real_time": 1, "time_unit": "ns", "flops": 8}], "not_measured": [{"name": "a/b/c/d=2", "replicate": 0, "outcome": "crashed", "reason": "r"}]})x",
      R"x({"context": {}, "benchmarks": [{"name": "B_median", "run_name": "B", "run_type": "aggregate", "aggregate_name": "median", "real_time": 1, "cpu_time": 1, "time_unit": "ns"}, {"name": "B_cv", "run_name": "B", "run_type": "aggregate", "aggregate_name": "cv", "aggregate_unit": "percentage", "real_time": 0.1, "cpu_time": 0.1}]})x"};
}

Target import_google_benchmark() {
  return {read_google_benchmark_text,
          google_benchmark_seeds,
          4096,
          {"\"name\": ", "\"real_time\": ", "\"repetition_index\": ", "NaN", "-Infinity", "1e-320",
           "\"aggregate\"", "\"ridgeline_run\": ", "\"replicate\": ", "/threads:"}};
}

}  // namespace ridgeline::fuzzing::targets
