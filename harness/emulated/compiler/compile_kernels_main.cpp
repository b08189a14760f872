#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/emulated/compiler/aggregate_copies.hpp"
#include "harness/emulated/compiler/local_indices.hpp"
#include "harness/emulated/compiler/program_texts.hpp"
#include "harness/emulated/compiler/shared_guards.hpp"
#include "harness/emulated/compiler/uncountable_accesses.hpp"

// Runs a compiler for the emulated device: compile_kernels g++ ARGUMENTS... What it compiles (-c)
// is refused with errors like the compiler's own where accesses could not be counted, or with
// --note before the compiler's name told and compiled; it gets room behind its shared variables
// before it is assembled.
namespace {

namespace fs = std::filesystem;

int run(std::vector<std::string> command) {
  std::vector<char*> arguments;
  for (std::string& each : command) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int error =
          ::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
      error != 0) {
    std::fprintf(stderr, "compile_kernels: %s cannot be run: error %d\n", arguments[0], error);
    return 1;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/// Assembles what was compiled, with room behind variables, and what the program is to know of its
/// source.
int assemble(const std::vector<std::string>& command, const std::string& assembly,
             const std::string& object,
             const std::vector<ridgeline::emulated::DumpedFunction>& functions) {
  const std::string guarded = object + ".guarded.s";
  {
    std::ifstream made(assembly);
    std::ofstream with_guards(guarded);
    std::stringstream with_copies;
    ridgeline::emulated::mark_aggregate_copies(made, with_copies, functions);
    ridgeline::emulated::add_shared_guards(with_copies, with_guards,
                                           ridgeline::emulated::guard_bytes_of(command));
    ridgeline::emulated::write_texts("ridgeline_local_indices",
                                     ridgeline::emulated::local_indices(functions), with_guards);
    ridgeline::emulated::write_texts("ridgeline_unset_variables",
                                     ridgeline::emulated::unset_variables(functions), with_guards);
    if (!with_guards.flush()) {
      std::fprintf(stderr, "compile_kernels: cannot write %s\n", guarded.c_str());
      return 1;
    }
  }
  const int ended = run({command[0], "-c", guarded, "-o", object});
  std::error_code ignored;
  fs::remove(guarded, ignored);
  return ended;
}

/// By which most functions are a part of their callers, so that what is passed between them by
/// value is accessed in the callers' code, where it is told of. A bound on the growth keeps
/// programs of many functions from taking minutes.
const std::vector<std::string> inlining{"-finline-functions",
                                        "-finline-small-functions",
                                        "--param=max-inline-insns-auto=2000",
                                        "--param=max-inline-insns-single=2000",
                                        "--param=inline-min-speedup=0",
                                        "--param=large-function-growth=1000",
                                        "--param=inline-unit-growth=1000"};

/// Compiles to assembly.
struct Compilation {
  int ended = 0;
  bool is_dumped = false;
  std::vector<ridgeline::emulated::DumpedFunction> functions;
  std::vector<ridgeline::emulated::UncountableAccess> uncountable;
};

Compilation compile_to(const std::string& assembly, std::vector<std::string> command) {
  const std::string dumped = assembly + ".dump";
  for (std::size_t i = 1; i < command.size(); ++i) {
    if (command[i] == "-c") command[i] = "-S";
    if (command[i - 1] == "-o") command[i] = assembly;
  }
  command.push_back("-fdump-tree-tsan-asmname-lineno=" + dumped);
  Compilation made;
  made.ended = run(command);
  {
    std::ifstream dump(dumped);
    made.is_dumped = dump.is_open();
    made.functions = ridgeline::emulated::read_functions(dump);
  }
  std::error_code ignored;
  fs::remove(dumped, ignored);
  made.uncountable = ridgeline::emulated::uncountable_accesses(made.functions);
  return made;
}

int compile(const std::vector<std::string>& command, const std::string& object, bool only_note) {
  std::string assembly = object + ".s";
  Compilation made = compile_to(assembly, command);
  std::error_code ignored;
  if (made.ended == 0 && !made.uncountable.empty()) {
    std::vector<std::string> once_more = command;
    once_more.insert(once_more.end(), inlining.begin(), inlining.end());
    const std::string inlined = object + ".inlined.s";
    Compilation other = compile_to(inlined, once_more);
    const bool is_better = other.ended == 0 && other.uncountable.size() < made.uncountable.size();
    fs::remove(is_better ? assembly : inlined, ignored);
    if (is_better) {
      made = std::move(other);
      assembly = inlined;
    }
  }
  int ended = made.ended;
  if (ended == 0) ended = assemble(command, assembly, object, made.functions);
  fs::remove(assembly, ignored);
  if (ended != 0) return ended;
  if (!made.is_dumped) {
    std::fprintf(stderr, "compile_kernels: %s has not dumped what it made: g++ is needed\n",
                 command[0].c_str());
    fs::remove(object, ignored);
    return 1;
  }
  for (const auto& access : made.uncountable)
    std::fprintf(stderr, "%s: %s: %s\n  in %s\n  hint: %s\n", access.place.c_str(),
                 only_note ? "neither counted nor checked" : "error", access.what.c_str(),
                 access.function.c_str(), access.hint.c_str());
  if (made.uncountable.empty() || only_note) return 0;
  fs::remove(object, ignored);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> command(argv + 1, argv + argc);
  const bool only_note = !command.empty() && command.front() == "--note";
  if (only_note) command.erase(command.begin());
  if (command.empty()) {
    std::fprintf(stderr, "usage: compile_kernels [--note] COMPILER ARGUMENTS...\n");
    return 64;
  }
  std::string object;
  bool compiles = false;
  for (std::size_t i = 1; i < command.size(); ++i) {
    compiles = compiles || command[i] == "-c";
    if (command[i] == "-o" && i + 1 < command.size()) object = command[i + 1];
  }
  return compiles && !object.empty() ? compile(command, object, only_note) : run(command);
}
