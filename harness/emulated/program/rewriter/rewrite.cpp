#include "harness/emulated/program/rewriter/rewrite.hpp"

#include <optional>
#include <utility>

#include <fmt/core.h>

#include "harness/emulated/program/rewriter/body.hpp"
#include "harness/emulated/program/rewriter/edits.hpp"
#include "harness/emulated/program/rewriter/function_head.hpp"

namespace ridgeline::program {
namespace {

/// Words that say where a function or a variable is: for a host compiler they say nothing.
bool is_place(const Token& token) {
  return token.is("__device__") || token.is("__host__") || token.is("__constant__") ||
         token.is("__managed__") || token.is("__grid_constant__");
}

bool is_restrict(const Token& token) { return token.is("__restrict__") || token.is("__restrict"); }

class Rewriter {
 public:
  explicit Rewriter(const Source& source)
      : source_(source), tokens_(source.tokens), bodies_(source, edits_, made_.problems) {}

  Rewritten run() {
    for (const Token& token : tokens_)
      if (token.is("cudaDeviceProp") && !token.is_system)
        edits_.replace(source_.at(token), token.text.size(),
                       "::ridgeline::program::DeviceProperties");
    texture_references();
    for (std::size_t i = 1; i < tokens_.size(); ++i)  // not where it is an attribute of g++'s
      if (tokens_[i].is("__noinline__") && !tokens_[i].is_system && !tokens_[i - 1].is("(") &&
          !tokens_[i - 1].is(","))
        drop(i, "__attribute__((noinline))");
    std::size_t at = 0;
    while (at + 1 < tokens_.size()) {
      declarations(at, true);
      ++at;  // a } too many, which the compiler will find
    }
    if (made_.has_main)
      edits_.insert(source_.text.size(),
                    "\nextern \"C\" int ridgeline_run_program(int count, char** arguments) {"
                    " return ::ridgeline::program::call_main(&::ridgeline_program_main, count,"
                    " arguments); }\n");
    made_.text = edits_.applied(source_.text);
    return std::move(made_);
  }

 private:
  /// `texture<...>` of CUDA 11, unless the program has a class of that name itself.
  void texture_references() {
    for (std::size_t i = 1; i < tokens_.size(); ++i)
      if (tokens_[i].is("texture") && (tokens_[i - 1].is("class") || tokens_[i - 1].is("struct")))
        return;
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i)
      if (tokens_[i].is("texture") && tokens_[i + 1].is("<") && !tokens_[i].is_system &&
          (i == 0 ||
           (!tokens_[i - 1].is("::") && !tokens_[i - 1].is(".") && !tokens_[i - 1].is("->"))) &&
          declares_behind(i + 1))
        drop(i, "ridgeline_texture_reference");
  }

  /// Whether the < at `open` is of a type that a name follows, and not of a comparison.
  bool declares_behind(std::size_t open) const {
    const std::size_t end = tokens_.size() - 1, close = closing_angle(tokens_, open, end);
    for (std::size_t i = open; i < close; ++i)
      if ((tokens_[i].is("&") || tokens_[i].is("|")) && tokens_[i + 1].is(tokens_[i].text))
        return false;
    return close < end && tokens_[close + 1].is_word();
  }

  /// From `at` to the } that ends their scope, or the end.
  void declarations(std::size_t& at, bool of_namespace) {
    std::size_t first = at;
    for (; at + 1 < tokens_.size(); ++at) {
      const Token& token = tokens_[at];
      if (token.kind != Token::Kind::mark) continue;
      if (token.is("}")) return;
      if (token.is("(") || token.is("[")) {
        at = closing(tokens_, at);
      } else if (token.is(";")) {
        declaration(first, at);
        first = at + 1;
      } else if (token.is(":") && at == first + 1) {  // public:
        first = at + 1;
      } else if (token.is("{")) {
        braces(first, at, of_namespace);
      }
    }
  }

  bool holds(std::size_t first, std::size_t end, std::string_view word) const {
    for (std::size_t i = first; i < end; ++i)
      if (tokens_[i].is(word)) return true;
    return false;
  }

  void drop(std::size_t at, const std::string& instead = "") {
    edits_.replace(source_.at(tokens_[at]), tokens_[at].text.size(), instead);
  }

  void drop_places(std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      if (is_place(tokens_[i])) drop(i);
      if (tokens_[i].is("__global__")) drop(i, "__attribute__((no_profile_instrument_function))");
      if (tokens_[i].is("__cluster_dims__") && tokens_[i + 1].is("("))
        edits_.replace(source_.at(tokens_[i]),
                       source_.at(tokens_[closing(tokens_, i + 1)]) + 1 - source_.at(tokens_[i]),
                       "");
    }
  }

  /// That ends with the semicolon at `end`.
  void declaration(std::size_t first, std::size_t end) {
    if (holds(first, end, "__shared__") && holds(first, end, "extern")) {
      for (std::size_t i = first; i < end; ++i)
        if (is_place(tokens_[i])) drop(i);
      return bodies_.dynamic_shared(first, end, true);
    }
    for (std::size_t i = first; i < end; ++i)
      if (tokens_[i].is("=")) {  // a lambda, a launch in an initialiser
        bodies_.rewrite(i, end, holds(first, i, "__device__"));
        return drop_places(first, i);
      }
    drop_places(first, end);
  }

  enum class Kind { names, members, nothing, initialiser, function };

  Kind kind_of(std::size_t first, std::size_t open, std::optional<FunctionHead>& head) const {
    std::size_t begin = behind_templates(source_, first, open);
    while (begin < open && (tokens_[begin].is("typedef") || tokens_[begin].is("static") ||
                            tokens_[begin].is("inline") || tokens_[begin].is("const") ||
                            tokens_[begin].is("constexpr") || tokens_[begin].is("friend") ||
                            is_place(tokens_[begin]) || tokens_[begin].is("__constant__")))
      ++begin;
    if (begin >= open) return Kind::nothing;
    const Token& token = tokens_[begin];
    if (token.is("namespace")) return Kind::names;
    if (token.is("extern") && tokens_[begin + 1].kind == Token::Kind::text && begin + 2 == open)
      return Kind::names;
    if (token.is("enum")) return Kind::nothing;
    head = function_head(source_, first, open);
    if (token.is("struct") || token.is("class") || token.is("union")) {
      if (!head) return holds(begin, open, "=") ? Kind::initialiser : Kind::members;
      // `struct A : B<f(1)>` has no parameters, and `struct A f(int)` no base.
      for (std::size_t i = begin; i < head->parameters; ++i)
        if (tokens_[i].is(":")) {
          head.reset();
          return Kind::members;
        }
      return Kind::function;
    }
    if (head) return Kind::function;
    return Kind::initialiser;
  }

  /// At the { at `at`; behind it `at` is at its }.
  void braces(std::size_t& first, std::size_t& at, bool of_namespace) {
    const std::size_t open = at;
    std::optional<FunctionHead> head;
    switch (kind_of(first, open, head)) {
      case Kind::names: {
        const std::string outer = namespaces_;
        for (std::size_t i = first + 1; i < open; ++i)
          if (tokens_[i].is_word() && (tokens_[i - 1].is("namespace") || tokens_[i - 1].is("::")))
            namespaces_ += std::string(tokens_[i].text) + "::";
        first = ++at;
        declarations(at, true);
        namespaces_ = outer;
        first = at + 1;
        return;
      }
      case Kind::members:
        drop_places(first, open);
        ++at;
        declarations(at, false);
        first = at + 1;  // a variable of the class may follow
        return;
      case Kind::nothing:
        drop_places(first, open);
        at = closing(tokens_, open);
        first = at + 1;
        return;
      case Kind::initialiser:
        at = closing(tokens_, open);
        return;  // the declaration goes on
      case Kind::function:
        break;
    }
    at = body_of(*head, first, open);
    function(*head, first, at, of_namespace);
    at = closing(tokens_, at);
    first = at + 1;
  }

  /// A constructor's members may have braces before its body.
  std::size_t body_of(const FunctionHead& head, std::size_t first, std::size_t open) const {
    const std::size_t parameters = closing(tokens_, head.parameters);
    bool has_members = false;
    for (std::size_t i = parameters + 1; i < open; ++i)
      if (tokens_[i].is(":")) has_members = true;
    static_cast<void>(first);
    std::size_t body = open;
    while (has_members && body + 1 < tokens_.size() &&
           (tokens_[body - 1].is_word() || tokens_[body - 1].is(">"))) {
      const std::size_t behind = closing(tokens_, body) + 1;
      if (!tokens_[behind].is(",") && !tokens_[behind].is("{")) break;
      body = behind;
      while (body + 1 < tokens_.size() && !tokens_[body].is("{")) {
        if (tokens_[body].is("(")) body = closing(tokens_, body);
        ++body;
      }
    }
    return body;
  }

  void function(const FunctionHead& head, std::size_t first, std::size_t open, bool of_namespace) {
    const std::size_t close = closing(tokens_, open);
    const bool is_users = !tokens_[head.name].is_system;
    drop_places(first, open);
    if (head.is_kernel) kernel(head, first, open);
    const bool is_main = of_namespace && is_users && tokens_[head.name].is("main");
    if (is_main) {
      made_.has_main = true;
      drop(head.name, "ridgeline_program_main");
      if (!holds(first, head.name, "void")) edits_.insert(source_.at(tokens_[close]), "return 0;");
    }
    // What only the host runs needs no calls before its accesses.
    if (is_users && !head.is_device && !head.is_constexpr && !head.is_template)
      quieten(first, open);
    if (!head.is_device && !is_users) return;
    Bodies::Names parameters;
    for (const Parameter& each : parameters_of(source_, head.parameters + 1,
                                               closing(tokens_, head.parameters), "ridgeline_p"))
      parameters.insert(each.name);
    bodies_.rewrite(open + 1, close, head.is_device, std::move(parameters));
  }

  /// Behind `extern "C"`, which comes first; not where an attribute in [[]] does.
  void quieten(std::size_t first, std::size_t open) {
    while (first < open &&
           (tokens_[first].is("extern") || tokens_[first].kind == Token::Kind::text))
      ++first;
    if (first < open && !tokens_[first].is("["))
      edits_.insert(source_.at(tokens_[first]), "__attribute__((no_sanitize(\"thread\"))) ");
  }

  void kernel(const FunctionHead& head, std::size_t first, std::size_t open) {
    ++made_.kernels;
    if (const auto list = template_head(source_, first, open))
      for (const Parameter& each :
           parameters_of(source_, list->first + 1, list->end, "ridgeline_t"))
        if (each.insert != 0) edits_.insert(source_.at(tokens_[each.insert]), " " + each.name);
    std::string types, values, name(tokens_[head.name].text);
    const std::size_t close = closing(tokens_, head.parameters);
    for (const Parameter& each :
         parameters_of(source_, head.parameters + 1, close, "ridgeline_p")) {
      if (each.name == tokens_[head.name].text) name = scoped_name(head.name);
      // Of a pack g++ does not find the function's type, as launch.hpp says.
      for (std::size_t i = head.parameters; each.is_pack && i < close; ++i)
        if (is_restrict(tokens_[i])) drop(i);
      if (each.insert != 0) edits_.insert(source_.at(tokens_[each.insert]), " " + each.name + " ");
      const char* pack = each.is_pack ? "..." : "";
      types += fmt::format("{}typename ::ridgeline::program::InFunction<decltype({})>::Type{}",
                           types.empty() ? "" : ", ", each.name, pack);
      values += fmt::format(", {}{}", each.name, pack);
    }
    std::string cluster = "1";
    for (std::size_t i = first; i < open; ++i)
      if (tokens_[i].is("__cluster_dims__")) {
        cluster.clear();
        for (std::size_t j = i + 2; j < closing(tokens_, i + 1); ++j) cluster += tokens_[j].text;
      }
    edits_.insert(
        source_.at(tokens_[open]) + 1,
        fmt::format(" if (::ridgeline::program::is_launching()) {{ ::ridgeline::program::launch("
                    "::dim3({}), static_cast<void (*)({})>({}{}){}); return; }}",
                    cluster, types, name, head.arguments, values));
  }

  /// Of the kernel whose name is at `at`, where a parameter has that name, too.
  std::string scoped_name(std::size_t at) const {
    std::string name(tokens_[at].text);
    for (; at >= 2 && tokens_[at - 1].is("::") && tokens_[at - 2].is_word(); at -= 2)
      name = std::string(tokens_[at - 2].text) + "::" + name;
    return "::" + namespaces_ + name;
  }

  const Source& source_;
  const std::vector<Token>& tokens_;
  Edits edits_;
  Rewritten made_;
  std::string namespaces_;  // that are open: "a::b::"
  Bodies bodies_;
};

}  // namespace

Rewritten rewrite(Source source) {
  read_tokens(source);
  return Rewriter(source).run();
}

}  // namespace ridgeline::program
