#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <functional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "harness/base/text.hpp"
#include "harness/process/check_build.hpp"

namespace ridgeline::process {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_told = 6;

/// "file:12:3: error: text".
struct Message {
  std::string_view place;  // "file:12"
  std::string_view text;
  bool is_error = false;
};

Message message_of(std::string_view line) {
  for (const std::string_view kind : {": fatal error: ", ": error: "}) {
    const std::size_t at = line.find(kind);
    if (at == std::string_view::npos) continue;
    std::string_view place = line.substr(0, at);
    // A column, where there is one, says little of rewritten lines.
    const std::size_t last = place.rfind(':');
    if (last != std::string_view::npos && last > 0 &&
        place.substr(0, last).find(':') != std::string_view::npos)
      place = place.substr(0, last);
    return {place, line.substr(at + kind.size()), true};
  }
  const std::size_t required = line.find(":   required from");
  if (required != std::string_view::npos) {
    std::string_view place = line.substr(0, required);
    place = place.substr(0, place.rfind(':'));
    return {place, "", false};
  }
  return {};
}

/// What begins so belongs to a library that no emulated device has.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> libraries{
    {{"cublas", "cuBLAS"},
     {"cudnn", "cuDNN"},
     {"cufft", "cuFFT"},
     {"curand", "cuRAND"},
     {"cusparse", "cuSPARSE"},
     {"cusolver", "cuSOLVER"},
     {"nccl", "NCCL"},
     {"nvml", "NVML"},
     {"npp", "NPP"},
     {"nvrtc", "NVRTC"},
     {"cuGraphics", "graphics"}}};

std::string library_hint(std::string_view name) {
  for (const auto& [prefix, library] : libraries)
    if (name.starts_with(prefix))
      return fmt::format("{} runs on GPUs alone; leave it out behind #ifndef RIDGELINE_CHECK",
                         library);
  return "";
}

/// The first name in quotes, of any kind.
std::string_view quoted(std::string_view text) {
  for (const auto& [open, close] :
       {std::pair<std::string_view, std::string_view>{"‘", "’"}, {"`", "'"}, {"'", "'"}}) {
    const std::size_t at = text.find(open);
    if (at == std::string_view::npos) continue;
    const std::size_t begin = at + open.size(), end = text.find(close, begin);
    if (end != std::string_view::npos) return text.substr(begin, end - begin);
  }
  return "";
}

std::string hint_of(std::string_view text) {
  if (text.find("No such file or directory") != std::string_view::npos) {
    const std::string_view name = text.substr(0, text.find(':'));
    const std::string library = library_hint(name);
    return library.empty() ? "name its folder by -I, or install what it belongs to" : library;
  }
  const std::string_view name = quoted(text);
  if (std::string library = library_hint(name); !library.empty()) return library;
  if (text.find("was not declared") != std::string_view::npos)
    return "the emulated device does not have it; keep it behind #ifndef RIDGELINE_CHECK, or write "
           "it by what docs/emulated-device.md lists";
  return "";
}

/// Calls `each(line)` until it returns false.
template <class Each>
void for_lines(std::string_view text, const Each& each) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!each(text.substr(0, end))) return;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Libraries that people copy, each with a header of its folder, by which that is told from a
/// folder of the user's with the same name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> copied{
    {{"thrust", "device_vector.h"},
     {"cub", "cub.cuh"},
     {"cute", "atom/mma_atom.hpp"},
     {"cutlass", "cutlass.h"}}};

/// Whether the folder is that of the library's headers, or of all its files.
bool is_copy(const fs::path& folder, std::string_view library, std::string_view header) {
  return std::ranges::any_of(std::array{folder, folder / library, folder / "include" / library},
                             [&](const auto& headers) {
                               std::error_code unreadable;
                               return fs::exists(headers / header, unreadable);
                             });
}

/// Whether the file is the user's, and no header of a library; also where its copy lies in a folder
/// of the user's.
bool is_users_own(std::string_view file, const std::vector<std::string>& own,
                  std::string_view folder) {
  if (std::ranges::any_of(own, [&](const auto& of) { return file.starts_with(of); })) return false;
  const std::size_t from = file.starts_with(folder) ? folder.size() : 0;
  return std::ranges::none_of(copied, [&](const auto& each) {
    const auto& [library, header] = each;
    const std::string part = fmt::format("/{}/", library);
    for (std::size_t at = from; (at = file.find(part, at)) != std::string_view::npos; ++at)
      if (is_copy(file.substr(0, at + part.size() - 1), library, header)) return true;
    return false;
  });
}

/// As an #include names it.
std::string_view name_of_header(std::string_view file) {
  for (const std::string_view part : {"/cccl/", "/include/"})
    if (const std::size_t at = file.rfind(part); at != std::string_view::npos)
      return file.substr(at + part.size());
  return file;
}

}  // namespace

std::string broken_include(const std::string& said, const std::string& preprocessed,
                           const std::vector<std::string>& own, const std::string& folder) {
  std::string_view header;
  for_lines(said, [&](std::string_view line) {
    const Message message = message_of(line);
    const std::string_view file = message.place.substr(0, message.place.rfind(':'));
    if (file.empty()) return true;
    if (message.is_error) header = file;
    return !message.is_error && !is_users_own(file, own, folder);
  });
  if (header.empty() || is_users_own(header, own, folder)) return "";
  // Markers say which file begins (`# 1 "FILE" 1`) and where one goes on (`# 12 "FILE" 2`).
  std::string found;
  std::string_view users, first;  // the file that is read, and what it has included
  int number = 0;
  for_lines(preprocessed, [&](std::string_view line) {
    const std::size_t quote = line.find('"'), end = line.rfind('"');
    if (!line.starts_with("# ") || quote == std::string_view::npos || end == quote) {
      number += first.empty() ? 1 : 0;
      return true;
    }
    const std::string_view file = line.substr(quote + 1, end - quote - 1);
    if (is_users_own(file, own, folder)) {
      users = file;
      first = {};
      std::from_chars(line.data() + 2, line.data() + quote, number);
      return true;
    }
    if (first.empty() && !users.empty()) first = file;
    if (file != header || users.empty() || users.starts_with('<')) return true;
    found = fmt::format("{}:{} includes {}", printable(std::string(users), 1000), number,
                        printable(std::string(name_of_header(first)), 1000));
    return false;
  });
  return found;
}

std::string library_stubs(const std::string& said) {
  std::set<std::string, std::less<>> names;
  for_lines(said, [&](std::string_view line) {
    const std::size_t at = line.find("undefined reference to ");
    if (at == std::string_view::npos) return true;
    const std::string_view name = quoted(line.substr(at));
    const bool is_c = !name.empty() && std::ranges::all_of(name, [](char letter) {
      return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
    });
    const bool known = name.starts_with("cu") || name.starts_with("nv") || name.starts_with("gl");
    if (is_c && (known || !library_hint(name).empty())) names.emplace(name);
    return true;
  });
  if (names.empty()) return "";
  std::string text = "void ridgeline_not_modelled(const char*, unsigned long);\n";
  for (const std::string& name : names)
    text += fmt::format(
        "int {}() {{ ridgeline_not_modelled(\"{}\", (unsigned "
        "long)__builtin_return_address(0)); return 1; }}\n",
        name, name);
  return text;
}

std::string told_errors(const std::string& said, const std::vector<std::string>& own) {
  const auto is_users = [&](std::string_view place) {
    return !place.empty() && std::ranges::none_of(own, [&](const std::string& folder) {
      return place.starts_with(folder);
    });
  };
  std::set<std::string> told;
  std::string text;
  const auto tell = [&](std::string_view place, std::string_view what, const std::string& hint) {
    const std::string sentence = fmt::format("{}: {}", place, what);
    if (told.size() >= most_told || !told.insert(sentence).second) return;
    text += fmt::format("  {}\n", printable(sentence, 1000));
    if (!hint.empty()) text += fmt::format("    {}\n", hint);
  };
  std::string_view users;
  for_lines(said, [&](std::string_view line) {
    if (const std::size_t at = line.find("undefined reference to "); at != std::string_view::npos) {
      const std::string_view name = quoted(line.substr(at));
      std::string_view place = line.substr(0, at);
      place = place.substr(0, place.rfind(": "));
      if (const std::size_t tool = place.find("ld: "); tool != std::string_view::npos)
        place.remove_prefix(tool + 4);
      const std::string library = library_hint(name);
      tell(place, fmt::format("{} is defined nowhere", name),
           library.empty() ? "name the file that defines it, too, when it is the program's own"
                           : library);
      return true;
    }
    const Message message = message_of(line);
    if (!message.is_error) {
      if (is_users(message.place)) users = message.place;  // of the template that it comes from
      if (line.starts_with("  hint: ") && told.size() < most_told && !text.empty())
        text += fmt::format("    {}\n", printable(line.substr(8), 1000));
      return true;
    }
    tell(is_users(message.place) || users.empty() ? message.place : users, message.text,
         hint_of(message.text));
    users = {};
    return true;
  });
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace ridgeline::process
