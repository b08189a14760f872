#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/store/connection.hpp"
#include "harness/store/merge.hpp"

/// What merging runs and merging gates share.
namespace ridgeline::store {

/// A gate of a run that was left out is refused.
void merge_gate(Connection& target, Connection& source, const std::string& gate_id,
                const std::set<std::string>& left_out, Merged& merged);

/// What was told of nights: what was said last of a change stands, unless that was after `now`.
void merge_told(Connection& target, Connection& source, std::string_view now, Merged& merged);

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

/// Runs `write`, which stores a run or a gate of `source`. What a constraint of the target refuses
/// is noted in `merged`; returns whether nothing was.
template <class Write>
bool try_to_write(Merged& merged, const char* what, const std::string& id, const Connection& source,
                  Write&& write) {
  try {
    std::forward<Write>(write)();
    return true;
  } catch (const ConstraintError& error) {
    merged.refused.emplace_back(error.kind(),
                                fmt::format("cannot merge {} {} of {}: {}", what, printable(id),
                                            source.file().string(), error.what()),
                                "the file is damaged or was changed by another program");
    return false;
  }
}

}  // namespace ridgeline::store
