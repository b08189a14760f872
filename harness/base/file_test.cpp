#include "harness/base/file.hpp"

#include <fstream>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.hpp"

namespace ridgeline {
namespace file_test {

namespace fs = std::filesystem;

class WriteFile : public testing::Test {
 protected:
  WriteFile() {
    std::string name = (fs::temp_directory_path() / "ridgeline-file-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    folder = name;
  }
  ~WriteFile() override { fs::remove_all(folder); }

  static std::string content(const fs::path& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder), {}); }

  fs::path folder;
};

TEST_F(WriteFile, ReplacesTheFileWhole) {
  const fs::path path = folder / "out.csv";
  write_file(path, [](std::ostream& out) { out << "old and longer"; });
  write_file(path, [](std::ostream& out) { out << "new"; });
  EXPECT_EQ(content(path), "new");
  EXPECT_EQ(files(), 1);
}

TEST_F(WriteFile, KeepsTheOldFileWhenWritingFails) {
  const fs::path path = folder / "out.csv";
  write_file(path, [](std::ostream& out) { out << "old"; });
  EXPECT_THROW(write_file(path,
                          [](std::ostream& out) {
                            out << "half";
                            throw std::runtime_error("no more");
                          }),
               std::runtime_error);
  EXPECT_THROW(write_file(path, [](std::ostream& out) { out.setstate(std::ios::badbit); }), Error);
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(WriteFile, SaysWhyAlsoWhereWritingFailsBeforeTheEnd) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{1} << 20}) try {
      write_file("/dev/full", [&](std::ostream& out) { out << std::string(bytes, 'x'); });
      FAIL() << bytes << " bytes are written to a full device";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "cannot write /dev/full: No space left on device") << bytes;
    }
}

TEST_F(WriteFile, NamesThePathThatCannotBeWritten) {
  fs::create_directory(folder / "taken");
  for (const fs::path& path : {folder / "missing/out.csv", folder / "taken"}) {
    try {
      write_file(path, [](std::ostream& out) { out << "x"; });
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store);
      EXPECT_NE(std::string(error.what()).find(path.string() + ": "), std::string::npos)
          << error.what();
    }
  }
  EXPECT_EQ(files(), 1);
}

TEST_F(WriteFile, WhatCannotBeWrittenIsToldBeforehand) {
  const fs::path old = folder / "old", fifo = folder / "fifo";
  write_file(old, [](std::ostream& out) { out << "old"; });
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  fs::create_directory(folder / "taken");
  fs::create_symlink("missing/target", folder / "dangling");
  for (const fs::path& path : {folder / "new", old, fifo, fs::path("new-in-the-working-folder")})
    EXPECT_NO_THROW(check_writable(path)) << path;
  for (const fs::path& path :
       {folder / "missing/out", folder / "taken", old / "out", folder / "dangling"}) {
    try {
      check_writable(path);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store);
      EXPECT_NE(std::string(error.what()).find(path.string() + ": "), std::string::npos)
          << error.what();
    }
  }
  EXPECT_EQ(files(), 4) << "looking makes no file";
  EXPECT_EQ(content(old), "old");
}

TEST_F(WriteFile, AFolderThatCannotBeMadeIsToldBeforehand) {
  const fs::path file = folder / "file", closed = folder / "closed";
  write_file(file, [](std::ostream& out) { out << "text"; });
  fs::create_symlink("missing", folder / "dangling");
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms::owner_read);
  for (const fs::path& path : {folder, folder / "new", folder / "new/below", fs::path("new"),
                               fs::path("."), folder / "new/../other"})
    EXPECT_NO_THROW(check_folder(path)) << path;
  std::vector<fs::path> bad = {file, file / "below", folder / "dangling",
                               folder / "dangling/below"};
  if (geteuid() != 0)
    bad.insert(bad.end(), {closed, closed / "below"});  // nothing is closed to root
  for (const fs::path& path : bad) {
    try {
      check_folder(path);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store);
      EXPECT_NE(std::string(error.what()).find(path.string() + ": "), std::string::npos)
          << error.what();
    }
  }
  EXPECT_EQ(files(), 3) << "looking makes no folder";
}

TEST_F(WriteFile, WritesThroughWhatIsNoRegularFile) {
  const fs::path fifo = folder / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_file(fifo, [](std::ostream& out) { out << "through"; });
  char received[16];
  EXPECT_EQ(::read(reader, received, sizeof received), 7);
  EXPECT_EQ(std::string(received, 7), "through");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(fifo));
  EXPECT_EQ(files(), 1);
}

TEST_F(WriteFile, FollowsLinks) {
  const fs::path target = folder / "below" / "out.csv", link = folder / "link",
                 indirect = folder / "indirect";
  fs::create_directory(folder / "below");
  fs::create_symlink("below/out.csv", link);
  fs::create_symlink(link, indirect);
  for (const char* text : {"made through a dangling link", "replaced"}) {
    write_file(indirect, [&](std::ostream& out) { out << text; });
    EXPECT_TRUE(fs::is_symlink(link) && fs::is_symlink(indirect));
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(target)));
    EXPECT_EQ(content(target), text);
  }
  fs::create_symlink("loop", folder / "loop");
  EXPECT_THROW(write_file(folder / "loop", [](std::ostream& out) { out << "x"; }), Error);
}

}  // namespace file_test
}  // namespace ridgeline
