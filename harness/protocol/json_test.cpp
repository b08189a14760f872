#include "harness/protocol/json.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/base/error.hpp"
#include "harness/record/rule.hpp"

namespace ridgeline::protocol {
namespace json_test {

std::string_view without_newline(const std::string& line) {
  EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
  return std::string_view(line).substr(0, line.size() - 1);
}

template <class Answer>
Answer round_trip(const Answer& answer) {
  const std::string line = to_line(answer);
  auto parsed = parse_answer<Answer>(without_newline(line));
  EXPECT_EQ(to_line(std::get<Answer>(parsed)), line);
  return std::get<Answer>(parsed);
}

template <class Answer>
std::string refusal(std::string_view line) {
  try {
    parse_answer<Answer>(line);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

record::Measurement measurement() {
  record::Measurement value;
  value.case_name = "gemm/naive/f32/m=1,n=2,k=3";
  value.outcome = record::Outcome::ok;
  value.samples_ns = {1.25, 1e9, 0.1};
  value.median_ns = 1.25;
  value.relative_spread = 0.5;
  value.verification = record::Verification{1e-7, 1e-6, Checked::by_variant};
  value.settled = false;
  value.executions_per_sample = 20;
  value.launch = "graph";
  value.cache = "cold";
  value.buffer_sets = 4;
  value.seed = std::numeric_limits<std::uint64_t>::max();
  value.total_ns = 12.5;
  value.telemetry.power_w = 690.5;
  value.telemetry.throttle = "sw_power_cap";
  value.telemetry.other_processes = 0;
  value.metrics = {{"moved_bytes", 64, "B", record::Direction::lower}};
  return value;
}

record::Measurement counted() {
  record::Measurement value;
  value.case_name = "gemm/naive/f32/m=1,n=2,k=3";
  value.outcome = record::Outcome::counted;
  value.verification = record::Verification{0, 1e-6};
  value.launch = "single";
  value.cache = "cold";
  value.metrics = {{"barriers", 2, "1", record::Direction::lower}};
  value.sites = {{"gemm<float>", "kernels/gemm/naive.cu", 17, "global load", 4, 128, 4096, 512, 0},
                 {"", "", 0, "tensor", 0, 0, 0, 0, std::uint64_t{1} << 53}};
  value.sources = {{"kernels/gemm/naive.cu", "line 1\n\tline \"2\"\n"}};
  return value;
}

TEST(Protocol, RequestsSurviveARoundTrip) {
  Prepare prepare;
  prepare.case_name = "gemm/naive/f32/m=1,n=1,k=1";
  prepare.device = "cuda:0";
  prepare.seed = std::numeric_limits<std::uint64_t>::max();
  prepare.warmup_budget_ns = 2e8;
  for (const Request& request :
       std::vector<Request>{HelloRequest{}, ListRequest{}, DevicesRequest{}, Open{"cuda:0"},
                            prepare, Sample{0.01, 5, 10, 1e9}, FinishRequest{}, ByeRequest{}}) {
    const std::string line = to_line(request);
    const Request parsed = parse_request(without_newline(line));
    EXPECT_EQ(parsed.index(), request.index());
    EXPECT_EQ(to_line(parsed), line);
  }
}

TEST(Protocol,
     ALayoutIsSentOnlyWhenThereIsOne) {  // workers that are older than it know no such field
  Prepare prepare;
  prepare.case_name = "gemm/naive/f32/m=1,n=1,k=1";
  prepare.device = "cpu";
  EXPECT_EQ(to_line(prepare).find("layout"), std::string::npos);
  EXPECT_EQ(std::get<Prepare>(parse_request(without_newline(to_line(prepare)))).layout, 0u);
  prepare.layout = 452392491432329;
  EXPECT_EQ(std::get<Prepare>(parse_request(without_newline(to_line(prepare)))).layout,
            452392491432329u);
}

TEST(Protocol, AnswersSurviveARoundTrip) {
  Hello hello;
  hello.build = {"ridgeline-suites", "abc", true, "g++ 12", "-O2 \"x\"", "13.0 sm_80", "00ff"};
  hello.launcher = "mpirun";
  EXPECT_EQ(round_trip(hello).build.flags, "-O2 \"x\"");
  hello.features = {Feature::layout};
  EXPECT_EQ(round_trip(hello).features, hello.features);

  Cases cases;
  cases.cases.push_back({{{"gemm", "naive", "f32", {{"n", "64"}, {"k", "2"}}, {{"cache", "hot"}}},
                          DeviceKind::cpu,
                          "one idea",
                          1,
                          2.5,
                          std::nullopt,
                          ""},
                         "6109cff2"});
  cases.cases.push_back(cases.cases[0]);
  cases.cases[1].device_kind = DeviceKind::cuda;
  cases.suites = {{"gemm", "What does each rung buy?"}};
  const Cases back = round_trip(cases);
  ASSERT_EQ(back.suites.size(), 1u);
  EXPECT_EQ(back.suites[0].name + ": " + back.suites[0].question, "gemm: What does each rung buy?");
  EXPECT_EQ(back.cases[0].id, cases.cases[0].id);
  EXPECT_FALSE(back.cases[0].bytes);
  EXPECT_EQ(back.cases[0].code, "6109cff2");
  cases.cases[0].code.clear();
  EXPECT_EQ(round_trip(cases).cases[0].code, "");

  Devices devices{
      {{"cpu", DeviceKind::cpu, "cpu-x", "X \xC3\xA9", "u", "", {{"cores", "2"}}, {}, {}}},
      {{"cuda", "libcuda.so.1 not found"}}};
  EXPECT_EQ(round_trip(devices).devices[0].properties.at("cores"), "2");

  round_trip(Prepared{record::Outcome::unsupported, "needs 550 GB, the device has 139 GB"});
  round_trip(Sampled{{1.5, 2.5}});
  const record::Measurement kept = round_trip(Finished{measurement()}).measurement;
  EXPECT_EQ(kept.samples_ns, measurement().samples_ns);
  EXPECT_EQ(kept.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(*kept.telemetry.other_processes, 0);

  round_trip(Prepared{record::Outcome::counted, ""});
  const record::Measurement counts = round_trip(Finished{counted()}).measurement;
  EXPECT_EQ(counts.sites, counted().sites);
  EXPECT_EQ(counts.sources, counted().sources);

  const auto failure =
      parse_answer<Hello>(without_newline(to_line(Failure{"no device", "plug one in", 69})));
  EXPECT_EQ(std::get<Failure>(failure).exit_code, 69);
  EXPECT_EQ(std::get<Failure>(failure).cause, std::nullopt);
  const auto full = parse_answer<Hello>(
      without_newline(to_line(Failure{"no room", "", 69, FailureCause::out_of_memory})));
  EXPECT_EQ(std::get<Failure>(full).cause, FailureCause::out_of_memory);
}

std::string hello_with(const std::string& fields) {
  return R"({"reply":"hello","protocol":1,"build":{"worker":"w","commit":"","dirty":false,"compiler":"","flags":"",)"
         R"("cuda":"","code_hash":""},"launcher":"")" +
         fields + "}";
}

TEST(Protocol, FeaturesAreOptionalAndThoseOfOthersIgnored) {
  const auto features = [](const std::string& fields) {
    return std::get<Hello>(parse_answer<Hello>(hello_with(fields))).features;
  };
  EXPECT_EQ(features(""), std::set<Feature>{});
  EXPECT_EQ(features(R"(,"features":[])"), std::set<Feature>{});
  EXPECT_EQ(features(R"(,"features":["layouts","","time travel","layout","layout"])"),
            std::set{Feature::layout});
}

TEST(Protocol, HostileFeaturesAreRefused) {
  const std::pair<std::string, const char*> rows[] = {
      {"\"layout\"", "features of answer \"hello\" must be an array, not the text \"layout\""},
      {"[1]", "features[0] of answer \"hello\" must be a text, not 1"},
      {fmt::format("[\"layout\",\"{}\"]", std::string(401, 'x')), "longer than 400 bytes"},
      {fmt::format("[0{}]", fmt::join(std::vector<std::string>(101, ""), ",0")),
       "holds more than 100 elements"},
  };
  for (const auto& [value, words] : rows) {
    const std::string said = refusal<Hello>(hello_with(",\"features\":" + value));
    EXPECT_NE(said.find(words), std::string::npos) << said;
  }
}

TEST(Protocol, ACauseIsOneThatIsKnown) {
  const auto cause = [](const std::string& value) {
    return std::get<Failure>(
               parse_answer<Hello>(
                   R"({"reply":"error","message":"out of memory","advice":"","exit_code":69,"cause":)" +
                   value + "}"))
        .cause;
  };
  EXPECT_EQ(cause("\"out_of_memory\""), FailureCause::out_of_memory);
  EXPECT_EQ(cause("\"bad weather\""), std::nullopt);
  EXPECT_THROW(cause("7"), Error);
  EXPECT_THROW(cause(fmt::format("\"{}\"", std::string(401, 'x'))), Error);
}

TEST(Protocol, ErrorsThatAreNoNumbersStayFailures) {
  for (double error : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    record::Measurement wrong;
    wrong.case_name = "a/b/f32/n=1";
    wrong.outcome = record::Outcome::wrong_result;
    wrong.reason = "the output differs";
    wrong.verification = record::Verification{error, 1e-6};
    wrong.metrics = {{"ratio", std::nan(""), "", record::Direction::none}};
    const record::Measurement back = round_trip(Finished{wrong}).measurement;
    EXPECT_FALSE(back.verification->right());
    EXPECT_EQ(std::isnan(back.verification->error), std::isnan(error));
    EXPECT_TRUE(back.metrics.empty());
  }
}

TEST(Protocol, WhatVouchesForANumberMayLackAndUnknownWordsAreNoNews) {
  nlohmann::ordered_json answer = nlohmann::ordered_json::parse(to_line(Finished{measurement()}));
  nlohmann::ordered_json& measured = answer["measurement"];
  const auto checked = [&] {
    const auto read = parse_answer<Finished>(answer.dump());
    return std::get<Finished>(read).measurement.verification.value().checked;
  };
  EXPECT_EQ(checked(), Checked::by_variant);
  measured["verification"]["checked"] = "twice";
  EXPECT_EQ(checked(), std::nullopt);
  measured["verification"].erase("checked");
  measured.erase("settled");
  EXPECT_EQ(checked(), std::nullopt);
  EXPECT_EQ(std::get<Finished>(parse_answer<Finished>(answer.dump())).measurement.settled,
            std::nullopt);
}

TEST(Protocol, ReasonsAreCutAndEscapedToFit) {
  const Prepared back =
      round_trip(Prepared{record::Outcome::unavailable, std::string(100'000, 'x') + "\xFF"});
  EXPECT_LE(back.reason.size(), record::max_text_bytes);
  EXPECT_EQ(round_trip(Prepared{record::Outcome::unavailable, "a\xFF"}).reason, "a\\xff");
}

TEST(Protocol, AnotherVersionIsOneClearSentence) {
  EXPECT_EQ(refusal<Hello>(R"({"reply":"hello","protocol":2,"anything":[1,2]})"),
            "the worker speaks protocol 2, but this ridgeline speaks protocol 1");
  try {
    parse_request(R"({"request":"hello","protocol":7})");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::dependency);
    EXPECT_STREQ(error.what(),
                 "the program that started this worker speaks protocol 7, but this worker speaks "
                 "protocol 1");
  }
}

TEST(Protocol, HostileAnswersAreRefusedInWords) {
  const std::string finished = to_line(Finished{measurement()});
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string line = finished;
    EXPECT_NE(line.find(from), std::string::npos) << from;
    return line.replace(line.find(from), from.size(), to);
  };
  const struct {
    std::string line;
    const char* words;  // that the refusal must contain
  } finish_rows[] = {
      {finished.substr(0, 100), "not JSON"},
      {"", "not JSON"},
      {"\x7F"
       "ELF\xFF\x01",
       "not UTF-8"},
      {"[1]", "must be a JSON object, not an array"},
      {"{}", "has no field reply"},
      {R"({"reply":7})", "must be a text, not 7"},
      {R"({"reply":"sample","samples_ns":[]})",
       "answered \"sample\" where \"finish\" was waited for"},
      {R"({"reply":"fin\u001b[2J"})", "answered \"fin\\x1b[2J\""},
      {R"({"reply":"finish"})", "has no field measurement"},
      {changed("1.25,", "-1.25,"),
       "samples_ns[0] of measurement of answer \"finish\" must be a number from 0.001 to "
       "1000000000000000, not -1.25"},
      {changed("1.25,", "0,"), "samples_ns[0]"},
      {changed("1.25,", "1e308,"), "must be a number from 0.001 to 1000000000000000, not 1e+308"},
      {changed("\"value\":64.0", "\"value\":1e300"),
       "value of metrics[0] of measurement of answer \"finish\" must be 0, or of a size from 1e-30 "
       "to 1e+30"},
      {changed("690.5", "-1"), "must be 0, or a number from 1e-30 to 1e+30, not -1"},
      {changed("\"value\":64.0", "\"value\":-64.0"),
       "metrics[0] of measurement of answer \"finish\" says moved_bytes -64 'B': it is in B and "
       "not "
       "below 0"},
      {changed("\"unit\":\"B\"", "\"unit\":\"J\""), "says moved_bytes 64 'J'"},
      {changed("moved_bytes", "energy"), "says energy 64 'B': it is in J and above 0"},
      {changed("moved_bytes", "sustained_power"),
       "says sustained_power 64 'B': it is in W and above 0"},
      {changed("\"buffer_sets\":4", "\"buffer_sets\":9007199254740993"),
       "an integer from 0 to 9007199254740992"},
      {changed("1.25,", "2e-308,"), "samples_ns[0]"},
      {changed("1.25,", "NaN,"), "not JSON"},
      {changed("1.25,", "null,"), "must be a number, not null"},
      {changed("1.25,", "1e999,"), "out of range"},
      {changed("1.25,", "\"1.25\","), "must be a number, not the text \"1.25\""},
      {changed("\"outcome\":\"ok\"", "\"outcome\":\"fine\""),
       "outcome of measurement of answer \"finish\" is unknown: \"fine\""},
      {changed("\"outcome\":\"ok\"", "\"outcome\":\"crashed\""), "outcome crashed with samples"},
      {changed("\"outcome\":\"ok\"", "\"outcome\":\"not_measured\""),
       "says outcome not_measured, which workers do not say"},
      {changed("\"reason\":\"\"", "\"reason\":\"why\""), "reason exactly when"},
      {changed("\"verification\":{\"error\":1e-07,\"tolerance\":1e-06,\"checked\":\"by_variant\"},",
               ""),
       "outcome ok without a verification: an output that was not verified has no time"},
      {changed("\"metrics\":[",
               R"("metrics":[{"name":"moved_bytes","value":1,"unit":"B","direction":"lower"},)"),
       "metrics[1] of measurement of answer \"finish\" has the name of an earlier metric: "
       "moved_bytes"},
      {changed("\"error\":1e-07", "\"error\":\"nan\""), "although its verification failed"},
      {changed("\"error\":1e-07", "\"error\":-1"), "error of verification of measurement"},
      {changed("\"by_variant\"", "true"), "checked of verification of measurement"},
      {changed("\"settled\":false", "\"settled\":0"), "settled of measurement"},
      {changed("\"median_ns\":1.25,", ""), "median_ns exactly when"},
      {changed("\"executions_per_sample\":20", "\"executions_per_sample\":2.5"),
       "an integer from 1"},
      {changed("\"executions_per_sample\":20", "\"executions_per_sample\":9007199254740993"),
       "an integer from 1 to 9007199254740992"},
      {changed("\"seed\":18446744073709551615", "\"seed\":-1"), "integer not below 0"},
      {changed("\"power_w\"", "\"power_kw\""), "unknown field \"power_kw\""},
      {changed("sw_power_cap", std::string(9000, 'x')), "longer than 8000 bytes"},
  };
  EXPECT_NE(refusal<Prepared>(R"({"reply":"prepare","outcome":"not_measured","reason":"why"})")
                .find("which workers do not say"),
            std::string::npos);
  for (const auto& row : finish_rows) {
    const std::string words = refusal<Finished>(row.line);
    EXPECT_NE(words.find(row.words), std::string::npos)
        << words << "\n  for " << row.line.substr(0, 200);
    EXPECT_LT(words.size(), 600u);
  }
}

TEST(Protocol, HostileCountsAreRefusedInWords) {
  const auto spoilt = [](auto spoil) {
    nlohmann::ordered_json answer = nlohmann::ordered_json::parse(to_line(Finished{counted()}));
    spoil(answer["measurement"]);
    return answer.dump();
  };
  const struct {
    std::string line;
    const char* words;
  } rows[] = {
      {spoilt([](auto& m) { m.erase("verification"); }), "outcome counted without a verification"},
      {spoilt([](auto& m) { m["verification"]["error"] = 1; }), "although its verification failed"},
      {spoilt([](auto& m) { m["samples_ns"] = {1.5}; }), "outcome counted with samples"},
      {spoilt([](auto& m) { m["median_ns"] = 1.5; }), "median_ns exactly when"},
      {spoilt([](auto& m) { m["relative_spread"] = 0.5; }), "relative_spread without samples"},
      {spoilt([](auto& m) { m["timed_ns"] = 1; }), "counts come without times"},
      {spoilt([](auto& m) { m["warmup_ns"] = 1; }), "counts come without times"},
      {spoilt([](auto& m) { m["settled"] = true; }),
       "outcome counted and whether its warm-up settled"},
      {spoilt([](auto& m) { m["reason"] = "why"; }),
       "reason exactly when its outcome is neither ok nor counted"},
      {spoilt([](auto& m) {
         m["outcome"] = "unsupported";
         m["reason"] = "why";
       }),
       "outcome unsupported and holds sites or sources"},
      {spoilt([](auto& m) { m["sites"][0]["requests"] = -1; }),
       "requests of sites[0] of measurement"},
      {spoilt([](auto& m) { m["sites"][0]["requests"] = 1.5; }), "an integer from 0"},
      {spoilt([](auto& m) { m["sites"][0]["sectors"] = (std::uint64_t{1} << 53) + 1; }),
       "an integer from 0"},
      {spoilt([](auto& m) { m["sites"][0]["line"] = -1; }), "line of sites[0]"},
      {spoilt([](auto& m) { m["sites"][0]["lane_bytes"] = 1 << 21; }), "lane_bytes of sites[0]"},
      {spoilt([](auto& m) { m["sites"][0]["access"] = ""; }),
       "access of sites[0] of measurement of answer"},
      {spoilt([](auto& m) { m["sites"][0]["kernel"] = "a\x1b[2J"; }), "control characters"},
      {spoilt([](auto& m) { m["sites"][0]["file"] = std::string(401, 'x'); }),
       "longer than 400 bytes"},
      {spoilt([](auto& m) { m["sites"][0]["time"] = 1; }), "unknown field \"time\""},
      {spoilt([](auto& m) { m["sites"][0].erase("lanes"); }), "has no field lanes"},
      {spoilt([](auto& m) {
         const auto site = m["sites"][0];
         for (std::size_t i = 0; i < record::max_sites; ++i) m["sites"].push_back(site);
       }),
       "sites of measurement of answer \"finish\" holds more than 10000 elements"},
      {spoilt([](auto& m) { m["sources"][0]["file"] = ""; }), "file of sources[0] of measurement"},
      {spoilt([](auto& m) { m["sources"][0]["text"] = std::string("a\0b", 3); }), "holds a NUL"},
      {spoilt([](auto& m) {
         m["sources"][0]["text"] = std::string(record::max_source_bytes + 1, 'x');
       }),
       "longer than 1048576 bytes"},
      {spoilt([](auto& m) {
         const auto source = m["sources"][0];
         m["sources"].push_back(source);
       }),
       "sources[1] of measurement of answer \"finish\" has the file of an earlier source"},
      {spoilt([](auto& m) {
         for (int i = 0; i < 100; ++i)
           m["sources"].push_back({{"file", fmt::format("{}", i)}, {"text", ""}});
       }),
       "sources of measurement of answer \"finish\" holds more than 100 elements"},
  };
  for (const auto& row : rows) {
    const std::string words = refusal<Finished>(row.line);
    EXPECT_NE(words.find(row.words), std::string::npos) << words << "\n  for " << row.words;
    EXPECT_LT(words.size(), 600u);
  }
  EXPECT_EQ(refusal<Finished>(spoilt([](auto&) {})), "accepted");
}

TEST(Protocol, HostileListsAreRefused) {
  const std::string one =
      R"({"suite":"a","variant":"b","dtype":"f32","problem":[["n","1"]],"device_kind":"cpu"})";
  const auto list = [](const std::string& cases) {
    return R"({"reply":"list","cases":[)" + cases + "]}";
  };
  EXPECT_EQ(refusal<Cases>(list(one)), "accepted");
  const auto with_code = [&](const std::string& code) {
    return refusal<Cases>(
        list(fmt::format("{},\"code\":{}}}", one.substr(0, one.size() - 1), code)));
  };
  EXPECT_EQ(with_code("\"" + std::string(400, 'x') + "\""), "accepted");
  EXPECT_NE(with_code("\"" + std::string(401, 'x') + "\"").find("code"), std::string::npos);
  for (const char* code : {"7", "null", "[]", "{}", "true", "\"\\ud800\""})
    EXPECT_NE(with_code(code), "accepted") << code;
  EXPECT_NE(refusal<Cases>(list(one + "," + one)).find("listed twice for cpu: a/b/f32/n=1"),
            std::string::npos);
  for (const char* word : {"", "a/b", "a b", "a\\n", "<b>", "../x", "a=b"}) {
    std::string bad = one;
    bad.replace(bad.find("\"a\""), 3, fmt::format("\"{}\"", word));
    EXPECT_NE(refusal<Cases>(list(bad)).find("letters, digits"), std::string::npos) << word;
  }
  EXPECT_NE(
      refusal<Devices>(
          R"({"reply":"devices","devices":[{"id":"x","kind":"cpu","model":"../../etc"}],"unavailable":[]})")
          .find("model"),
      std::string::npos);
  const auto named = [](const char* id, const char* kind) {
    return refusal<Devices>(fmt::format(
        R"({{"reply":"devices","devices":[{{"id":"{}","kind":"{}","model":"m","name":"n","uuid":"u","pci_id":"","properties":{{}},"comparable":{{}},"recorded":{{}}}}],"unavailable":[]}})",
        id, kind));
  };
  for (const auto& [id, kind] : {std::pair{"cpu", "cpu"},
                                 {"cuda:0", "cuda"},
                                 {"emulated:sm_90", "emulated"},
                                 {"fake", "fake"}})
    EXPECT_EQ(named(id, kind), "accepted") << id;
  for (const auto& [id, kind] : {std::pair{"cpu", "fake"},
                                 {"cpu", "emulated"},
                                 {"cuda:0", "cpu"},
                                 {"cpus", "cpu"},
                                 {"x", "cpu"}})
    EXPECT_NE(named(id, kind).find("must begin with its kind"), std::string::npos) << id;
}

TEST(Protocol, SizeIsBounded) {
  EXPECT_NE(refusal<Hello>(std::string(max_message_bytes + 1, ' ')).find("longer than"),
            std::string::npos);
  EXPECT_NE(refusal<Hello>(std::string(1'000'000, '[')).find("deeper than 8"), std::string::npos);
  std::string many = "{\"reply\":\"sample\",\"samples_ns\":[1";
  for (int i = 0; i < 1'000'001; ++i) many += ",1";
  EXPECT_NE(refusal<Sampled>(many + "]}").find("more than 1000000 values"), std::string::npos);
}

TEST(Protocol, EveryTruncationIsRefused) {
  const std::string line = to_line(Finished{measurement()});
  for (std::size_t length = 0; length + 1 < line.size(); ++length)
    EXPECT_NE(refusal<Finished>(std::string_view(line).substr(0, length)), "accepted") << length;
}

std::optional<ErrorKind> kind_of_refusal(std::string_view request) {
  try {
    parse_request(request);
  } catch (const Error& error) {
    return error.kind();
  }
  return std::nullopt;
}

TEST(Protocol, HostileRequestsAreRefused) {
  for (const char* line :
       {"", "garbage", "{}", R"({"request":"dance"})", R"({"request":"list","cases":1})",
        R"({"request":"sample","target":0.01,"min_samples":9,"max_samples":5,"budget_ns":1})",
        R"({"request":"sample","target":0.01,"min_samples":0,"max_samples":5,"budget_ns":1})",
        R"({"request":"hello"})", R"({"request":"prepare","case":"x"})"})
    EXPECT_EQ(kind_of_refusal(line), ErrorKind::usage) << line;
}

}  // namespace json_test
}  // namespace ridgeline::protocol
