#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace ridgeline::worker {

/// 128 bits, as hexadecimal digits, over the sections of an ELF program that decide what it
/// executes: host code, constants, initial values and the machine code for GPUs. Two builds of one
/// source have the same hash whatever their commit is called and wherever they lie. "unknown" when
/// the file is no such program.
std::string code_hash(const std::filesystem::path& program);

/// The hash that code_hash applies, of plain bytes. Tells contents apart; no defence against
/// forgery.
std::string content_hash(std::span<const std::byte> bytes);

}  // namespace ridgeline::worker
