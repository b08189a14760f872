#include "harness/store/store.hpp"

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/record/rule.hpp"
#include "harness/store/beside.hpp"
#include "harness/store/connection.hpp"

namespace ridgeline::store {

Store::Store(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Store Store::create(const std::filesystem::path& file) {
  return Store(Connection::create(file, migrations()));
}
Store Store::open(const std::filesystem::path& file) {
  return Store(Connection::open(file, migrations()));
}
Store Store::in_memory() { return Store(Connection::in_memory(migrations())); }
const std::filesystem::path& Store::file() const { return connection_->file(); }

std::filesystem::path file_of_model(const std::filesystem::path& folder, const std::string& model) {
  if (!record::names_a_file(model))
    throw Error(ErrorKind::store,
                fmt::format("the device model '{}' cannot name a results file", printable(model)),
                fmt::format("a model is made of letters, digits and _.:+-, of {} at most, and does "
                            "not begin with a dot",
                            record::max_model_bytes));
  return folder / (model + ".sqlite");
}

void discard_if_empty(Store store) {
  Connection& connection = store;
  connection.write("look for runs in", [&] {
    SQLite::Statement& runs = connection.statement("SELECT 1 FROM run LIMIT 1");
    if (runs.executeStep()) return;
    for (const char* suffix : {"", "-wal", "-shm"})  // while nobody else can write to it
      std::filesystem::remove(beside(store.file(), suffix));
  });
}

}  // namespace ridgeline::store
