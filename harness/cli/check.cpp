#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>

#include "harness/base/error.hpp"
#include "harness/base/json.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/said_lines.hpp"
#include "harness/process/check_kit.hpp"
#include "harness/process/home.hpp"
#include "harness/process/tool.hpp"

namespace ridgeline::cli {
namespace {

namespace fs = std::filesystem;

/// Removed with all that is in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "ridgeline-check-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw Error(ErrorKind::internal, fmt::format("cannot make a folder {}", pattern),
                  "set TMPDIR to one that can be written");
    path_ = pattern;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Runs the compiler; its words go to stderr.
void build(const process::Kit& kit, const std::vector<std::string>& arguments,
           const std::string& failure) {
  std::vector<std::string> words = kit.compiler;
  words.insert(words.end(), arguments.begin(), arguments.end());
  present::SaidLines errors(stderr);
  const process::ToolResult result =
      process::run_tool({words.front(), {words.begin() + 1, words.end()}, {}}, &errors);
  if (!result.fine)
    throw Error(ErrorKind::usage,
                fmt::format("{}: {} {}", failure, fs::path(kit.compiler.back()).filename().string(),
                            result.ending),
                "what sources must keep to: docs/how-to-check.md");
}

<<<<<<< HEAD
=======
/// What nvcc defines as __CUDA_ARCH__ for that device: "900" of "emulated:sm_90/3".
std::string architecture_of(const std::string& device) {
  const std::size_t number =
      device.find("sm_") == std::string::npos ? device.size() : device.find("sm_") + 3;
  const std::size_t end = std::min(device.find_first_not_of("0123456789", number), device.size());
  return end == number ? "" : device.substr(number, end - number) + "0";
}

/// In two steps: told to link what it instruments, the compiler would add the sanitizer's library.
void compile(const process::Kit& kit, const fs::path& source, const std::string& device,
             const fs::path& program) {
  const std::string object = program.string() + ".o";
  std::vector<std::string> arguments = kit.flags;
  if (const std::string architecture = architecture_of(device); !architecture.empty())
    arguments.push_back("-DRIDGELINE_CUDA_ARCH=" + architecture);
  arguments.insert(arguments.end(),
                   {"-x", "c++", "-c", fs::absolute(source).string(), "-o", object});
  build(kit, arguments, source.string() + " cannot be compiled for the emulated device");
  arguments = {object, "-o", program.string()};
  arguments.insert(arguments.end(), kit.link.begin(), kit.link.end());
  build(kit, arguments, source.string() + " cannot be linked");
}

>>>>>>> emu30
struct CheckOptions {
  std::vector<std::string> files;

  std::string text() const { return fmt::format("{}", fmt::join(files, " ")); }
};

/// In two steps: told to link what it instruments, the compiler would add the sanitizer's library.
void compile(const process::Kit& kit, const CheckOptions& options, const fs::path& program) {
  std::vector<std::string> link;
  for (const std::string& source : options.files) {
    const std::string object = fmt::format("{}.{}.o", program.string(), link.size());
    std::vector<std::string> arguments = kit.flags;
    arguments.insert(arguments.end(),
                     {"-x", "c++", "-c", fs::absolute(source).string(), "-o", object});
    build(kit, arguments, source + " cannot be compiled for the emulated device");
    link.push_back(object);
  }
  link.insert(link.end(), {"-o", program.string()});
  link.insert(link.end(), kit.link.begin(), kit.link.end());
  build(kit, link, options.text() + " cannot be linked");
}

int check(const Context& context, const CheckOptions& options) {
  for (const std::string& source : options.files)
    if (!fs::is_regular_file(source))
      throw Error(ErrorKind::usage, fmt::format("cannot read {}", printable(source, 4000)));
  const process::Kit kit = process::read_kit(process::program_folder().parent_path());
  if (!kit.note.empty()) present::say(stderr, kit.note + "\n");
  const ScratchFolder folder;
  const fs::path program = folder.path() / "check";
<<<<<<< HEAD
  compile(kit, options, program);
=======
  const std::string device = context.device.empty() ? "emulated:sm_90" : context.device;
  compile(kit, source, device, program);
>>>>>>> emu30

  std::vector<std::string> arguments{device};
  if (context.json) arguments.emplace_back("--json");
  // What the kernels themselves print may come between the lines for people, but not into JSON.
  present::SaidLines lines(stdout);
  const process::ToolResult result =
      process::run_tool({program.string(), arguments, {}}, context.json ? nullptr : &lines);
  if (context.json) {
    const std::optional<json::Value> counted = json::try_parse(result.output);
    present::say(stdout, counted ? present::printed_json(*counted, 2) : result.output + "\n");
  }
  if (result.fine) return present::fine;
  for (const int code : {2, 64, 69})
    if (result.exit_code == code) return code;
  throw Error(ErrorKind::dependency,
              fmt::format("the check of {} {}", options.text(), result.ending),
              "an access that the device does not see can end the program: docs/how-to-check.md");
}

}  // namespace

void add_check(Command program, Context& context) {
  const auto [command, options] =
      add_command(program, context, "check",
                  "Run a file's kernels on the emulated device: mistakes, counts, annotated source",
                  R"(
  ridgeline check reverse_rows.cu                            no GPU is needed
  ridgeline check reverse_rows.cu --device emulated:sm_80    within another architecture's limits
  ridgeline check reverse_rows.cu --json                     counts by source line
  ridgeline check mine.cpp kernel.cu                         every case of a suite of yours
The files define kernels and a function ridgeline::check() that launches them
(docs/how-to-check.md), or cases (docs/own-kernels.md).)",
                  check, "the check did not end");
  command.option("FILE", options.files, "A .cu file, and others that belong to it",
                 {.required = true});
  for (const auto add : {add_device_option, add_json_option}) add(command, context);
}

}  // namespace ridgeline::cli
