#include "harness/emulated/compiler/uncountable_accesses.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace ridgeline::emulated {
namespace {

constexpr int most_steps = 20;  // from a pointer back to what it was made of

constexpr std::string_view by_assignment =
    "assign values of a type as wide as each access shall be (float, float4), in a loop";
constexpr std::string_view by_a_variable =
    "go by way of a variable: const auto value = f(); *to = value;";

/// A call statement: "lhs = callee (arguments);".
struct Call {
  std::string_view result, callee;
  std::vector<std::string_view> arguments;
  bool in_place = false;  // the callee stores its result itself
};

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (quoted && c == '\\') {
      ++i;
      continue;
    }
    if (c == '"') quoted = !quoted;
    if (quoted && i < list.size()) continue;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if ((c != ',' || depth != 0) && i < list.size()) continue;
    std::string_view part = list.substr(begin, i - begin);
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (!part.empty()) parts.push_back(part);
    begin = i + 1;
  }
  return parts;
}

std::optional<Call> call_of(std::string_view text) {
  Call call;
  if (const std::size_t equals = text.find(" = "); equals != std::string_view::npos) {
    call.result = text.substr(0, equals);
    text = text.substr(equals + 3);
  }
  call.callee = first_name(text);
  const std::string_view rest = text.substr(call.callee.size());
  if (call.callee.empty() || !rest.starts_with(" (")) return std::nullopt;
  for (const std::string_view word : {"if", "switch", "return", "goto", "resx"})
    if (call.callee == word) return std::nullopt;
  const std::size_t end = rest.rfind(");");
  if (end == std::string_view::npos) return std::nullopt;
  call.arguments = split(rest.substr(2, end - 2));
  call.in_place = rest.find("[return slot optimization]", end) != std::string_view::npos;
  return call;
}

/// Whether the pointer is seen to lead to a variable of the function's own, or to a text.
bool leads_to_local(const DumpedFunction& function, std::string_view pointer, int depth = 0) {
  while (pointer.starts_with('(') && pointer.find(") ") != std::string_view::npos)  // a conversion
    pointer = pointer.substr(pointer.find(") ") + 2);
  if (pointer.starts_with('"') || pointer.starts_with("&\"")) return true;
  if (pointer.starts_with('&')) {
    std::string_view object = pointer.substr(1);
    if (object.starts_with("MEM")) {  // "MEM[(T *)&x + 4B]"
      const std::size_t inner = object.find('&');
      const std::size_t close = object.find(')');
      if (close == std::string_view::npos) return false;
      if (inner == std::string_view::npos || inner < close)
        return depth < most_steps && leads_to_local(function, object.substr(close + 1), depth + 1);
      object = object.substr(inner + 1);
    }
    const std::string_view name = first_name(object);
    const std::string_view behind = object.substr(name.size());
    if (behind.starts_with("->") || object.starts_with('*')) {
      if (object.starts_with('*')) object.remove_prefix(1);
      return depth < most_steps && leads_to_local(function, object, depth + 1);
    }
    // "a.b.c" is one name here.
    return function.is_local(name) || function.is_local(name.substr(0, name.find('.'))) ||
           (name.starts_with("D.") && function.is_local(name.substr(0, name.find('.', 2)))) ||
           name.starts_with(".LC");  // a constant
  }
  const std::string name(first_name(pointer));
  const auto value = function.values.find(name);
  return value != function.values.end() && depth < most_steps &&
         leads_to_local(function, value->second, depth + 1);
}

/// Whether the operand is memory that a pointer leads to, or a static variable, and not seen to be
/// the function's own.
bool is_foreign_memory(const DumpedFunction& function, std::string_view operand) {
  if (operand.starts_with("MEM") || operand.starts_with('*') ||
      operand.find("->") != std::string_view::npos) {
    std::string_view pointer = operand;
    if (operand.starts_with("MEM")) {
      const std::size_t close = operand.find(')');
      if (close == std::string_view::npos) return true;
      pointer = operand.substr(close + 1);
    } else if (operand.starts_with('*')) {
      pointer.remove_prefix(1);
    }
    return !leads_to_local(function, pointer);
  }
  const std::string_view name = first_name(operand);
  const auto known = function.types.find(std::string(name.substr(0, name.find('.'))));
  return known != function.types.end() && known->second.starts_with("static ");
}

constexpr std::array pairs = {std::string_view("struct __half2"),
                              std::string_view("struct __nv_bfloat162")};

bool names_a_pair(std::string_view type) {
  if (type.starts_with("static ")) type.remove_prefix(7);
  if (type.starts_with("const ")) type.remove_prefix(6);
  return std::ranges::any_of(pairs, [&](std::string_view pair) {
    return type.starts_with(pair) && (type.size() == pair.size() || type[pair.size()] == ' ');
  });
}

/// Whether a part of the statement is .x or .y of a pair in memory: "to_5(D)->x", "MEM[(struct
/// __half2 *)p + 4B].y", "tile[3].x".
bool touches_half_of_pair(const DumpedFunction& function, std::string_view text) {
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if (text[at] != '.' && !text.substr(at).starts_with("->")) continue;
    const std::string_view member = first_name(text.substr(at + (text[at] == '.' ? 1 : 2)));
    if (member != "x" && member != "y") continue;
    std::string_view base = text.substr(0, at);
    if (base.ends_with("(D)")) base.remove_suffix(3);
    if (base.ends_with(']')) {
      int depth = 0;
      std::size_t open = base.size();
      while (open-- > 0) {
        depth += base[open] == ']' ? 1 : base[open] == '[' ? -1 : 0;
        if (depth == 0) break;
      }
      if (depth != 0) continue;
      const std::string_view inside = base.substr(open + 1);
      base = base.substr(0, open);
      if (base.ends_with("MEM")) {
        if (inside.starts_with('(') && names_a_pair(inside.substr(1)) &&
            !leads_to_local(function, inside.substr(inside.find(')') + 1)))
          return true;
        continue;
      }
    }
    std::size_t begin = base.size();
    while (begin > 0 && first_name(base.substr(begin - 1, 1)).size() == 1 && base[begin - 1] != '.')
      --begin;
    const std::string_view name = base.substr(begin);
    const bool by_pointer = text[at] != '.' || (begin > 0 && base[begin - 1] == '*');
    auto type = function.types.find(std::string(name));
    if (type == function.types.end()) type = function.types.find(variable_of(name));
    if (type == function.types.end() || !names_a_pair(type->second)) continue;
    const bool is_static = type->second.starts_with("static ");
    if (is_static || (by_pointer && !leads_to_local(function, name))) return true;
  }
  return false;
}

struct Mistake {
  std::string what;
  std::string_view hint;
};

std::optional<Mistake> mistake_in(const DumpedFunction& function, std::string_view text) {
  if (text.starts_with("__tsan_")) return std::nullopt;
  if (const std::optional<Call> call = call_of(text)) {
    std::string_view name = call->callee;
    if (name.starts_with("__builtin_")) name.remove_prefix(10);
    if (name.starts_with("_ZTH") || name.starts_with("_ZTW"))  // whether that variable is
                                                               // initialised
      return Mistake{
          "dynamic shared memory is named by extern __shared__, which the emulated device does not "
          "know",
          "name it by RIDGELINE_DYNAMIC_SHARED(type, name) in the kernel"};
    const bool copies =
        name == "memcpy" || name == "memmove" || name == "mempcpy" || name == "memcmp";
    if (copies || name == "memset") {
      const auto local = [&](std::size_t i) {
        return i < call->arguments.size() && leads_to_local(function, call->arguments[i]);
      };
      if (local(0) && (!copies || local(1))) return std::nullopt;
      return Mistake{
          std::string(name) +
              " of memory of the device cannot be counted: compilers choose its accesses",
          by_assignment};
    }
    if (name.starts_with("__atomic_") || name.starts_with("atomic_") ||
        name.starts_with("__sync_") || name.starts_with("sync_"))
      return Mistake{"an atomic operation of more than 8 bytes, or of a library, is not counted",
                     "use CUDA's atomic functions, or cuda::atomic_ref on 4 or 8 bytes"};
    if (!call->result.empty() && !call->in_place && is_foreign_memory(function, call->result))
      return Mistake{"what a function returns is stored to memory without being counted",
                     by_a_variable};
    for (const std::string_view argument : call->arguments)
      if (!argument.starts_with('&') && is_foreign_memory(function, argument))
        return Mistake{"memory is passed to a function by value without being counted",
                       "copy it into a variable first: const auto value = *from; f(value);"};
  } else if (text.find("(char * {ref-all})") != std::string_view::npos) {
    // Short copies become this.
    for (std::size_t at = text.find("{ref-all})"); at != std::string_view::npos;
         at = text.find("{ref-all})", at + 1))
      if (!leads_to_local(function, text.substr(at + 10)))
        return Mistake{
            "memcpy of memory of the device cannot be counted: compilers choose its accesses",
            by_assignment};
  }
  if (touches_half_of_pair(function, text) && text.find(" = &") == std::string_view::npos)
    return Mistake{
        "a member of a pair of 16-bit numbers in memory: nvcc may access both members at once",
        "copy the pair into a variable, use its members there, and store it as a whole"};
  return std::nullopt;
}

}  // namespace

std::vector<UncountableAccess> uncountable_accesses(const std::vector<DumpedFunction>& functions) {
  std::vector<UncountableAccess> found;
  for (const DumpedFunction* const function : functions_of_kernels(functions))
    for (const DumpedStatement& statement : function->statements) {
      const std::optional<Mistake> mistake = mistake_in(*function, statement.text);
      if (!mistake) continue;
      UncountableAccess access{statement.place, function->name, mistake->what,
                               std::string(mistake->hint)};
      const auto line = [](const UncountableAccess& one) {
        return one.place.substr(0, one.place.rfind(':'));
      };
      if (std::ranges::none_of(found, [&](const UncountableAccess& other) {
            return line(other) == line(access) && other.what == access.what;
          }))
        found.push_back(std::move(access));
    }
  return found;
}

}  // namespace ridgeline::emulated
