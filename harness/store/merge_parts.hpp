#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "harness/store/connection.hpp"
#include "harness/store/merge.hpp"

/// What merging runs and merging gates share.
namespace ridgeline::store {

void merge_gate(Connection& target, Connection& source, const std::string& gate_id, Merged& merged);

/// Two of one id, of which neither goes on where the other ends. `what`: "run" or "gate"; `differs`
/// completes "which differs in".
Error merge_conflict(const char* what, const std::string& id, const std::filesystem::path& source,
                     const std::filesystem::path& target, const std::string& differs);

/// Sets the status of a run or gate to that of `record`, whatever it was. `sql` takes status, end
/// and id.
template <class T>
void set_status(Connection& connection, const char* sql, const T& record) {
  const bool running = record.status == record::RunStatus::running;
  connection
      .statement(sql, record.status, running ? std::nullopt : std::optional(record.finished),
                 record.id)
      .exec();
}

/// What `read` returns, an optional. A store Error is noted in `merged`, and nothing is returned.
template <class Read>
auto try_to_read(Merged& merged, Read&& read) -> decltype(read()) {
  try {
    return std::forward<Read>(read)();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::store) throw;
    merged.refused.push_back(error);
    return std::nullopt;
  }
}

}  // namespace ridgeline::store
