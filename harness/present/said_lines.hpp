#pragma once

#include <cstdio>
#include <ostream>
#include <streambuf>
#include <string>

namespace ridgeline::present {

/// A stream whose lines are said as they come; what is no line yet, at the end.
class SaidLines : public std::ostream {
 public:
  explicit SaidLines(std::FILE* out) : std::ostream(nullptr), lines_(out) { rdbuf(&lines_); }

 private:
  class Lines : public std::streambuf {
   public:
    explicit Lines(std::FILE* out) : out_(out) {}
    Lines(const Lines&) = delete;
    Lines& operator=(const Lines&) = delete;
    ~Lines() override;

   private:
    int_type overflow(int_type letter) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;

    std::FILE* out_;
    std::string rest_;
  };
  Lines lines_;
};

}  // namespace ridgeline::present
