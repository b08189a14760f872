#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/store/migrations.hpp"

/// The steps of opening a results file, which may be a stranger's.
namespace ridgeline::store {

/// 0 when it is missing.
std::uintmax_t size_of(const std::filesystem::path& file);

/// `file` without symbolic surprises of SQLite: ":memory:" and "file:..." are ordinary names once
/// they are absolute.
std::filesystem::path absolute_path(const std::filesystem::path& file);

/// Write-ahead log, so that readers and a writer do not wait for each other. With
/// synchronous = NORMAL a commit is a write() to the log: what the kernel has, it keeps when the
/// process is killed, so kill -9 loses nothing committed. Only when the power fails or the kernel
/// dies may the last commits since the log was synchronised (at each checkpoint, about every 4 MB)
/// be gone; the file stays consistent. FULL would sync at every commit and cost milliseconds each.
void prepare_for_writing(SQLite::Database& database);

void back_up(SQLite::Database& source, SQLite::Database& destination);

/// Copies `database` to "<file>.schema-<version>.backup" unless such a copy is there already.
void back_up_beside(SQLite::Database& database, const std::filesystem::path& file, int version);

/// Rules that every database is opened with, before anything is read: it may be a stranger's. Its
/// schema is trusted, since constraints of ours call json_valid, which SQLite allows to no other;
/// nothing in a schema runs before it was compared with ours.
void harden(SQLite::Database& database);

/// Where the database lies, links followed; empty for one in memory.
std::filesystem::path path_of(SQLite::Database& database);

/// Schema version of a database that is as ridgeline makes it, 0 for an empty one. In one snapshot,
/// since another process may be creating the file.
int checked_version(SQLite::Database& database, const std::filesystem::path& file,
                    std::span<const Migration> steps);

/// Whether the log is put into the file and deleted by the last who leaves. Off until the database
/// is known to be one of ours: what is refused stays as it is.
void clear_log_at_end(SQLite::Database& database, bool clear);

/// Opened as for writing where permissions allow it: a reader that is the last to leave then clears
/// the log away, which a read-only one would leave behind. What is written is the log alone, and
/// from there the file: neither has another name. Without a lock around each value that is read:
/// one thread at a time has a connection.
SQLite::Database open_reading(const std::filesystem::path& file);

}  // namespace ridgeline::store
