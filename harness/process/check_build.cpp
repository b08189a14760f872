#include "harness/process/check_build.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/text.hpp"
#include "harness/process/tool.hpp"

namespace ridgeline::process {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* what_is_taken =
    "docs/how-to-check.md says what programs are taken, and what to do about others";

struct Done {
  ToolResult result;
  std::string said;
};

Done perform(const Words& words) {
  std::ostringstream said;
  ToolResult result = run_tool({words.front(), {words.begin() + 1, words.end()}, {}}, &said);
  return {std::move(result), std::move(said).str()};
}

/// The words of a command without `-include X`, which a preprocessed text holds already.
Words without_includes(const Words& words) {
  Words kept;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == "-include")
      ++i;
    else
      kept.push_back(words[i]);
  return kept;
}

/// Whether headers of the system or of CUDA may ask for the macro, so that it must be there before
/// them; X or X=1.
bool is_for_headers(std::string_view definition) {
  constexpr std::array<std::string_view, 8> begins{
      "_", "NDEBUG", "CUDA", "CUB_", "THRUST_", "CCCL_", "LIBCUDACXX_", "RIDGELINE_"};
  return std::ranges::any_of(begins,
                             [&](std::string_view begin) { return definition.starts_with(begin); });
}

/// As the compiler takes -D: "X", "X=1", "X(a)=a + 1".
std::string defined(std::string_view definition) {
  const std::size_t at = definition.find('=');
  const std::string_view name = definition.substr(0, at),
                         value = at == std::string_view::npos ? "1" : definition.substr(at + 1);
  return fmt::format("#define {} {}\n", name, value.substr(0, value.find('\n')));
}

/// Whether a preprocessed text has words that the host's compiler alone does not know. CUDA's own
/// headers have none there: to them, too, it is the host's compiler.
bool has_device_code(std::string_view text) {
  constexpr std::array<std::string_view, 3> words{"__global__", "__device__", "<<<"};
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

class Build {
 public:
  Build(const Kit& kit, const CheckSources& sources, const fs::path& to, std::ostream& to_says)
      : kit_(kit), sources_(sources), to_(to), to_says_(to_says) {
    user_.push_back(fmt::format("-DRIDGELINE_CUDA_ARCH={}", 10 * sources.capability));
    for (const std::string& folder : sources.includes) user_.push_back("-I" + folder);
    define(sources.definitions);
    if (sources.zeroes_variables) more_.emplace_back("-ftrivial-auto-var-init=zero");
    for (std::size_t i = 0; i < kit.flags.size(); ++i)
      if (kit.flags[i].starts_with("-I"))
        own_.push_back(kit.flags[i].substr(2));
      else if (kit.flags[i] == "-isystem" && i + 1 < kit.flags.size())
        own_.push_back(kit.flags[i + 1] + "/");
    own_.emplace_back("/usr/");
  }

  /// In two steps: told to link what it instruments, the compiler would add the sanitizer's
  /// library.
  void as_they_stand() {
    Words objects;
    for (const std::string& source : sources_.files) {
      const std::string object = fmt::format("{}.{}.o", to_.string(), objects.size());
      Words words = kit_.compiler;
      add(words, kit_.flags);
      add(words, kit_headers());
      add(words, user_);
      add(words, more_);
      add(words, {"-x", "c++", "-c", fs::absolute(source).string(), "-o", object});
      const Done done = perform(words);
      to_says_ << done.said;
      refuse_unless(done, source + " cannot be compiled for the emulated device", "");
      objects.push_back(object);
    }
    link(objects, kit_.link, fmt::format("{}", fmt::join(sources_.files, ", ")));
  }

  void program() {
    Words objects;
    bool has_main = false;
    for (const std::string& source : sources_.files) {
      const std::string stem = fmt::format("{}-{}", to_.string(), objects.size());
      const std::string preprocessed = stem + ".ii", rewritten = stem + ".rewritten.ii",
                        object = stem + ".o";
      Done done = preprocess(source, preprocessed);
      refuse_unless(done, source + " cannot be preprocessed", done.said);
      done = perform({kit_.rewriter, preprocessed, rewritten});
      has_main = has_main || done.result.exit_code == 0;
      if (!done.result.fine && done.result.exit_code != 3) {
        refuse_include(done, source, preprocessed);
        refuse_unless(done, source + " has what the emulated device does not model", done.said);
      }
      Words words = kit_.compiler;
      if (words.size() > 1) words.insert(words.begin() + 1, "--note");
      add(words, without_includes(kit_.flags));
      add(words, more_);
      add(words, {"-w", "-fpermissive", "-fmax-errors=20", "-fpreprocessed", "-x", "c++-cpp-output",
                  "-c", rewritten, "-o", object});
      done = perform(words);
      if (!done.result.fine) refuse_include(done, source, preprocessed);
      refuse_unless(done, source + " cannot be compiled for the emulated device", done.said);
      to_says_ << done.said;
      objects.push_back(object);
    }
    const std::string named = fmt::format("{}", fmt::join(sources_.files, ", "));
    if (!has_main)
      throw Error(ErrorKind::usage,
                  fmt::format("{}: nothing runs the kernels: there is no main() and no "
                              "ridgeline::check()",
                              printable(named, 4000)),
                  "name the file with main(), too, or write a function that launches them: "
                  "docs/how-to-check.md");
    Words libraries = kit_.link;
    const auto group = std::ranges::find(libraries, "-Wl,--start-group");
    libraries.insert(group == libraries.end() ? libraries.begin() : std::next(group),
                     kit_.program_link.begin(), kit_.program_link.end());
    link(objects, libraries, named);
  }

 private:
  static void add(Words& to, const Words& words) {
    to.insert(to.end(), words.begin(), words.end());
  }

  /// A file that is not called .cu is what nvcc would give to the host's compiler, which knows no
  /// device functions, so that the file may have its own `umin`. Where it, or a header, has code
  /// for the device all the same, a build system has told nvcc that it is CUDA.
  Done preprocess(const std::string& source, const std::string& to) {
    Words words{kit_.compiler.back()};
    add(words, kit_.program_flags);
    Words as_host = words;
    add(words, kit_.flags);
    add(as_host, without_includes(kit_.flags));
    as_host.emplace_back("-DRIDGELINE_HOST_FILE=1");
    for (Words* each : {&words, &as_host}) {
      add(*each, user_);
      add(*each, {"-w", "-x", "c++", "-E", fs::absolute(source).string(), "-o", to});
    }
    if (fs::path(source).extension() != ".cu") {
      Done done = perform(as_host);
      if (done.result.fine && !has_device_code(file_text(to))) return done;
    }
    return perform(words);
  }

  /// A user's macro may have any name, and our headers have parameters of many: so it comes behind
  /// them, as if the source began with it.
  void define(const Words& definitions) {
    std::string behind;
    for (const std::string& definition : definitions)
      if (is_for_headers(definition))
        user_.push_back("-D" + definition);
      else
        behind += defined(definition);
    if (behind.empty()) return;
    const std::string file = to_.string() + "-definitions.hpp";
    write_file(file, [&](std::ostream& out) { out << behind; });
    add(user_, {"-include", file});
    defines_ = true;
  }

  /// Those that a file without main() includes by name, before macros of the user's.
  Words kit_headers() const {
    Words words;
    for (const char* const header :
         {"harness/device/check.hpp", "harness/device/kernel.hpp", "harness/outside/suite.hpp"})
      if (defines_) add(words, {"-include", fmt::format("{}/{}", own_.front(), header)});
    return words;
  }

  void link(const Words& objects, const Words& libraries, const std::string& named) {
    const auto words_of = [&](const Words& more) {
      Words words{kit_.compiler.back()};
      add(words, objects);
      add(words, more);
      add(words, {"-o", to_.string()});
      add(words, libraries);
      return words;
    };
    Done done = perform(words_of({}));
    if (done.result.fine) return;
    // What a library of NVIDIA's would have ends the program only where it is called.
    const std::string stubs = library_stubs(done.said);
    if (!stubs.empty()) {
      const std::string source = to_.string() + "-stubs.c", object = to_.string() + "-stubs.o";
      std::ofstream(source) << stubs;
      refuse_unless(
          perform({kit_.compiler.back(), "-x", "c", "-fno-pie", "-c", source, "-o", object}),
          named + " cannot be linked", "");
      done = perform(words_of({object}));
    }
    refuse_unless(done, named + " cannot be linked", done.said);
  }

  /// Where a header of a library is what fails, in one sentence: its errors tell a user nothing.
  void refuse_include(const Done& done, const std::string& source, const fs::path& text) const {
    const std::string include = broken_include(done.said, file_text(text), own_,
                                               fs::absolute(source).parent_path().string());
    if (!include.empty())
      throw Error(ErrorKind::usage,
                  fmt::format("{} cannot be compiled for the emulated device: {}, which does not "
                              "compile there",
                              source, include),
                  "keep it, and what uses it, behind #ifndef RIDGELINE_CHECK");
  }

  void refuse_unless(const Done& done, const std::string& failure, const std::string& said) const {
    if (done.result.fine) return;
    if (!said.empty()) {
      const std::string text = told_errors(said, own_);
      to_says_ << (text.empty() ? said.substr(0, 4000) : text) << '\n';
    }
    throw Error(ErrorKind::usage, failure, what_is_taken);
  }

  const Kit& kit_;
  const CheckSources& sources_;
  const fs::path& to_;
  std::ostream& to_says_;
  Words user_, own_, more_;
  bool defines_ = false;  // macros behind our headers
};

}  // namespace

void build_check(const Kit& kit, const CheckSources& sources, const fs::path& to,
                 std::ostream& to_says) {
  for (const std::string& file : sources.files)
    if (!fs::is_regular_file(file))
      throw Error(ErrorKind::usage, fmt::format("cannot read {}", printable(file, 4000)));
  Build build(kit, sources, to, to_says);
  const auto is_own = [](const std::string& file) {
    const std::string text = file_text(file);
    return text.find("ridgeline::check(") != std::string::npos ||
           text.find("ridgeline::outside::cases(") != std::string::npos;
  };
  if (std::ranges::any_of(sources.files, is_own))
    build.as_they_stand();
  else
    build.program();
}

}  // namespace ridgeline::process
