#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>

namespace ridgeline {

/// Writes `path` whole or not at all: what `write` puts out goes to a temporary file beside it,
/// which takes its name once it is on the disk. An old file stays until then; a link stays, and
/// what it points to is replaced. What exists and is no regular file (a device, a FIFO) is written
/// to as it is. Throws a store Error that names `path`.
void write_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

/// All that the file holds; "" where it cannot be read.
std::string file_text(const std::filesystem::path& path);

/// Throws the Error that write_file would, as far as that can be told without writing: before work
/// whose result it is.
void check_writable(const std::filesystem::path& path);

/// Throws a store Error when no file can be made in `folder`, or it cannot be made with the folders
/// above it; as far as that can be told without writing.
void check_folder(const std::filesystem::path& folder);

}  // namespace ridgeline
