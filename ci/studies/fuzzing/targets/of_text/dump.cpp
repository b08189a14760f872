#include <sstream>

#include "ci/studies/fuzzing/targets/target.hpp"
#include "harness/emulated/compiler/uncountable_accesses.hpp"

/// What g++ dumps of kernels for the emulated device, in which accesses are looked for that cannot
/// be counted.
namespace ridgeline::fuzzing::targets {

static void read_dump(std::string_view input) {
  const auto look = [&] {
    std::istringstream dump{std::string(input)};
    return emulated::uncountable_accesses(emulated::read_functions(dump));
  };
  const auto found = look();
  for (const emulated::UncountableAccess& access : found)
    expect(!access.what.empty() && !access.hint.empty(), "an error without words");
  expect(look() == found, "the same dump says something else the second time");
}

static std::vector<std::string> dump_seeds() {
  return {R"(
;; Function void copies(float*, const float*, int) (_Z6copiesPfPKfi, funcdef_no=1, decl_uid=2, cgraph_uid=3, symbol_order=4)

__attribute__((no_profile_instrument_function, noinline))
void copies (float * to, const float * from, int n)
{
  float mine[64];
  static struct __half2 tile[32];
  struct Three D.41;
  <bb 2> [local count: 1073741824]:
  [k.cu:3:9] _1 = (long unsigned int) n_2(D);
  [k.cu:3:9 discrim 2] _5 = to_2(D) + _1;
  [k.cu:4:9] memcpy (_5, from_3(D), 64);
  [k.cu:5:9] __builtin_memset (&mine, 0, 4096);
  [k.cu:6:9] *to_2(D) = _Z5threef (x_3(D)); [return slot optimization]
  [k.cu:7:9] _7 = MEM[(struct __half2 *)from_3(D) + 4B].y;
  [k.cu:8:9] tile[3].x = _7;
  [k.cu:9:9] MEM <unsigned char[64]> [(char * {ref-all})to_2(D)] = _8;
  [k.cu:10:9] helper (&mine, "text, (with) \"it\"");
  return;

}
)"};
}

Target dump() {
  return {read_dump,
          dump_seeds,
          8192,
          {";; Function ",
           "__attribute__((no_profile_instrument_function))",
           "[k.cu:1:2] ",
           "MEM[(",
           "(D)",
           " = ",
           "->x",
           ".y",
           "memcpy (",
           "_ZTW",
           "{ref-all})",
           "*to",
           "&",
           " (",
           ");",
           "\n{\n",
           "\n}\n",
           "static ",
           "struct __half2 ",
           "__atomic_",
           "\"",
           "\\"}};
}

}  // namespace ridgeline::fuzzing::targets
