#pragma once

#include <istream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline::emulated {

/// A statement of a function, as g++ dumps it: "*to_2(D) = _Z4makef (x_3(D));", and where it stands
/// in the source.
struct DumpedStatement {
  std::string place, text;
};

/// A function of g++'s dump of its intermediate language (GIMPLE).
struct DumpedFunction {
  std::string symbol, name;                   // mangled, and for people
  bool is_kernel = false;                     // has the attribute of __global__
  std::map<std::string, std::string> types;   // of its parameters and variables, "static" in front
                                              // included
  std::map<std::string, std::string> values;  // of names that are assigned once: "_5" is "to_2(D) +
                                              // _4"
  std::vector<DumpedStatement> statements;

  /// A variable on the function's stack, or a parameter passed by value.
  bool is_local(std::string_view variable) const;
};

std::vector<DumpedFunction> read_functions(std::istream& dump);

/// The functions that kernels can reach, and the kernels themselves.
std::vector<const DumpedFunction*> functions_of_kernels(
    const std::vector<DumpedFunction>& functions);

/// The name at the begin of `text`, of letters, digits, '_', '.' and '$'.
std::string_view first_name(std::string_view text);
/// "to_2(D)" and "to_2" are of the variable "to"; "_5" is its own.
std::string variable_of(std::string_view value);
/// "_5" and "to_7" are names of one value each; "x" is a variable in memory.
bool is_assigned_once(std::string_view name);

}  // namespace ridgeline::emulated
