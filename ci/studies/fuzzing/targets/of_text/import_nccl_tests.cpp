#include "ci/studies/fuzzing/targets/imported_text.hpp"
#include "harness/imported/nccl_tests.hpp"

/// Output of nccl-tests, as text and as JSON.
namespace ridgeline::fuzzing::targets {

static void read_nccl_tests_text(std::string_view input) {
  read_imported(input, [](std::istream& stream, const std::string& file) {
    return imported::read_nccl_tests(stream, file);
  });
}

static std::vector<std::string> nccl_tests_seeds() {
  return {
      R"x(# nThread 1 nGpus 8 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0 unalign: 0
#  Rank  0 Group  0 Pid    100 on synthetic device  0 [0000:1b:00] Synthetic GPU
#  Rank  1 Group  0 Pid    101 on synthetic device  1 [0000:1b:00] Synthetic GPU
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)        
           0             0     float     sum      -1     8.51    0.00    0.00       0     8.40    0.00    0.00       0
     1048576        262144     float     sum      -1    35.00   29.96   52.43       0    34.50   30.39   53.19     N/A
   134217728      33554432     float     sum      -1    520.0  258.11  451.69       0    519.0  258.61  452.57       0
)x",
      R"x($ ./build/all_gather_perf -b 1M -g 4
# nThread 1 nGpus 4 minBytes 1048576 maxBytes 2097152 step: 2(factor) warmup iters: 5 iters: 20 validation: 1 
#
# Using devices
#   Rank  0 Pid    100 on synthetic device  0 [0x1b] Synthetic GPU
#   Rank  1 Pid    101 on synthetic device  1 [0x1b] Synthetic GPU
#   Rank  2 Pid    102 on synthetic device  2 [0x1b] Synthetic GPU
#   Rank  3 Pid    103 on synthetic device  3 [0x1b] Synthetic GPU
#
#                                             out-of-place                       in-place          
#       size         count    type     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)             (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       
     1048576         65536   float    20.00   52.43   39.32  0e+00    19.00   55.19   41.39  0e+00
)x",
      R"x({"version": 2, "args": ["./all_gather_perf"], "config": {"iterations": 20, "devices": [{"rank": 0}, {"rank": 1}]}, "results": [
{"size": 8, "count": 2, "type": "float", "redop": "none", "root": "    -1", "out_of_place": {"time": 35.0, "alg_bw": 0.1, "bus_bw": 0.05, "nwrong": 0.0}, "in_place": null, "out_of_place_per_iter": {"min_us": 3.5, "times_us": [1]}}]})x"};
}

Target import_nccl_tests() {
  return {read_nccl_tests_text,
          nccl_tests_seeds,
          4096,
          {"# nThread 1 nGpus 2", "#  Rank  1 Group  0 Pid 1 on h device  1 [0x1b] G",
           "0: ", "[1,0]<stdout>:", "h:1:2 [0] NCCL INFO x\n", "[1.5] [h:1:0] UCX  WARN x\n", "N/A",
           "nan", "#wrong", "error", "timestamp", "2026-11-28 06:30:00", "\"version\": 4"}};
}

}  // namespace ridgeline::fuzzing::targets
