#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/kept_files.hpp"

namespace ridgeline::kernels {

/// The vectors that a result consists of, as bytes: of each its length and its elements.
template <class... Elements>
std::vector<std::byte> bytes_of(const std::tuple<std::vector<Elements>&...>& parts) {
  const auto size_of = [](const auto& part) {
    return sizeof(std::uint64_t) + std::as_bytes(std::span(part)).size();
  };
  std::vector<std::byte> bytes(
      std::apply([&](const auto&... each) { return (size_of(each) + ... + 0); }, parts));
  std::byte* end = bytes.data();
  const auto put = [&](const auto& part) {
    const std::uint64_t count = part.size();
    const auto body = std::as_bytes(std::span(part));
    std::memcpy(end, &count, sizeof count);
    end += sizeof count;
    if (!body.empty()) std::memcpy(end, body.data(), body.size());
    end += body.size();
  };
  std::apply([&](const auto&... each) { (put(each), ...); }, parts);
  return bytes;
}

/// Fills what bytes_of() was given. False when these are not its bytes.
template <class... Elements>
bool from_bytes(std::span<const std::byte> bytes,
                const std::tuple<std::vector<Elements>&...>& parts) {
  const auto take = [&]<class Element>(std::vector<Element>& part) {
    static_assert(std::is_trivially_copyable_v<Element>);
    std::uint64_t count = 0;
    if (bytes.size() < sizeof count) return false;
    std::memcpy(&count, bytes.data(), sizeof count);
    bytes = bytes.subspan(sizeof count);
    if (count > bytes.size() / sizeof(Element)) return false;
    part.resize(count);
    if (count > 0) std::memcpy(part.data(), bytes.data(), count * sizeof(Element));
    bytes = bytes.subspan(count * sizeof(Element));
    return true;
  };
  const bool all = std::apply([&](auto&... each) { return (take(each) && ...); }, parts);
  return all && bytes.empty();
}

/// Results of an oracle by what they were computed for: a key of kernels/key.hpp, which begins with
/// the family and what is computed. Holds `most` at most; the one that was used least recently goes
/// first. Under a gate, others may have computed them. Value has parts(): the vectors it consists
/// of.
template <class Value>
class OracleCache {
 public:
  explicit OracleCache(std::size_t most, KeptFiles* files = kept_by_gate())
      : most_(most), files_(files) {}

  std::shared_ptr<const Value> get(const std::string& key, const std::function<Value()>& compute) {
    const auto found = std::ranges::find(entries_, key, &Entry::first);
    if (found != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, found);
    } else {
      entries_.emplace_front(key, kept(key, compute));
      if (entries_.size() > most_) entries_.pop_back();
    }
    return entries_.front().second;
  }

 private:
  using Entry = std::pair<std::string, std::shared_ptr<const Value>>;

  std::shared_ptr<const Value> kept(const std::string& key,
                                    const std::function<Value()>& compute) const {
    if (files_ == nullptr) return std::make_shared<const Value>(compute());
    auto value = std::make_shared<Value>();
    const auto bytes = files_->read(key);
    if (bytes && from_bytes(*bytes, value->parts())) return value;
    *value = compute();
    files_->write(key, bytes_of(value->parts()));
    return value;
  }

  std::size_t most_;
  KeptFiles* files_;
  std::list<Entry> entries_;
};

}  // namespace ridgeline::kernels
