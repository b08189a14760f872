#include "harness/store/beside.hpp"

#include <string_view>
#include <system_error>

#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "harness/base/error.hpp"

namespace ridgeline::store {
namespace {

namespace fs = std::filesystem;

int open_no_journal(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags,
                    int* flags_used) {
  file->pMethods = nullptr;  // SQLite closes what has methods
  if ((flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL)) != 0) return SQLITE_CANTOPEN;
  return sqlite3_vfs_find("unix")->xOpen(vfs, name, file, flags, flags_used);
}

int find_no_journal(sqlite3_vfs* vfs, const char* name, int flags, int* found) {
  *found = 0;
  if (std::string_view(name).ends_with("-journal")) return SQLITE_OK;
  return sqlite3_vfs_find("unix")->xAccess(vfs, name, flags, found);
}

/// Only the log is ever deleted by name, by the last who leaves.
int delete_only_logs(sqlite3_vfs* vfs, const char* name, int sync_folder) {
  if (!std::string_view(name).ends_with("-wal")) return SQLITE_IOERR_DELETE;
  return sqlite3_vfs_find("unix")->xDelete(vfs, name, sync_folder);
}

/// Where SQLite looks for what lies beside `file`: links are followed first.
fs::path without_links(const fs::path& file) {
  std::error_code error;
  const fs::path path = fs::canonical(file, error);
  return error ? file : path;
}

}  // namespace

fs::path beside(const fs::path& file, std::string_view suffix) { return fs::path(file) += suffix; }

bool has_one_name(const fs::path& file) {
  struct stat facts = {};
  return stat(file.c_str(), &facts) != 0 || facts.st_nlink <= 1;
}

void check_beside(const fs::path& file) {
  struct stat facts = {};
  if (stat(file.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode))
    throw Error(ErrorKind::store,
                fmt::format("cannot open {}: it is not a regular file", file.string()),
                "move it away, or choose another results folder");
  const fs::path path = without_links(file);
  const fs::path journal = beside(path, "-journal");
  if (lstat(journal.c_str(), &facts) == 0 && !(S_ISREG(facts.st_mode) && facts.st_size == 0))
    throw Error(ErrorKind::store,
                fmt::format("cannot open {}: {} lies beside it, which no ridgeline leaves there",
                            file.string(), journal.filename().string()),
                "find out which program made it: playing a journal back changes the results, and "
                "may delete other files; move it away to read the results as they are");
  for (const char* suffix : {"-wal", "-shm"}) {
    const fs::path log = beside(path, suffix);
    // Without a name is the log that another reader, who was the last, is deleting now.
    if (lstat(log.c_str(), &facts) == 0 && !(S_ISREG(facts.st_mode) && facts.st_nlink <= 1))
      throw Error(
          ErrorKind::store,
          fmt::format("cannot open {}: {} beside it is {}", file.string(), log.filename().string(),
                      S_ISREG(facts.st_mode) ? "a file with several names (hard links)"
                                             : "not a regular file"),
          "the folder was changed by another program; copy the results elsewhere");
  }
}

const char* without_journals() {
  static sqlite3_vfs access = [] {
    sqlite3_vfs copy = *sqlite3_vfs_find("unix");
    copy.zName = "ridgeline";
    copy.xOpen = open_no_journal;
    copy.xAccess = find_no_journal;
    copy.xDelete = delete_only_logs;
    return copy;
  }();
  static const int registered = sqlite3_vfs_register(&access, 0);
  require(registered == SQLITE_OK, "SQLite takes the access to files");
  return access.zName;
}

}  // namespace ridgeline::store
