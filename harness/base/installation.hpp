#pragma once

#include <filesystem>
#include <string_view>

/// Where the running program was put, and what else was put there with it.
namespace ridgeline {

/// Folder of the running program. Throws an internal Error where the system does not say.
std::filesystem::path program_folder();

/// The file `path` (as "lib/libnccl.so.2") in a Python wheel of NVIDIA's (nvidia/*/) of the
/// environment that the program in `folder` was installed into: that whose programs lie in
/// `folder`, packages beside it in lib/python*/. Empty when no wheel there has it.
std::filesystem::path in_wheels_beside(const std::filesystem::path& folder, std::string_view path);

}  // namespace ridgeline
