#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ridgeline::program {

/// Changes of a text that keep each of its lines where it is.
class Edits {
 public:
  void insert(std::size_t at, std::string text) { edits_.push_back({at, 0, std::move(text)}); }
  /// `text` is without line ends; those of what it replaces follow it.
  void replace(std::size_t at, std::size_t size, std::string text) {
    edits_.push_back({at, size, std::move(text)});
  }
  /// Of several at one place, those made first come first. What lies in a replaced piece is lost.
  std::string applied(const std::string& text) const;
  std::size_t size() const { return edits_.size(); }

 private:
  struct Edit {
    std::size_t at = 0, size = 0;
    std::string text;
  };
  std::vector<Edit> edits_;
};

}  // namespace ridgeline::program
