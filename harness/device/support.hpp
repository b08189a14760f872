#pragma once

#include <string>
#include <utility>

namespace ridgeline::device {

/// Whether a variant can do a problem on a device: yes, or no with the reason. Decided before
/// anything is allocated.
class Support {
 public:
  enum class Kind { yes, unsupported, unavailable };

  static Support yes() { return {Kind::yes, {}}; }
  /// The variant or the device cannot do this problem.
  static Support unsupported(std::string reason) { return {Kind::unsupported, std::move(reason)}; }
  /// Something that could be installed is missing ("libcublasLt.so.13 not found").
  static Support unavailable(std::string reason) { return {Kind::unavailable, std::move(reason)}; }

  explicit operator bool() const { return kind_ == Kind::yes; }
  Kind kind() const { return kind_; }
  const std::string& reason() const { return reason_; }

 private:
  Support(Kind kind, std::string reason) : kind_(kind), reason_(std::move(reason)) {}
  Kind kind_;
  std::string reason_;
};

}  // namespace ridgeline::device
