// The programs of harness/emulated/corpus on a GPU, for ci/studies/sanitize_corpus: without a name
// it lists them with what they expect, and with one it runs that one. Exit codes: 0 it found
// nothing wrong, 1 it did, 64 there is none of that name.
#include <cstdio>
#include <exception>
#include <string_view>

#include "harness/device/device.hpp"
#include "harness/emulated/corpus/cases.hpp"

int main(int count, char** words) {
  using namespace ridgeline;
  for (const corpus::Case& each : corpus::cases()) {
    if (count < 2) {
      std::printf("%s\t%s\n", each.name.c_str(), each.expectation.c_str());
      continue;
    }
    if (each.name != std::string_view(words[1])) continue;
    try {
      const auto device = device::open("cuda:0");
      each.check(*device);
      device->synchronize();
      return 0;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 1;
    }
  }
  return count < 2 ? 0 : 64;
}
