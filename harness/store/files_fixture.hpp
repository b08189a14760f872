#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

/// Results files as a test finds them in a folder, and what is done to them from outside.
namespace ridgeline::store {

namespace fs = std::filesystem;

inline void write_text(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

inline std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A file with one run and a measurement, closed again.
inline fs::path make_results(const fs::path& file) {
  Store store = Store::create(file);
  begin(store, examples::run(), examples::device(), examples::environment());
  add(store, add(store, examples::process()), examples::gemm_case(),
      examples::measurement(examples::gemm_case()));
  return file;
}

/// What of the store Error that `body` throws; fails when it throws none.
inline std::string refusal(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::store);
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return "";
}

/// Changes a file from outside, past its constraints.
inline void change(const fs::path& file, const char* sql) {
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
  database.exec("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF");
  EXPECT_GT(database.exec(sql), 0) << sql;
}

/// One file in a folder of its own; not there yet.
class Files : public testing::Test {
 protected:
  TemporaryFolder folder;
  fs::path file = folder / "synthetic-gpu.sqlite";
};

}  // namespace ridgeline::store
