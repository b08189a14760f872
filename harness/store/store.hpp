#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace ridgeline::store {

class Connection;

/// The results of one device model: one SQLite file, open. What is done with it are functions, by
/// who does it: write_run.hpp, write_gate.hpp, write_imported.hpp, read_runs.hpp, read_gates.hpp,
/// series.hpp, baselines.hpp, prune.hpp and merge.hpp. Every call but merge is one transaction; a
/// process that is killed at any moment loses at most the call in flight. All failures throw a
/// store Error that names the file and leave it as it was before the call. What is read back is
/// checked: a row that no Ridgeline could have written throws, too, and is named.
class Store {
 public:
  /// Opens for writing; creates the file and its folder when missing; migrates an older schema
  /// after a backup beside it. Refuses a file that is no database, one that another program made,
  /// and a schema newer than this program knows.
  static Store create(const std::filesystem::path& file);
  /// Opens an existing file for reading only. Works in a read-only folder, and with older schemas,
  /// which stay as they are.
  static Store open(const std::filesystem::path& file);
  static Store in_memory();

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  const std::filesystem::path& file() const;
  /// What all those functions take.
  operator Connection&() const { return *connection_; }

 private:
  explicit Store(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

/// Where the results of a device model lie in `folder`. Throws a store Error when the model cannot
/// name a file.
std::filesystem::path file_of_model(const std::filesystem::path& folder, const std::string& model);

/// Removes the file of a store that has no runs: it was made for some that did not come.
void discard_if_empty(Store store);

}  // namespace ridgeline::store
