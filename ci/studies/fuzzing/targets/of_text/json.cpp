#include "harness/base/json.hpp"

#include "ci/studies/fuzzing/targets/target.hpp"

/// JSON as every reader of it sees it.
namespace ridgeline::fuzzing::targets {

static void read_json(std::string_view input) {
  json::Value value;
  try {
    value = json::parse(input, {10'000, 100});
  } catch (const json::Error&) {
    return;
  }
  for (const int indent : {-1, 2}) {
    const std::string text = value.dump(indent);
    const auto again = json::try_parse(text);
    if (!again) throw Finding("what was written is no JSON: " + text);
    if (*again != value) throw Finding("what was written is read as something else: " + text);
    if (again->dump(indent) != text)
      throw Finding("it is written otherwise the second time: " + text);
  }
}

static std::vector<std::string> json_seeds() {
  return {R"({"a": [1, -2, 3.5, 1e300, true, null], "b": {"c": "\u00e9\ud83d\ude00\n"}})",
          R"([18446744073709551615, -9223372036854775808, 0.1, -0.0, 1e-320, {}])",
          R"({"a": 1, "a": 2})", std::string(90, '[') + std::string(90, ']')};
}

Target json() {
  return {read_json,
          json_seeds,
          4096,
          {"null", "true", "false", "\\u0000", "\\ud800", "1e999", "[[[[", "{\"a\":", "-0"}};
}

}  // namespace ridgeline::fuzzing::targets
