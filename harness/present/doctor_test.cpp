#include "harness/present/doctor.hpp"

#include <sstream>
#include <tuple>

#include <gtest/gtest.h>

#include "harness/store/examples.hpp"

namespace ridgeline::present {
namespace doctor_test {

using run::Level;

Diagnosis diagnosis_with(std::vector<Level> levels) {
  Diagnosis diagnosis{store::examples::device(), {}};
  for (const Level level : levels)
    diagnosis.findings.push_back(
        {"check", level, "what was seen", "/proc/file", "times are odd", "mend it"});
  return diagnosis;
}

TEST(Doctor, WhatStandsOutComesFirstWithWhatToDo) {
  const Diagnosis diagnosis =
      diagnosis_with({Level::fine, Level::note, Level::unknown, Level::unfit});
  EXPECT_EQ(diagnosis_text(diagnosis, {80, false}),
            "fake:0 (Synthetic GPU) is not fit to measure: 1 against it, 1 unknown, 1 to note, 1 "
            "fine\n"
            "UNFIT    check: what was seen\n"
            "   from: /proc/file\n"
            "    why: times are odd\n"
            "     do: mend it\n"
            "unknown  check: what was seen\n"
            "   from: /proc/file\n"
            "    why: times are odd\n"
            "     do: mend it\n"
            "note     check: what was seen\n"
            "   from: /proc/file\n"
            "    why: times are odd\n"
            "     do: mend it\n"
            "fine     check: what was seen\n");
}

TEST(Doctor, TextsOfOthersSteerNoTerminal) {
  Diagnosis diagnosis = diagnosis_with({Level::unfit});
  diagnosis.device.name = "\x1b[31mX";
  diagnosis.findings[0].seen = "a\x1b]0;b\n::error::x";
  const std::string text = diagnosis_text(diagnosis, {80, false});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("a\\x1b]0;b\\x0a::error::x"), std::string::npos) << text;
}

TEST(Doctor, LinesKeepToTheWidth) {
  Diagnosis diagnosis = diagnosis_with({Level::note, Level::fine});
  diagnosis.findings[0].why = diagnosis.findings[1].seen =
      "many words that go on and on until they are longer than a narrow terminal has columns";
  const std::string text = diagnosis_text(diagnosis, {40, false});
  EXPECT_NE(text.find("\n         "), std::string::npos) << text;
  std::istringstream lines(text.substr(text.find('\n') + 1));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 40u) << line;
}

TEST(Doctor, OnlyWhatSpeaksAgainstMeasuringFailsUnlessItIsStrict) {
  for (const auto& [level, lax, strict] :
       {std::tuple(Level::fine, 0, 0), std::tuple(Level::note, 0, 3),
        std::tuple(Level::unknown, 0, 3), std::tuple(Level::unfit, 3, 3)}) {
    EXPECT_EQ(exit_code(diagnosis_with({Level::fine, level}), false), lax);
    EXPECT_EQ(exit_code(diagnosis_with({Level::fine, level}), true), strict);
  }
}

TEST(Doctor, ProgramsAreToldAllOfIt) {
  const json::Value told = to_json(diagnosis_with({Level::note}));
  EXPECT_FALSE(told.at("device").text().empty());
  EXPECT_TRUE(told.at("fit").boolean());
  EXPECT_EQ(told.at("findings").elements()[0], (json::Value{{"check", "check"},
                                                            {"level", "note"},
                                                            {"seen", "what was seen"},
                                                            {"source", "/proc/file"},
                                                            {"why", "times are odd"},
                                                            {"do", "mend it"}}));
}

}  // namespace doctor_test
}  // namespace ridgeline::present
