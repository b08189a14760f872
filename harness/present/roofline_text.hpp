#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/present/sparkline.hpp"

namespace ridgeline::present {

/// A roofline to draw with characters: rate against intensity, both axes logarithmic.
struct TextRoofline {
  struct Spot {
    double intensity = 0, rate = 0;  // FLOP/B, FLOP/s
    char mark = 'o';
  };
  std::vector<double> memory;   // B/s: slopes
  std::vector<double> compute;  // FLOP/s: flat lines
  std::vector<Spot> spots;
};

/// About `width` characters wide and `height` lines high, axes included. Roofs are dots, of braille
/// where the terminal has it, and spots stand over them. Empty without a spot.
std::string roofline_text(const TextRoofline& roofline, Glyphs glyphs, std::size_t width,
                          std::size_t height = 18);

}  // namespace ridgeline::present
