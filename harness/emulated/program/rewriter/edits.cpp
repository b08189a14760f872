#include "harness/emulated/program/rewriter/edits.hpp"

#include <algorithm>

namespace ridgeline::program {

std::string Edits::applied(const std::string& text) const {
  std::vector<Edit> edits = edits_;
  std::ranges::stable_sort(edits, {}, &Edit::at);
  std::string changed;
  changed.reserve(text.size() + text.size() / 8);
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    if (edit.at < at || edit.at > text.size()) continue;  // inside a piece that is gone
    changed.append(text, at, edit.at - at);
    changed += edit.text;
    for (std::size_t i = edit.at; i < edit.at + edit.size && i < text.size(); ++i)
      if (text[i] == '\n') changed += '\n';
    at = std::min(edit.at + edit.size, text.size());
  }
  changed.append(text, at);
  return changed;
}

}  // namespace ridgeline::program
