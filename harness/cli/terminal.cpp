#include "harness/cli/terminal.hpp"

#include <algorithm>

#include <fmt/core.h>
#include <sys/ioctl.h>

namespace ridgeline::cli {

std::size_t terminal_width(std::FILE* out) {
  winsize size = {};
  return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

std::string progress_bar(int done, int total) {
  constexpr int cells = 20;
  const int filled = total > 0 ? std::clamp(cells * done / total, 0, cells) : 0;
  return fmt::format("[{:#>{}}{:.>{}}] {}/{}", "", filled, "", cells - filled, done, total);
}

}  // namespace ridgeline::cli
