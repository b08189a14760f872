#pragma once

#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

namespace ridgeline::store {

/// The columns of a statement by place, for millions of rows: to make one costs more than to read
/// it.
class ColumnsByPlace {
 public:
  explicit ColumnsByPlace(SQLite::Statement& rows) : rows_(rows) {}

  /// Of the row that the statement stands on, also later, when it stands on another.
  const SQLite::Column& operator[](int place) {
    if (made_.empty())
      for (int i = 0; i < rows_.getColumnCount(); ++i) made_.push_back(rows_.getColumn(i));
    return made_[static_cast<std::size_t>(place)];
  }

 private:
  SQLite::Statement& rows_;
  std::vector<SQLite::Column> made_;
};

}  // namespace ridgeline::store
