#include "harness/gate/commit_address.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/gate/git.hpp"

namespace ridgeline::gate {
namespace {

constexpr std::size_t longest_host = 253, longest_path = 200;

std::vector<std::string_view> split(std::string_view text, char between) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(between, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

bool consists_of(std::string_view text, std::string_view others) {
  return !text.empty() && std::ranges::all_of(text, [&](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) || others.find(static_cast<char>(c)) != others.npos);
  });
}

/// A name with a dot, no number: "forge.example.org".
bool is_host(std::string_view host) {
  const std::vector<std::string_view> labels = split(host, '.');
  const auto is_label = [](std::string_view label) {
    return consists_of(label, "-") && !label.starts_with('-') && !label.ends_with('-');
  };
  return host.size() <= longest_host && labels.size() >= 2 &&
         std::ranges::all_of(labels, is_label) &&
         std::isalpha(static_cast<unsigned char>(labels.back().front()));
}

/// "owner/name", also with more folders.
bool is_repository(std::string_view path) {
  const std::vector<std::string_view> parts = split(path, '/');
  return path.size() <= longest_path && parts.size() >= 2 &&
         std::ranges::all_of(parts, [](std::string_view part) {
           return consists_of(part, "-_.~") && part != "." && part != "..";
         });
}

/// What stands before `mark`, which is taken off `rest`.
std::optional<std::string_view> take_until(std::string_view& rest, char mark) {
  const std::size_t end = rest.find(mark);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return taken;
}

/// Host and path of `remote`; empty ones when it is none of the addresses that are read.
std::pair<std::string_view, std::string_view> parts_of(std::string_view remote) {
  std::string_view rest = remote;
  const bool is_url = rest.starts_with("https://") || rest.starts_with("ssh://");
  if (is_url)
    rest.remove_prefix(rest.find("://") + 3);
  else if (rest.find("://") != std::string_view::npos)
    return {};
  const auto before = take_until(rest, is_url ? '/' : ':');
  if (!before) return {};
  std::string_view host = *before;
  host.remove_prefix(host.rfind('@') + 1);  // npos + 1 is 0
  if (const std::size_t port = host.find(':'); port != std::string_view::npos) {
    const std::string_view digits = host.substr(port + 1);
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
      return {};
    host = host.substr(0, port);
  }
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.ends_with(".git")) rest.remove_suffix(4);
  return {host, rest};
}

bool is_full_hash(const std::string& text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

std::string commit_address(std::string_view remote) {
  const auto [named, path] = parts_of(remote);
  if (!is_host(named) || !is_repository(path)) return {};
  std::string host(named);
  for (char& c : host) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool is_gitlab = host.find("gitlab") != std::string::npos,
             is_bitbucket = host.find("bitbucket") != std::string::npos;
  return fmt::format("https://{}/{}/{}/", host, path,
                     is_gitlab      ? "-/commit"
                     : is_bitbucket ? "commits"
                                    : "commit");
}

std::string commit_address_of(const std::filesystem::path& folder) {
  try {
    const process::ToolResult remote = git(folder, {"remote", "get-url", "origin"});
    return remote.fine ? commit_address(remote.output) : std::string();
  } catch (const Error&) {
    return {};  // there is no git
  }
}

std::set<std::string> commits_known(const std::filesystem::path& folder,
                                    const std::set<std::string>& commits) {
  std::vector<std::string> arguments{"rev-list", "--no-walk", "--ignore-missing"};
  std::ranges::copy_if(commits, std::back_inserter(arguments), is_full_hash);
  if (arguments.size() == 3) return {};
  try {
    std::istringstream lines(git(folder, arguments).output);
    std::set<std::string> known;
    for (std::string line; std::getline(lines, line);)
      if (commits.contains(line)) known.insert(line);
    return known;
  } catch (const Error&) {
    return {};  // there is no git
  }
}

}  // namespace ridgeline::gate
