#include "harness/store/store.hpp"

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

}  // namespace ridgeline::store
