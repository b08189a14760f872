#include "harness/gate/commit_range.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <system_error>

#include <fmt/core.h>

#include "harness/analysis/bisection.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/gate/git.hpp"

namespace ridgeline::gate {
namespace {

constexpr std::size_t shown_digits = 12;

[[noreturn]] void refuse_strangers(const Commit& good, const Commit& bad) {
  const process::ToolResult base = git(good.repository, {"merge-base", good.hash, bad.hash});
  throw Error(ErrorKind::usage,
              fmt::format("{} is not an ancestor of {}, so no commit between them made the change",
                          good.hash.substr(0, shown_digits), bad.hash.substr(0, shown_digits)),
              base.fine ? fmt::format("both come from {}: use that for --good if it is good",
                                      base.output.substr(0, shown_digits))
                        : "a shallow clone may lack what is between them: git fetch --unshallow");
}

/// "<hash> <parent> <parent>\t<subject>"
void add_line(CommitRange& range, std::map<std::string, std::size_t>& places,
              const std::filesystem::path& repository, const std::string& line, bool into_merges) {
  const std::size_t tab = line.find('\t');
  std::istringstream hashes(line.substr(0, tab));
  Commit commit{repository, {}, tab == std::string::npos ? "" : printable(line.substr(tab + 1))};
  hashes >> commit.hash;
  std::vector<std::size_t> parents;
  if (into_merges) {
    for (std::string parent; hashes >> parent;)
      if (const auto known = places.find(parent); known != places.end())
        parents.push_back(known->second);
  } else if (!range.commits.empty()) {
    parents.push_back(range.commits.size() - 1);
  }
  places.emplace(commit.hash, range.commits.size());
  range.commits.push_back(std::move(commit));
  range.parents.push_back(std::move(parents));
}

bool is_hash(const std::string& text) {
  return text.size() >= 7 && text.size() <= 64 &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

CommitRange commits_between(const Commit& good, const Commit& bad, bool into_merges) {
  if (good.hash == bad.hash)
    throw Error(
        ErrorKind::usage,
        fmt::format("--good and --bad are the same commit, {}", good.hash.substr(0, shown_digits)),
        "--good names one from before the change");
  if (!git(good.repository, {"merge-base", "--is-ancestor", good.hash, bad.hash}).fine)
    refuse_strangers(good, bad);
  const process::ToolResult log =
      git(good.repository, {"log", "--no-show-signature", "--no-color", "--topo-order", "--reverse",
                            into_merges ? "--ancestry-path" : "--first-parent",
                            "--format=%H %P%x09%s", good.hash + ".." + bad.hash});
  CommitRange range;
  std::map<std::string, std::size_t> places;
  std::istringstream lines(log.output);
  for (std::string line;
       std::getline(lines, line) && range.commits.size() <= analysis::most_commits;)
    add_line(range, places, good.repository, line, into_merges);
  if (range.commits.size() > analysis::most_commits)
    throw Error(ErrorKind::usage,
                fmt::format("there are more than {} commits between", analysis::most_commits),
                "name commits that are closer to each other");
  if (!log.fine || range.commits.empty() || range.commits.back().hash != bad.hash)
    throw Error(ErrorKind::dependency,
                fmt::format("git does not list the commits between {} and {}: {}",
                            good.hash.substr(0, shown_digits), bad.hash.substr(0, shown_digits),
                            log.fine ? "its list ends with another commit" : log.words));
  return range;
}

std::optional<std::size_t> count_between(const std::string& good, const std::string& bad) {
  // Stored words become no options and no ranges of their own.
  if (!is_hash(good) || !is_hash(bad)) return std::nullopt;
  try {
    if (!git(".", {"merge-base", "--is-ancestor", good, bad}).fine) return std::nullopt;
    const process::ToolResult count =
        git(".", {"rev-list", "--count", "--first-parent", good + ".." + bad});
    std::size_t n = 0;
    const char* end = count.output.data() + count.output.size();
    const auto [stop, failure] = std::from_chars(count.output.data(), end, n);
    return count.fine && failure == std::errc() && stop == end ? std::optional(n) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // there is no git
  }
}

}  // namespace ridgeline::gate
