#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "harness/store/beside.hpp"
#include "harness/store/failure.hpp"
#include "harness/store/opening.hpp"

namespace ridgeline::store {

/// A file and folders that were not there before, and go again unless they are kept.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& file) : file_(file) {
    std::error_code error;
    std::filesystem::path folder = file.parent_path();
    for (; !folder.empty() && !std::filesystem::exists(folder, error);
         folder = folder.parent_path())
      folders_.push_back(folder);
    std::filesystem::create_directories(file.parent_path(), error);
    if (error) {
      remove_folders();
      throw Error(
          ErrorKind::store,
          fmt::format("cannot create folder {}: {}", file.parent_path().string(), error.message()),
          "choose another results folder");
    }
    const int made = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    made_ = made >= 0;
    if (made_) {
      ::close(made);
    } else if (const int reason = disk_error(); reason != 0) {
      remove_folders();
      throw Error(ErrorKind::store,
                  fmt::format("cannot create {}: {}", file.string(), std::strerror(reason)),
                  "free some space, or choose another results folder");
    }  // any other failure is that of opening
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (kept_) return;
    std::error_code ignored;
    if (made_ && holds_nothing())
      for (const char* part : {"", "-wal", "-shm"})  // which a full disk keeps from being closed
        std::filesystem::remove(beside(file_, part), ignored);
    remove_folders();
  }
  void keep() { kept_ = true; }

 private:
  /// Whether nobody has put anything into it since. As the file lies: opening may be what failed.
  bool holds_nothing() const {
    if (size_of(beside(file_, "-wal")) > 0) return false;
    if (size_of(file_) == 0) return true;
    constexpr std::size_t tables = 103;  // place of their number in SQLite's file format
    std::ifstream stream(file_, std::ios::binary);
    std::string begin(tables + 2, '\0');
    return stream.read(begin.data(), static_cast<std::streamsize>(begin.size())) &&
           begin.ends_with(std::string(2, '\0'));
  }
  void remove_folders() {
    std::error_code ignored;
    for (const std::filesystem::path& folder : folders_)
      std::filesystem::remove(folder, ignored);  // when it is empty
  }

  std::filesystem::path file_;
  std::vector<std::filesystem::path> folders_;
  bool made_ = false, kept_ = false;
};

}  // namespace ridgeline::store
