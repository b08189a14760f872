#include "harness/analysis/annotated_listing.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include <fmt/core.h>

#include "harness/analysis/access_pattern.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::analysis {
namespace {

using record::Site;

constexpr std::size_t number_columns = 4;  // of line numbers
constexpr std::size_t label_columns = 22;  // "shared async copy 16 B"
constexpr std::size_t bar_cells = 10;
constexpr std::size_t longest_name = 400;  // bytes of a file's or kernel's name
constexpr int wide_enough_for_bars = 104;

/// The first `width` columns of printable text; what is cut ends with "...". Continuation bytes of
/// UTF-8 take none.
std::string cut(const std::string& text, std::size_t width) {
  const auto begins = [](char c) { return (c & 0xC0) != 0x80; };
  if (static_cast<std::size_t>(std::ranges::count_if(text, begins)) <= width) return text;
  std::size_t end = 0;
  for (std::size_t shown = 0; end < text.size(); ++end)
    if (begins(text[end]) && ++shown > width - 3) break;
  return text.substr(0, end) + "...";
}

std::string without_spaces_at_end(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// A line of source as it can be printed: tabs reach to the next multiple of four.
std::string shown(std::string_view line, std::size_t width) {
  std::string text;
  for (const char c : line.substr(0, 4 * width)) {
    if (c == '\t')
      text.append(4 - text.size() % 4, ' ');
    else if (c != '\r')
      text += c;
  }
  return cut(printable(text, 8 * width), width);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

struct File {
  std::string name;
  std::uint64_t requests = 0;
  std::set<std::string> kernels;
  std::map<int, std::vector<const Site*>> by_line;
};

/// Those with the most requests first.
std::vector<File> files_of(const std::vector<Site>& sites) {
  std::map<std::string, File> by_name;
  for (const Site& site : sites) {
    File& file = by_name[site.file];
    file.name = site.file;
    file.requests += site.requests;
    file.kernels.insert(site.kernel);
    file.by_line[site.line].push_back(&site);
  }
  std::vector<File> files;
  for (auto& [name, file] : by_name) files.push_back(std::move(file));
  std::ranges::stable_sort(files, std::ranges::greater{}, &File::requests);
  return files;
}

class Writer {
 public:
  Writer(const std::vector<Site>& sites, const ListingShape& shape)
      : shape_(shape), width_(static_cast<std::size_t>(shape.width)), all_(traffic(sites)) {}

  void add(const File& file, const record::Source* source) {
    if (!lines_.empty()) lines_.emplace_back();
    head(file);
    const std::vector<std::string_view> text = lines_of(source ? source->text : std::string_view());
    const int last = static_cast<int>(std::min<std::size_t>(text.size(), 1u << 30));
    int next = 1;  // the first line of source that is not yet written
    for (auto at = file.by_line.begin(); at != file.by_line.end(); ++at) {
      const auto& [line, sites] = *at;
      if (line < 1 || line > last) {
        elsewhere(line, source != nullptr, sites);
        continue;
      }
      const int first = std::max(next, line - shape_.context);
      if (first > next && next > 1) lines_.emplace_back("  ...");
      for (next = first; next <= line; ++next)
        source_line(next, text[static_cast<std::size_t>(next - 1)]);
      for (const Site* site : sites) row(*site, file.kernels.size() > 1);
      const int end = std::min(last, line + shape_.context);
      const auto following = std::next(at);
      for (; next <= end && (following == file.by_line.end() || next < following->first); ++next)
        source_line(next, text[static_cast<std::size_t>(next - 1)]);
    }
  }

  std::vector<std::string> take() && {
    if (marked_) {
      lines_.emplace_back();
      write("!: more sectors or wavefronts than the bytes of its active lanes need");
    }
    return std::move(lines_);
  }

 private:
  void write(const std::string& text) {
    lines_.push_back(cut(without_spaces_at_end(text), width_));
  }

  void head(const File& file) {
    std::string kernels;
    for (const std::string& kernel : file.kernels) {
      if (kernels.size() > longest_name) break;
      kernels += (kernels.empty() ? "" : ", ") + printable(kernel, longest_name);
    }
    write(file.name.empty() ? "file not known" : printable(file.name, longest_name));
    write((file.kernels.size() == 1 ? "kernel " : "kernels ") + kernels);
    write(fmt::format("{:{}}  {:>9}  {:>16}  {:>5}  {:>6}", "", number_columns + 3 + label_columns,
                      "requests", "a request", "lanes", "share"));
  }

  void source_line(int number, std::string_view text) {
    write(fmt::format("{:>{}} | {}", number, number_columns,
                      shown(text, width_ - number_columns - 3)));
  }

  /// Accesses whose line cannot be shown.
  void elsewhere(int line, bool has_source, const std::vector<const Site*>& sites) {
    if (line < 1)
      write(std::string(number_columns, ' ') + " | of no line that the debug information names");
    else
      write(fmt::format(
          "{:>{}} | {}", line, number_columns,
          has_source ? "(not a line of the source that was kept)" : "(its source was not kept)"));
    for (const Site* site : sites) row(*site, true);
  }

  void row(const Site& site, bool name_kernel) {
    const SiteWords words = in_words(site, all_);
    const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
    const std::string cost = !words.sectors.empty()      ? words.sectors + " sectors"
                             : !words.wavefronts.empty() ? words.wavefronts + " wavefronts"
                                                         : "-";
    const bool wasteful = !words.uncoalesced.empty() || !words.conflicts.empty();
    std::string text =
        fmt::format("{:>{}} > {:{}}  {:>9}  {:>16}  {:>5}  {:>6}", wasteful ? "!" : "",
                    number_columns, cut(words.access, label_columns), label_columns, site.requests,
                    cost, or_dash(words.lanes), or_dash(words.share));
    const bool roomy = shape_.width >= wide_enough_for_bars;
    if (roomy) {
      const auto cells =
          static_cast<std::size_t>(std::lround(share(site, all_).value_or(0) * bar_cells));
      text += fmt::format("  {:{}}", std::string(cells, '#'), bar_cells);
    }
    if (!words.uncoalesced.empty())
      text += fmt::format("  {}{}", words.uncoalesced, roomy ? " uncoalesced" : "");
    if (!words.conflicts.empty())
      text += fmt::format("  {}{}", words.conflicts, roomy ? " conflicts" : "");
    write(text);
    marked_ = marked_ || wasteful;
    if (name_kernel && !site.kernel.empty())
      write(
          fmt::format("{:>{}}   in {}", "", number_columns, printable(site.kernel, longest_name)));
  }

  ListingShape shape_;
  std::size_t width_;
  Traffic all_;
  bool marked_ = false;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> annotated_listing(const std::vector<Site>& sites,
                                           const std::vector<record::Source>& sources,
                                           const ListingShape& shape) {
  require(shape.width >= narrowest_listing && shape.context >= 0,
          "a listing has the room that it needs");
  Writer writer(sites, shape);
  for (const File& file : files_of(sites)) {
    const auto source = std::ranges::find(sources, file.name, &record::Source::file);
    writer.add(file, source == sources.end() ? nullptr : &*source);
  }
  return std::move(writer).take();
}

}  // namespace ridgeline::analysis
