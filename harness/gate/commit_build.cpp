#include "harness/gate/commit_build.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/gate/git.hpp"
#include "harness/process/descriptor.hpp"
#include "harness/process/tool.hpp"
#include "harness/run/device_lock.hpp"

namespace ridgeline::gate {
namespace {

using Say = std::function<void(const std::string&)>;

constexpr const char* needed_worker = "ridgeline-suites";
// Where there is MPI, and where there are CUDA's headers.
constexpr const char* optional_workers[] = {"ridgeline-collectives", "ridgeline-emulated"};
constexpr std::size_t last_lines = 15;

std::string short_hash(const Commit& commit) { return commit.hash.substr(0, 10); }
std::string title(const Commit& commit) {
  return fmt::format("commit {} ({})", short_hash(commit), printable(commit.subject, 72));
}

/// Everything that belongs to one commit.
struct Places {
  std::filesystem::path commits, folder, source, build, log, lock, built;
};

/// Arguments for cmake beyond the preset: what this program's build was told, except compilers that
/// are gone.
std::vector<std::string> choices() {
  std::vector<std::string> kept;
  for (const std::string& choice : build_choices()) {
    const std::size_t value = choice.find('=') + 1;
    const bool compiler = choice.substr(0, value).ends_with("_COMPILER=");
    if (!compiler || access(choice.c_str() + value, X_OK) == 0) kept.push_back(choice);
  }
  return kept;
}

std::string facts() {
  std::string lines;
  for (const std::string& choice : choices()) lines += choice + '\n';
  return lines;
}

Places places_of(const Commit& commit) {
  Places places;
  places.commits = commit.repository / "build" / "commits";
  places.folder = places.commits / commit.hash;
  places.source = places.folder / "source";
  // Builds with other choices are kept apart: one of them may be measured at this moment.
  places.build = places.folder / fmt::format("build-{:08x}", fnv1a(facts()) >> 32);
  places.log = places.build.string() + ".log";
  places.lock = places.folder / "lock";
  places.built = places.build / "built.txt";
  return places;
}

std::string read_all(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool is_built(const Places& places) {
  return read_all(places.built) == facts() &&
         access((places.build / "bin" / needed_worker).c_str(), X_OK) == 0;
}

void make_folders(const Places& places) {
  std::error_code failure;
  std::filesystem::create_directories(places.folder, failure);
  if (failure)
    throw Error(ErrorKind::store, fmt::format("cannot make the folder {}: {}",
                                              places.folder.string(), failure.message()));
  // Also where the repository does not ignore the folder, nothing below it is seen as new files.
  const std::filesystem::path ignore = places.commits / ".gitignore";
  if (!std::filesystem::exists(ignore, failure))
    write_file(ignore, [](std::ostream& out) { out << "*\n"; });
}

/// Held while a commit is looked at and built; the system lets go of it however this process ends.
process::Descriptor lock(const Commit& commit, const Places& places, const Say& say) {
  process::Descriptor file(
      open(places.lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file)
    throw Error(ErrorKind::store,
                fmt::format("cannot lock {}: {}", places.lock.string(), std::strerror(errno)));
  run::wait_for_lock(file, places.lock.string(), [&] {
    say(fmt::format("waiting for another process that builds {}", title(commit)));
  });
  return file;
}

/// Whether `source` is a work tree of exactly this commit with nothing changed. Git in a folder
/// that is no work tree answers for the one around it, which is why the top is asked for.
bool is_checkout(const Commit& commit, const std::filesystem::path& source) {
  std::error_code failure;
  const std::filesystem::path whole = std::filesystem::canonical(source, failure);
  if (failure) return false;
  const process::ToolResult where = git(source, {"rev-parse", "--show-toplevel", "HEAD"});
  if (!where.fine || where.output != whole.string() + '\n' + commit.hash) return false;
  const process::ToolResult changes = git(source, {"status", "--porcelain"});
  return changes.fine && changes.output.empty();
}

[[noreturn]] void fail(const Commit& commit, const Places& places, const std::string& failure,
                       const Say& say) {
  std::istringstream text(read_all(places.log));
  std::deque<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    lines.push_back(std::move(line));
    if (lines.size() > last_lines) lines.pop_front();
  }
  for (const std::string& line : lines) say("  " + printable(line, 300));
  throw Error(ErrorKind::dependency, fmt::format("{} cannot be built: {}", title(commit), failure),
              fmt::format("the full log is {}", places.log.string()));
}

class Building {
 public:
  Building(const Commit& commit, const Places& places, const Say& say)
      : commit_(commit),
        places_(places),
        say_(say),
        log_(places.log, std::ios::binary | std::ios::trunc) {
    if (!log_) throw Error(ErrorKind::store, fmt::format("cannot write {}", places.log.string()));
  }

  void check_out() {
    if (is_checkout(commit_, places_.source)) return;
    std::error_code failure;
    std::filesystem::remove_all(places_.source, failure);
    if (failure)
      fail(fmt::format("cannot remove {}: {}", places_.source.string(), failure.message()));
    // Forced twice, because a work tree that was interrupted while it was made stays registered,
    // and locked.
    const std::vector<std::string> add = {
        "worktree", "add", "--force", "--force", "--detach", places_.source.string(), commit_.hash};
    done("git worktree add", git(commit_.repository, add, &log_));
  }

  void configure() {
    std::vector<std::string> arguments{
        "-S", places_.source.string(), "-B", places_.build.string(), "--preset", "release"};
    for (const std::string& choice : choices()) arguments.push_back(choice);
    done("cmake --preset release", cmake(arguments, &log_));
  }

  void compile() {
    const std::vector<std::string> there = targets();
    const auto has = [&](const char* name) {
      return std::ranges::find(there, name) != there.end();
    };
    if (!has(needed_worker)) fail(fmt::format("its build has no target {}", needed_worker));
    std::vector<std::string> arguments{
        "--build",    places_.build.string(),
        "--parallel", std::to_string(std::max(1u, std::thread::hardware_concurrency())),
        "--target",   needed_worker};
    for (const char* worker : optional_workers)
      if (has(worker)) arguments.emplace_back(worker);
    done("cmake --build", cmake(arguments, &log_));
    const std::filesystem::path program = places_.build / "bin" / needed_worker;
    if (access(program.c_str(), X_OK) != 0)
      fail(fmt::format("its build left no program bin/{}", needed_worker));
    write_file(places_.built, [](std::ostream& out) { out << facts(); });
  }

 private:
  [[noreturn]] void fail(const std::string& failure) {
    log_.close();
    gate::fail(commit_, places_, failure, say_);
  }

  void done(const char* step, const process::ToolResult& result) {
    if (!log_) throw Error(ErrorKind::store, fmt::format("cannot write {}", places_.log.string()));
    if (!result.fine) fail(fmt::format("{} {}", step, result.ending));
  }

  // One base for both folders of a commit lets ccache find what was compiled for another commit.
  process::ToolResult cmake(std::vector<std::string> arguments, std::ostream* log) const {
    return process::run_tool(
        {"cmake", std::move(arguments), {{"CCACHE_BASEDIR", places_.folder.string()}}}, log);
  }

  std::vector<std::string> targets() {
    const process::ToolResult help =
        cmake({"--build", places_.build.string(), "--target", "help"}, nullptr);
    log_ << help.words << '\n';
    done("cmake --build --target help", help);
    std::istringstream text(help.output);
    std::vector<std::string> names;
    for (std::string word; text >> word;) {  // Ninja says "name: phony", Make "... name"
      if (word.ends_with(':')) word.pop_back();
      names.push_back(word);
    }
    return names;
  }

  const Commit& commit_;
  const Places& places_;
  const Say& say_;
  std::ofstream log_;
};

void say_what_is_left_out(const Commit& commit, const Say& say) {
  const process::ToolResult head = git(commit.repository, {"rev-parse", "--verify", "HEAD"});
  if (!head.fine || head.output != commit.hash) return;
  const process::ToolResult changes = git(commit.repository, {"status", "--porcelain"});
  if (!changes.fine || changes.output.empty()) return;
  const auto files = 1 + std::ranges::count(changes.output, '\n');
  say(fmt::format("{}: the uncommitted changes to {} here are not part of it", title(commit),
                  units::plural(files, "file")));
}

}  // namespace

Commit find_commit(const std::string& ref) {
  const process::ToolResult top = git(".", {"rev-parse", "--show-toplevel"});
  if (!top.fine)
    throw Error(
        ErrorKind::usage,
        fmt::format("the current folder is in no work tree of a git repository: {}", top.words),
        "change to a clone of Ridgeline");
  const auto look_up = [&](const std::string& name) {
    return git(".", {"rev-parse", "--verify", "--end-of-options", name + "^{commit}"});
  };
  process::ToolResult found = look_up(ref);
  // A clone of one branch, as CI systems make it, has the others as those of its remote, where git
  // switch finds them.
  if (!found.fine && !ref.empty()) found = look_up("refs/remotes/origin/" + ref);
  const bool is_hash = (found.output.size() == 40 || found.output.size() == 64) &&
                       found.output.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (ref.empty() || !found.fine || !is_hash)
    throw Error(ErrorKind::usage,
                fmt::format("there is no commit \"{}\" in {}", printable(ref), top.output),
                "name a branch, a tag or a commit that git log shows");
  const process::ToolResult subject =
      git(".", {"log", "-1", "--no-show-signature", "--format=%s", found.output});
  return {top.output, found.output, printable(subject.output)};
}

void check_presets(const Commit& commit) {
  const std::string file = commit.hash + ":CMakePresets.json";
  if (git(commit.repository, {"cat-file", "-e", file}).fine) return;
  throw Error(
      ErrorKind::dependency,
      fmt::format("{} cannot be built: it has no CMakePresets.json: it is older than builds "
                  "of commits, or not Ridgeline",
                  title(commit)));
}

bool is_built(const Commit& commit) { return is_built(places_of(commit)); }

std::vector<std::string> build_commit(const Commit& commit, const Say& say) {
  const Places places = places_of(commit);
  check_presets(commit);
  say_what_is_left_out(commit, say);
  make_folders(places);
  const process::Descriptor held = lock(commit, places, say);
  if (!is_built(places)) {
    say(fmt::format("building {}, which can take minutes; log: {}", title(commit),
                    places.log.string()));
    Building building(commit, places, say);
    building.check_out();
    building.configure();
    building.compile();
  }
  std::vector<std::string> programs{(places.build / "bin" / needed_worker).string()};
  for (const char* worker : optional_workers)
    if (const std::filesystem::path program = places.build / "bin" / worker;
        std::filesystem::exists(program))
      programs.push_back(program.string());
  return programs;
}

}  // namespace ridgeline::gate
