#pragma once

#include <filesystem>
#include <string_view>

/// The files beside a database that SQLite trusts: its journal, its log (-wal) and the index of its
/// log (-shm). They come with a results folder that somebody else may have made.
namespace ridgeline::store {

std::filesystem::path beside(const std::filesystem::path& file, std::string_view suffix);

/// Throws a store Error when `file` is there and no regular file, or when beside it lies what no
/// Ridgeline leaves there: a journal, or a log or index of the log that is no regular file or has
/// another name elsewhere (a hard link), which SQLite would write to.
void check_beside(const std::filesystem::path& file);

/// Whether `file` has one name, so that what is written to it is written there alone; also when it
/// is missing.
bool has_one_name(const std::filesystem::path& file);

/// Name of the access to files (sqlite3_vfs) that databases are opened with. It is the system's
/// without journals: none is looked for, played back or made. A journal that came with a folder may
/// name any file, which SQLite deletes as it plays the journal back. Ours have none: a database
/// keeps its journal in memory until it has its log.
const char* without_journals();

}  // namespace ridgeline::store
