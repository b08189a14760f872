#include "harness/present/roofline_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "harness/base/units.hpp"

namespace ridgeline::present {
namespace {

constexpr std::size_t label_width = 14;

/// Of logarithms.
struct Axis {
  double low = 0, high = 1;
  double place(double value) const { return (std::log10(value) - low) / (high - low); }
};

/// Whole decades around all values.
Axis axis_of(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax_element(values);
  Axis axis{std::floor(std::log10(*low)), std::ceil(std::log10(*high))};
  if (axis.high <= axis.low) axis.high = axis.low + 1;
  return axis;
}

/// Cells of characters, each of 2 by 4 dots where braille is shown, else of one.
class Canvas {
 public:
  Canvas(Glyphs glyphs, std::size_t columns, std::size_t rows)
      : glyphs_(glyphs), columns_(columns), dots_(columns * rows), marks_(columns * rows) {}

  std::size_t dots_across() const { return columns_ * (glyphs_ == Glyphs::unicode ? 2 : 1); }
  std::size_t dots_up() const { return rows() * (glyphs_ == Glyphs::unicode ? 4 : 1); }
  std::size_t rows() const { return dots_.size() / columns_; }

  /// At shares of width and height, from the lower left; what lies outside is not drawn.
  void dot(double x, double y) {
    if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1)) return;
    const std::size_t across = at(x, dots_across()), down = dots_up() - 1 - at(y, dots_up());
    const std::size_t wide = dots_across() / columns_, high = dots_up() / rows();
    // Source: the Unicode Standard, Braille Patterns: dots 1 to 8 as bits 0 to 7.
    static constexpr unsigned bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    dots_[down / high * columns_ + across / wide] |= bits[down % high][across % wide];
  }
  void mark(double x, double y, char character) {
    if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1)) return;
    marks_[(rows() - 1 - at(y, rows())) * columns_ + at(x, columns_)] = character;
  }

  std::string row(std::size_t number) const {
    std::string text, blanks;
    for (std::size_t i = number * columns_; i < (number + 1) * columns_; ++i) {
      if (marks_[i] == 0 && dots_[i] == 0) {
        blanks += ' ';
        continue;
      }
      text += std::exchange(blanks, {});
      if (marks_[i] != 0)
        text += marks_[i];
      else if (glyphs_ == Glyphs::ascii)
        text += '.';
      else
        // U+2800 and its dots in UTF-8.
        text += {static_cast<char>(0xE2), static_cast<char>(0xA0 | (dots_[i] >> 6)),
                 static_cast<char>(0x80 | (dots_[i] & 0x3F))};
    }
    return text;
  }

 private:
  static std::size_t at(double share, std::size_t count) {
    return std::min(count - 1, static_cast<std::size_t>(share * static_cast<double>(count)));
  }

  Glyphs glyphs_;
  std::size_t columns_;
  std::vector<unsigned> dots_;
  std::vector<char> marks_;
};

/// Slopes end at the highest flat line, and flat lines begin at the steepest slope.
void draw_roofs(Canvas& canvas, const TextRoofline& roofline, const Axis& x, const Axis& y) {
  const double top = roofline.compute.empty() ? INFINITY : std::ranges::max(roofline.compute);
  const double steepest = roofline.memory.empty() ? INFINITY : std::ranges::max(roofline.memory);
  const auto dots = static_cast<double>(canvas.dots_across());
  for (double i = 0.5; i < dots; ++i) {
    const double place = i / dots;
    const double intensity = std::pow(10, x.low + place * (x.high - x.low));
    for (const double rate : roofline.memory)
      if (rate * intensity <= top) canvas.dot(place, y.place(rate * intensity));
    for (const double rate : roofline.compute)
      if (!(steepest * intensity < rate)) canvas.dot(place, y.place(rate));
  }
}

/// Decades below the figure, as far as they have room.
std::string decades(const Axis& x, std::size_t columns) {
  std::string text(label_width, ' ');
  for (double decade = x.low; decade <= x.high; ++decade) {
    const double share = (decade - x.low) / (x.high - x.low);
    const auto column =
        label_width + static_cast<std::size_t>(share * static_cast<double>(columns - 1));
    const std::string label = units::plain(std::pow(10, decade));
    if (column < text.size() + (decade > x.low ? 1 : 0)) continue;
    text.resize(column, ' ');
    text += label;
  }
  return text + "  FLOP/B\n";
}

}  // namespace

std::string roofline_text(const TextRoofline& roofline, Glyphs glyphs, std::size_t width,
                          std::size_t height) {
  if (roofline.spots.empty()) return "";
  const std::size_t columns = std::clamp<std::size_t>(width, label_width + 36, 120) - label_width -
                              14,  // the end of the lower axis
      rows = height - 1;
  std::vector<double> intensities, rates = roofline.compute;
  for (const TextRoofline::Spot& spot : roofline.spots) {
    intensities.push_back(spot.intensity);
    rates.push_back(spot.rate);
  }
  for (const double slope : roofline.memory)
    for (const double flat : roofline.compute) intensities.push_back(flat / slope);
  const Axis x = axis_of(intensities), y = axis_of(rates);
  Canvas canvas(glyphs, columns, rows);
  draw_roofs(canvas, roofline, x, y);
  for (const TextRoofline::Spot& spot : roofline.spots)
    canvas.mark(x.place(spot.intensity), y.place(spot.rate), spot.mark);
  std::vector<std::string> labels(rows);
  for (double decade = y.low; decade <= y.high; ++decade) {
    const double share = (decade - y.low) / (y.high - y.low);
    labels[rows - 1 -
           std::min(rows - 1, static_cast<std::size_t>(share * static_cast<double>(rows)))] =
        units::flop_rate(std::pow(10, decade));
  }
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    std::string line = fmt::format("{:>{}} |{}", labels[row], label_width - 2, canvas.row(row));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text + decades(x, columns);
}

}  // namespace ridgeline::present
