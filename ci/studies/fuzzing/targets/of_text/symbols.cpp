#include <algorithm>

#include "ci/studies/fuzzing/targets/target.hpp"
#include "harness/emulated/kernel_resources.hpp"
#include "harness/emulated/parameter_names.hpp"
#include "harness/emulated/program_symbols.hpp"

/// Names of kernels, as demanglers write them, and of their parameters, as sources do. The first
/// line of an input is a symbol, what follows a source.
namespace ridgeline::fuzzing::targets {

static void read_symbol(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string symbol(input.substr(0, end));
  const std::string_view source = input.substr(std::min(end + 1, input.size()));
  const std::string plain = emulated::plain_name(symbol);
  expect(plain.size() <= symbol.size(), "a plain name that is longer");
  const std::string qualified = emulated::qualified_name(symbol);
  expect(qualified.size() <= symbol.size(), "a name without arguments that is longer");
  for (const std::string& function : {plain, symbol})
    for (const std::string& name : emulated::parameter_names(source, function))
      expect(!name.empty() && source.find(name) != std::string_view::npos,
             "a parameter that is not in the source: " + name);
}

static std::vector<std::string> symbol_seeds() {
  return {
      "void ridgeline::gemm::tiled<16>(float*)::tile\n"
      "void tiled(const float* __restrict__ from, int n = 3, float (&to)[4]) {\n",
      "ridgeline::(anonymous namespace)::copy(float*, int) const\ncopy(float* a, int)",
      "void gemm::on_cuda::naive<float, (int)3>(gemm::Problem, float const*)\n"
      "template <class T> __global__ void naive(Problem problem, const T* a) {}"};
}

Target symbols() {
  return {read_symbol,
          symbol_seeds,
          1024,
          {"(anonymous namespace)", "ridgeline::", "void ", "<", ">", "(", ")", "::", " const",
           "operator()", "operator<", "->", "="}};
}

}  // namespace ridgeline::fuzzing::targets
