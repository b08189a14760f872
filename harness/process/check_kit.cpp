#include "harness/process/check_kit.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/installation.hpp"
#include "harness/base/json.hpp"
#include "harness/process/launcher.hpp"
#include "harness/process/tool.hpp"

namespace ridgeline::process {
namespace {

namespace fs = std::filesystem;

/// Stands for the folder in which the kit is.
constexpr std::string_view here = "@ridgeline@";

std::vector<std::string> placed(std::vector<std::string> texts, const fs::path& folder) {
  for (std::string& text : texts)
    if (const auto at = text.find(here); at != std::string::npos)
      text.replace(at, here.size(), folder.string());
  return texts;
}

std::string find_compiler(const std::string& built_with) {
  if (access(built_with.c_str(), X_OK) == 0) return built_with;
  const fs::path found = find_on_path("g++");
  if (found.empty())
    throw Error(ErrorKind::dependency,
                fmt::format("there is no compiler: no {}, and no g++ on the PATH", built_with),
                "install g++");
  return found.string();
}

/// Another g++ counts what its own code does.
std::string other_compiler(const std::string& compiler, const std::string& version) {
  const std::string found = run_tool({compiler, {"-dumpfullversion"}, {}}).output;
  if (found == version) return "";
  return fmt::format(
      "{} is of version {}, and Ridgeline was built by {}: counts are those of its code", compiler,
      found, version);
}

std::vector<std::string> find_cuda_headers(const std::vector<std::string>& built_with,
                                           const fs::path& folder) {
  const auto holds_them = [](const fs::path& folder) {
    std::error_code unreadable;
    return fs::exists(folder / "cuda_fp16.h", unreadable);
  };
  if (std::ranges::any_of(built_with, holds_them)) return built_with;
  std::vector<std::string> places = built_with;
  if (const char* named = std::getenv("CUDA_HOME"); named && *named)
    places.push_back(fs::path(named) / "include");
  if (const fs::path in_wheel = in_wheels_beside(folder / "bin", "include/cuda_fp16.h");
      !in_wheel.empty())
    places.push_back(in_wheel.parent_path());
  std::error_code failure;
  if (const fs::path nvcc = fs::canonical(find_on_path("nvcc"), failure); !failure)
    places.push_back(nvcc.parent_path().parent_path() / "include");
  places.push_back("/usr/local/cuda/include");
  for (const std::string& place : places)
    if (holds_them(place)) return {place};
  throw Error(
      ErrorKind::dependency,
      fmt::format("CUDA's headers are not here: no cuda_fp16.h in {}", fmt::join(places, ", ")),
      "set CUDA_HOME to a CUDA toolkit, of which its folder include is enough; in a Python "
      "environment with Ridgeline's wheel: pip install nvidia-cuda-runtime nvidia-cuda-crt "
      "nvidia-cuda-cccl");
}

}  // namespace

Kit read_kit(const fs::path& folder) {
  std::error_code unreadable;
  const fs::path wheel = folder / "share/ridgeline", name = "lib/ridgeline/check.json";
  const fs::path root = fs::exists(wheel / name, unreadable) ? wheel : folder;
  const fs::path file = root / name;
  std::ifstream in(file);
  if (!in)
    throw Error(ErrorKind::dependency,
                fmt::format("this build cannot check kernels: there is no {}", file.string()),
                "run a ridgeline that was built from source with CUDA's headers present");
  std::vector<std::string> cuda_headers;
  std::string compiler, version;
  Kit kit;
  try {
    const json::Value written = json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
    const auto texts = [&](const char* name) { return placed(written.at(name).texts(), root); };
    kit.compiler = texts("launcher");
    kit.flags = texts("flags");
    kit.link = texts("link");
    kit.rewriter = placed({written.at("rewriter").text()}, root).front();
    kit.program_flags = texts("program_flags");
    kit.program_link = texts("program_link");
    compiler = written.at("compiler").text();
    version = written.at("compiler_version").text();
    cuda_headers = written.at("cuda_headers").texts();
  } catch (const json::Error& error) {
    throw Error(ErrorKind::internal,
                fmt::format("cannot read {}: {}", file.string(), error.what()));
  }
  compiler = find_compiler(compiler);
  kit.compiler.push_back(compiler);
  kit.note = other_compiler(compiler, version);
  // cuda::atomic lies below cccl.
  for (const std::string& headers : find_cuda_headers(cuda_headers, folder))
    kit.flags.insert(kit.flags.end(), {"-isystem", headers, "-isystem", headers + "/cccl"});
  return kit;
}

}  // namespace ridgeline::process
