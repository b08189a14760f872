#include <algorithm>
#include <system_error>

#include "ci/studies/fuzzing/targets/changed_store.hpp"
#include "harness/store/beside.hpp"

/// A results file, its log and its journal of which bytes were changed. An input is a whole file,
/// or says what is changed of one of ours.
namespace ridgeline::fuzzing::targets {

namespace {

namespace fs = std::filesystem;

struct Files {
  std::string file, log, journal;
};

void overwrite(std::string& bytes, std::size_t at, std::string_view with) {
  if (at < bytes.size()) bytes.replace(at, std::min(with.size(), bytes.size() - at), with);
}

void change(Files& files, Bytes& bytes) {
  constexpr std::size_t page = 4096, frame = 24 + page;
  const std::size_t act = bytes.number() % 8, which = bytes.number();
  std::string& file = files.file;
  const std::size_t pages = std::max<std::size_t>(1, file.size() / page);
  switch (act) {
    case 0:
      return overwrite(file, which % 100, bytes.text());  // the header
    case 1:                                               // anywhere, and the header of a page
    case 2: {
      const std::size_t at = bytes.number(act) % page;
      return overwrite(file, which % pages * page + at, bytes.text());
    }
    case 3: {
      const std::string copy = file.substr(which % pages * page, page);
      return overwrite(file, bytes.number() % pages * page, copy);
    }
    case 4:
      return file.resize(std::min(file.size(), which * 256 + bytes.number()));
    case 5: {
      const std::size_t at = bytes.number(2);
      return overwrite(files.log, which % 16 * frame + at % frame, bytes.text());
    }
    case 6:
      return files.log.resize(std::min(files.log.size(), which * 256 + bytes.number()));
    default:
      files.journal += bytes.text();
  }
}

void read_file(std::string_view input) {
  Files files;
  bool sums_are_right = false, merges = false;
  if (input.starts_with("SQLite format 3")) {
    files.file = input;
  } else {
    Bytes bytes(input);
    const std::size_t what = bytes.number();
    if ((what & 1) == 0)
      files.file = whole_store();
    else
      files = {killed_store().file, killed_store().log, ""};
    sums_are_right = (what & 2) != 0;
    merges = (what & 12) == 12;
    for (int edit = 0; edit < 16 && !bytes.empty(); ++edit) change(files, bytes);
  }
  if (sums_are_right) sum_up(files.log);
  const fs::path folder = own_folder() / "file", file = folder / "synthetic-gpu.sqlite";
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  fs::create_directory(folder);
  write_bytes(file, files.file);
  if (!files.log.empty()) write_bytes(store::beside(file, "-wal"), files.log);
  const fs::path journal = store::beside(file, "-journal");
  if (!files.journal.empty()) write_bytes(journal, files.journal);
  merges ? merge_everything(file) : read_everything(file);
  expect(files.journal.empty() || fs::file_size(journal) == files.journal.size(),
         "a journal was played back");
}

std::vector<std::string> file_seeds() {
  return {std::string(1, '\0'),
          "\x01",
          "\x03",
          std::string("\0\0\x1c\x04\x7f\xff\xff\xff", 8),                  // pages
          std::string("\0\2\5\0\0\2\5\1", 8),                              // kind of a page
          std::string("\0\2\5\3\0\2\xff\xff", 8),                          // cells
          std::string("\3\5\0\4\0\4\x7f\xff\xff\xff", 10),                 // pages, in the log
          std::string("\0\7\0\x08\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 12)};  // a journal
}

}  // namespace

Target store_file() {
  return {read_file, file_seeds, 512, {"SQLite format 3", "\x0d", "\x05", "\x0a", "\x02"}};
}

}  // namespace ridgeline::fuzzing::targets
