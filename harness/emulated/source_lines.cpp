#include "harness/emulated/source_lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

namespace ridgeline::emulated {
namespace {

/// Ours, CUDA's libraries' and the compiler's: who is asked for a line has called what stands
/// there.
bool is_word_of_the_language(std::string_view file) {
  const auto lies_in = [&](std::string_view folder) {
    return file.find(folder) != std::string_view::npos;
  };
  if (lies_in("kernels/ptx/") && file.ends_with(".cuh")) return true;
  if (lies_in("/include/cuda_pipeline") && file.ends_with(".h")) return true;
  return (lies_in("harness/emulated/") && !file.ends_with(".cu")) || lies_in("/cccl/") ||
         lies_in("/include/c++/") || file.ends_with("/cuda_runtime.h");
}

/// "kernels/gemm/cuda/naive.cu" of "build/x/../../kernels/gemm/cuda/naive.cu" and of the file that
/// the build wrote to include it, which debug information names now and then.
std::string plain_path(std::string_view file) {
  std::string path = std::filesystem::path(file).lexically_normal().string();
  constexpr std::string_view wrapped = "/generated/emulated/";
  const std::size_t at = path.find(wrapped);
  if (at != std::string::npos && path.ends_with(".cu.cpp"))
    return path.substr(at + wrapped.size(),
                       path.size() - at - wrapped.size() - std::string_view(".cpp").size());
  // Of calls, addr2line puts the folder that the compiler ran in, a build of this tree, before the
  // name.
  if (!path.starts_with('/'))
    for (const std::string_view room : {"/harness/", "/kernels/"})
      if (const std::size_t inside = path.find(room); inside != std::string::npos)
        return path.substr(inside + 1);
  return path;
}

/// "kernels/gemm/naive.cu:12 (discriminator 3)".
SourceLine parsed(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.starts_with("??")) return {};
  SourceLine line{plain_path(text.substr(0, colon)), 0};
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), line.line);
  return line.line > 0 ? line : SourceLine{};
}

struct Close {
  void operator()(std::FILE* pipe) const { ::pclose(pipe); }
};

/// Which of the lines of calls that were inlined at a place.
enum class Call : std::uint8_t { innermost, outermost };

/// Adds the lines of `pcs` to `lines`.
void ask(std::span<const std::uint32_t> pcs, Call call,
         std::map<std::uint32_t, SourceLine>& lines) {
  constexpr std::size_t at_once = 2000;  // addresses of a command line
  for (std::size_t first = 0; first < pcs.size(); first += at_once) {
    // -a prints each address before the lines of the calls that were inlined there, the innermost
    // first.
    std::string command = fmt::format("addr2line -i -a -e /proc/{}/exe", ::getpid());
    for (const std::uint32_t pc : pcs.subspan(first, std::min(at_once, pcs.size() - first))) {
      command += fmt::format(" {:x}", pc - 1);  // within the call, not behind it
      lines[pc];
    }
    const std::unique_ptr<std::FILE, Close> pipe(::popen((command + " 2>/dev/null").c_str(), "r"));
    if (!pipe) continue;
    std::array<char, 4096> buffer;
    SourceLine* found = nullptr;
    while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe.get()) != nullptr) {
      std::string_view text(buffer.data());
      if (text.ends_with('\n')) text.remove_suffix(1);
      if (text.starts_with("0x")) {
        std::uint64_t address = 0;
        std::from_chars(text.data() + 2, text.data() + text.size(), address, 16);
        const auto at = lines.find(static_cast<std::uint32_t>(address + 1));
        found = at == lines.end() ? nullptr : &at->second;
        continue;
      }
      const SourceLine line = parsed(text);
      if (found != nullptr && (call == Call::outermost || found->file.empty()) &&
          !line.file.empty() && !is_word_of_the_language(line.file))
        *found = line;
    }
  }
}

}  // namespace

std::map<std::uint32_t, SourceLine> source_lines(std::span<const std::uint32_t> pcs) {
  // A program's lines do not change, and to read them anew takes a second where it is large.
  static std::recursive_mutex together;  // a crash in here is reported, with its line, too
  static std::map<std::uint32_t, SourceLine> known;
  const std::lock_guard lock(together);
  std::vector<std::uint32_t> unknown;
  for (const std::uint32_t pc : pcs)
    if (!known.contains(pc)) unknown.push_back(pc);
  std::ranges::sort(unknown);
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  ask(unknown, Call::innermost, known);
  std::map<std::uint32_t, SourceLine> lines;
  for (const std::uint32_t pc : pcs) lines[pc] = known[pc];
  return lines;
}

SourceLine function_line(std::uint64_t address) {
  const std::uint32_t pcs[] = {static_cast<std::uint32_t>(address) + 1};  // see ask()
  std::map<std::uint32_t, SourceLine> lines;
  ask(pcs, Call::outermost, lines);
  return lines[pcs[0]];
}

}  // namespace ridgeline::emulated
