#include "ci/studies/fuzzing/targets/imported_text.hpp"
#include "harness/imported/nvbandwidth.hpp"

/// Files of nvbandwidth.
namespace ridgeline::fuzzing::targets {

static void read_nvbandwidth_text(std::string_view input) {
  read_imported(input, [](std::istream& stream, const std::string& file) {
    return imported::read_nvbandwidth(stream, file);
  });
}

static std::vector<std::string> nvbandwidth_seeds() {
  return {R"x({
  "nvbandwidth" : {
    "CUDA Runtime Version" : 13000,
    "Driver Version" : "580.65",
    "testcases" : [
      {
        "bandwidth_description" : "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)",
        "bandwidth_matrix" : [["55.5","N/A"]],
        "name" : "host_to_device_memcpy_ce",
        "status" : "Passed",
        "sum" : 55.5
      },
      {
        "bandwidth_matrix" : [["630.1"],["629.9"]],
        "name" : "device_local_latency_sm",
        "status" : "Passed"
      },
      { "name" : "multinode", "status" : "Waived" }
    ],
    "git_version" : "v0.8",
    "version" : "v0.8"
  }
}
)x"};
}

Target import_nvbandwidth() {
  return {read_nvbandwidth_text,
          nvbandwidth_seeds,
          4096,
          {"\"bandwidth_matrix\": [[", "\"N/A\"", "\"Passed\"", "\"Waived\"", "\"testcases\": [",
           "latency", "\"inf\""}};
}

}  // namespace ridgeline::fuzzing::targets
