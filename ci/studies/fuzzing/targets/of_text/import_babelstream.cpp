#include "ci/studies/fuzzing/targets/imported_text.hpp"
#include "harness/imported/babelstream.hpp"

/// Output of BabelStream with --csv.
namespace ridgeline::fuzzing::targets {

static void read_babelstream_text(std::string_view input) {
  read_imported(input, [](std::istream& stream, const std::string& file) {
    return imported::read_babelstream(stream, file);
  });
}

static std::vector<std::string> babelstream_seeds() {
  return {R"x(BabelStream
Version: 5.0
Implementation: CUDA
Using CUDA device Synthetic GPU
phase,n_elements,sizeof,max_mbytes_per_sec,runtime
Init,33554432,8,1000.5,0.8
function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime
Copy,100,33554432,8,3.91e+06,0.0001373,0.000145,0.00014
Triad,100,33554432,8,4.01e+06,0.0002008,0.00021,0.000205
)x"};
}

Target import_babelstream() {
  return {read_babelstream_text,
          babelstream_seeds,
          4096,
          {"function,num_times,n_elements,sizeof,", "gbytes_per_sec,runtime\n", "max_MB_per_sec",
           "Triad,100,", "phase,", "nan", "1e-320", ","}};
}

}  // namespace ridgeline::fuzzing::targets
