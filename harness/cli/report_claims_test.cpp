// `ridgeline report --claims` over stored runs, as a user calls it. All times are made up.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/base/json.hpp"
#include "harness/cli/said.hpp"
#include "harness/present/documented_example.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::cli {
namespace report_claims_test {

namespace examples = store::examples;
using nlohmann::json;
using record::Direction;
using record::Outcome;

constexpr const char* claims = R"([[claim]]
title = "Tiles | product"
device = "fake"
says = "Tiles are *twice* as fast."
conditions = "Of 64."
[[claim.check]]
quantity = "speed"
of = "gemm/tiled/f32/m=64,n=64,k=64"
over = "gemm/naive/f32/m=64,n=64,k=64"
about = 2

[[claim]]
title = "Best"
device = "fake"
says = "The best is three times as fast."
conditions = "Of 64 and 512."
[[claim.check]]
when = "the other is naive"
quantity = "speed"
of = ["gemm/tiled/f32/m=64,n=64,k=64", "gemm/best/f32/m=64,n=64,k=64"]
over = "gemm/naive/f32/m=64,n=64,k=64"
at_least = 3
[[claim.check]]
when = "the other has tiles"
quantity = "speed"
of = "gemm/best/f32/m=64,n=64,k=64"
over = "gemm/tiled/f32/m=64,n=64,k=64"
at_least = 3

[[claim]]
title = "Share"
device = "fake"
says = "The best is above half of the peak."
conditions = "Of 64."
[[claim.check]]
quantity = "share"
of = "gemm/best/f32/m=64,n=64,k=64"
peak = "fma.f32"
at_least = 0.5

[[claim]]
title = "Counters"
device = "fake"
says = "A product does 10.7 operations per byte."
conditions = "Of 64, each array moved once, or as counted."
[[claim.check]]
when = "each array moves once"
quantity = "intensity"
bytes = "least"
of = "gemm/best/f32/m=64,n=64,k=64"
about = 10.67
within = "1%"
[[claim.check]]
when = "counters saw the bytes"
quantity = "intensity"
bytes = "counted"
of = "gemm/best/f32/m=64,n=64,k=64"
about = 10.67
[[claim.check]]
when = "nobody can tell"
missing = "no suite has such a case"

[[claim]]
title = "Unsteady"
device = "fake"
says = "It is fast."
conditions = "Of 512."
[[claim.check]]
quantity = "speed"
of = "gemm/unsteady/f32/m=64,n=64,k=64"
over = "gemm/naive/f32/m=64,n=64,k=64"
at_least = 1

[[claim]]
title = "Two devices"
device = "fake"
says = "The one is twice as fast as the other."
conditions = "Of 64."
[[claim.check]]
model = "gpu"
quantity = "speed"
of = "gemm/naive/f32/m=64,n=64,k=64"
over = "gemm/naive/f32/m=64,n=64,k=64"
over_model = "other"
about = 2
)";

/// A home with these claims, and results of a model.
class ReportClaims : public testing::Test {
 protected:
  ReportClaims() {
    std::filesystem::create_directories(folder / "suites" / "profiles");
    write_claims(claims);
    std::filesystem::create_directories(results());
    setenv("RIDGELINE_HOME", folder.path().c_str(), 1);
    setenv("RIDGELINE_LOCKS", folder.path().c_str(), 1);
  }
  ~ReportClaims() override {
    unsetenv("RIDGELINE_HOME");
    unsetenv("RIDGELINE_LOCKS");
  }

  std::filesystem::path results() const { return folder / "results"; }
  void write_claims(const std::string& text) const {
    std::ofstream(folder / "suites" / "claims.toml") << text;
  }

  /// Cases with their times, in so many processes.
  struct Told {
    std::string id = "20261120T100000Z-aaaa", started = "2026-11-20T10:00:00Z";
    std::vector<std::pair<std::string, double>> cases;
    std::string model = "synthetic-gpu", environment = "e1", gate = {}, unfit = {};
    int processes = 3;
    Outcome outcome = Outcome::ok;
    std::string device = {};  // its id; empty: fake:0
  };
  void add_run(const Told& told) const {
    store::Store store = store::Store::create(results() / (told.model + ".sqlite"));
    record::Device device = examples::device();
    device.model = told.model;
    if (!told.device.empty()) device.id = told.device;
    device.uuid = "uuid of " + told.model + told.device;
    record::Environment environment = examples::environment();
    environment.hash = told.environment;
    record::Run run = examples::run(told.id, told.started);
    run.device_uuid = device.uuid;
    run.unfit = told.unfit;
    run.gate = told.gate;
    store::begin(store, run, device, environment);
    store::add(store, told.id, {"fma.f32", 1e12, "FLOP/s", "A | datasheet"});
    for (int i = 0; i < told.processes; ++i) {
      const std::int64_t process = store::add(store, examples::process(i, told.id));
      for (const auto& [variant, ns] : told.cases) {
        const record::Case info = examples::gemm_case(variant);
        const double here = ns + ns / 1000 * i;
        record::Measurement measured = examples::measurement(info, {here - 1, here, here + 1});
        measured.outcome = told.outcome;
        if (told.outcome == Outcome::unstable) measured.reason = "it *wavered*";
        store::add(store, process, info, measured);
      }
    }
    store::finish(store, told.id, record::RunStatus::finished, told.started);
  }
  void add_usual_runs() const {
    add_run({.cases = {{"naive", 4000}, {"tiled", 2000}, {"best", 1000}}});
    add_run({.id = "20261121T100000Z-bbbb",
             .started = "2026-11-21T10:00:00Z",
             .cases = {{"unsteady", 2000}},
             .outcome = Outcome::unstable});
  }

  Said ridgeline(std::vector<std::string> words) const {
    words.insert(words.begin(), {"ridgeline", "report", "--claims"});
    words.insert(words.end(), {"--results", results().string()});
    return said_to(words);
  }

  /// What is said of a claim of the first device.
  json claim(const std::string& title, const std::vector<std::string>& words = {}) const {
    std::vector<std::string> all{"--json"};
    all.insert(all.end(), words.begin(), words.end());
    const Said said = ridgeline(all);
    EXPECT_EQ(said.code, 0) << said.err;
    const json told = json::parse(said.out);
    for (const json& one : told["devices"][0]["claims"])
      if (one["title"] == title) return one;
    ADD_FAILURE() << "no claim " << title;
    return {};
  }

  store::TemporaryFolder folder;
};

void expect_golden_claims(const std::string& name, const std::string& text) {
  const std::string file = std::string(RIDGELINE_CLI_FOLDER) + "/golden/" + name;
  if (std::getenv("RIDGELINE_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << text;
  std::ifstream stream(file);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(stream), {})) << file;
}

TEST_F(ReportClaims, TellsEachClaimWithItsNumberVerdictAndCommand) {
  add_usual_runs();
  const Said page = ridgeline({"--markdown"});
  EXPECT_EQ(page.code, 0) << page.err;
  expect_golden_claims("claims.md", page.out);
  const Said text = ridgeline({});
  EXPECT_EQ(text.code, 0) << text.err;
  expect_golden_claims("claims.txt", text.out);
}

TEST_F(ReportClaims, IsSaidToPrograms) {
  add_usual_runs();
  const json tiles = claim("Tiles | product");
  EXPECT_EQ(tiles["verdict"], "holds");
  const json& check = tiles["checks"][0];
  EXPECT_EQ(check["verdict"], "holds");
  EXPECT_NEAR(check["value"].get<double>(), 2, 1e-6);
  EXPECT_LT(check["interval"][0], 2);
  EXPECT_GT(check["interval"][1], 2);
  EXPECT_DOUBLE_EQ(check["at_least"], 1.8);
  EXPECT_DOUBLE_EQ(check["at_most"], 2.2);
  EXPECT_EQ(check["of"], "gemm/tiled/f32/m=64,n=64,k=64");
  EXPECT_EQ(check["over"], "gemm/naive/f32/m=64,n=64,k=64");
  EXPECT_EQ(check["run"], "20261120T100000Z-aaaa");
  EXPECT_EQ(check["command"],
            "ridgeline run --device fake:0 gemm/tiled/f32/m=64,n=64,k=64 "
            "gemm/naive/f32/m=64,n=64,k=64");
  const json best = claim("Best");
  EXPECT_EQ(best["words"], "holds only when the other is naive");
  EXPECT_EQ(best["checks"][0]["of"], "gemm/best/f32/m=64,n=64,k=64") << "the fastest of two";
  EXPECT_FALSE(best["checks"][0].contains("at_most"));
  EXPECT_EQ(claim("Share")["checks"][0]["against"], "1.00 TFLOP/s, fma.f32 of A | datasheet");
}

TEST_F(ReportClaims, ANewerRunCountsAndOneOfAGateOrOfAnUnfitMachineDoesNot) {
  add_usual_runs();
  add_run({.id = "20261122T100000Z-cccc",
           .started = "2026-11-22T10:00:00Z",
           .cases = {{"naive", 9000}, {"tiled", 1000}},
           .unfit = "busy"});
  EXPECT_EQ(claim("Tiles | product")["verdict"], "holds");
  add_run({.id = "20261122T110000Z-gate-baseline",
           .started = "2026-11-22T11:00:00Z",
           .cases = {{"naive", 9000}, {"tiled", 1000}},
           .gate = "20261122T110000Z-gate"});
  EXPECT_EQ(claim("Tiles | product")["verdict"], "holds");
  EXPECT_EQ(claim("Tiles | product", {"20261122T10"})["verdict"], "does_not_hold") << "asked for";
  add_run({.id = "20261123T100000Z-dddd",
           .started = "2026-11-23T10:00:00Z",
           .cases = {{"naive", 9000}, {"tiled", 1000}}});
  EXPECT_EQ(claim("Tiles | product")["checks"][0]["run"], "20261123T100000Z-dddd");
  EXPECT_EQ(claim("Tiles | product")["verdict"], "does_not_hold");
  EXPECT_EQ(claim("Share")["checks"][0]["run"], "20261120T100000Z-aaaa");
}

TEST_F(ReportClaims, OfSeveralDevicesOfAModelTheFirstIsInTheCommand) {
  add_run({.cases = {{"naive", 4000}, {"tiled", 2000}}, .device = "fake:2"});
  add_run({.id = "20261122T100000Z-cccc",
           .started = "2026-11-22T10:00:00Z",
           .cases = {{"naive", 4000}, {"tiled", 1000}},
           .device = "fake:10"});
  const json check = claim("Tiles | product")["checks"][0];
  EXPECT_EQ(check["run"], "20261122T100000Z-cccc") << "the newest";
  EXPECT_NE(check["command"].get<std::string>().find("--device fake:2 "), std::string::npos);
}

TEST_F(ReportClaims, SidesOfTwoRunsAreTakenWhereTheRunsCanBeCompared) {
  add_run({.cases = {{"naive", 4000}}});
  add_run({.id = "20261121T100000Z-bbbb",
           .started = "2026-11-21T10:00:00Z",
           .cases = {{"tiled", 2000}}});
  const json check = claim("Tiles | product")["checks"][0];
  EXPECT_EQ(check["verdict"], "holds");
  EXPECT_EQ(check["run"], "20261121T100000Z-bbbb");
  EXPECT_EQ(check["over_run"], "20261120T100000Z-aaaa");
  add_run({.id = "20261122T100000Z-cccc",
           .started = "2026-11-22T10:00:00Z",
           .cases = {{"tiled", 2000}},
           .environment = "e2"});
  EXPECT_EQ(claim("Tiles | product")["checks"][0]["why"],
            "only runs that cannot be compared have both sides");
}

TEST_F(ReportClaims, TwoProcessesHaveNoIntervalAndTellNothing) {
  add_run({.cases = {{"naive", 4000}, {"tiled", 2000}}, .processes = 2});
  const json check = claim("Tiles | product")["checks"][0];
  EXPECT_EQ(check["verdict"], "cannot_be_told");
  EXPECT_FALSE(check.contains("interval"));
}

TEST_F(ReportClaims, OfTwoDevicesBothAreNeeded) {
  add_run({.cases = {{"naive", 4000}}});
  EXPECT_EQ(claim("Two devices")["checks"][0]["why"], "no run of other is at hand");
  add_run({.id = "20261121T100000Z-bbbb",
           .started = "2026-11-21T10:00:00Z",
           .cases = {{"naive", 8000}},
           .model = "synthetic-other",
           .environment = "e2"});
  const json check = claim("Two devices")["checks"][0];
  EXPECT_EQ(check["verdict"], "holds");
  EXPECT_NEAR(check["value"].get<double>(), 2, 1e-6);
  const json other = json::parse(ridgeline({"--json"}).out)["devices"][1]["claims"];
  EXPECT_EQ(other.back()["checks"][0]["why"], "the claim is about gpu");
  EXPECT_EQ(other.back()["verdict"], "not_measured");
}

TEST_F(ReportClaims, WithoutADeviceTheClaimsAreListed) {
  add_run({.cases = {{"naive", 4000}}});
  std::string text = claims;
  for (std::size_t at = 0; (at = text.find("\"fake\"", at)) != std::string::npos;)
    text.replace(at, 6, "\"cuda\"");
  write_claims(text);
  EXPECT_EQ(claim("Share")["verdict"], "not_measured");
  EXPECT_EQ(claim("Share")["checks"][0]["command"], "ridgeline run gemm/best/f32/m=64,n=64,k=64");
  EXPECT_NE(ridgeline({}).out.find("No device of kind cuda"), std::string::npos);
  EXPECT_EQ(ridgeline({"latest"}).code, 64) << "no claim is about a fake device";
}

/// With a script in the place of Python, which draws nothing.
class DocumentWithClaims : public ReportClaims {
 protected:
  DocumentWithClaims() {
    std::ofstream(folder / "suites" / "ladders.toml") << "";
    const std::filesystem::path script = folder / "python";
    std::ofstream(script) << "#!/bin/sh\nexit 0\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    setenv("RIDGELINE_PYTHON", script.c_str(), 1);
  }
  ~DocumentWithClaims() override { unsetenv("RIDGELINE_PYTHON"); }

  Said report(std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {"ridgeline", "report"});
    words.insert(words.end(), {"--results", results().string()});
    return said_to(words);
  }
  json document(const std::vector<std::string>& words = {}) const {
    const Said said = report(words);
    EXPECT_EQ(said.code, 0) << said.err;
    return json::parse(std::ifstream(results() / "report" / "report.json"));
  }
  json told() const { return json::parse(ridgeline({"--json"}).out)["devices"]; }
};

TEST_F(DocumentWithClaims, SaysTheSameAsTheCommand) {
  add_usual_runs();
  const json claims_here = document()["claims"];
  EXPECT_EQ(claims_here, told());
  const json& of = claims_here[0];
  EXPECT_EQ(of["counts_text"],
            "6 claims: 2 hold, 1 holds in some circumstances only, 1 holds in the circumstances "
            "that can be told, 2 not measured here.");
  EXPECT_EQ(of["runs"], json::array({"20261120T100000Z-aaaa"}));
  EXPECT_EQ(of["claims"][0]["checks"][0]["cases"],
            json::array({"gemm/tiled/f32/m=64,n=64,k=64", "gemm/naive/f32/m=64,n=64,k=64"}));
  EXPECT_EQ(of["claims"][4]["checks"][0]["cases"],
            json::array({"gemm/unsteady/f32/m=64,n=64,k=64", "gemm/naive/f32/m=64,n=64,k=64"}));
  EXPECT_FALSE(of["claims"][3]["checks"][2].contains("cases")) << "no case can tell";
}

TEST_F(DocumentWithClaims, HasThemOfTheModelThatIsAskedForByAllOfItsRuns) {
  add_usual_runs();
  add_run({.id = "20261121T110000Z-cccc",
           .started = "2026-11-21T11:00:00Z",
           .cases = {{"naive", 8000}},
           .model = "synthetic-other"});
  EXPECT_EQ(document()["claims"].size(), 2);
  const json asked = document({"gpu@latest"})["claims"];
  ASSERT_EQ(asked.size(), 1);
  EXPECT_EQ(asked[0], told()[0]) << "the run asked for has one case; the other model is looked at";
}

TEST_F(DocumentWithClaims, HasNoneWhereNothingIsJudged) {
  add_run({.cases = {{"other", 4000}}});
  EXPECT_FALSE(document().contains("claims"));
  std::string text = claims;
  for (std::size_t at = 0; (at = text.find("\"fake\"", at)) != std::string::npos;)
    text.replace(at, 6, "\"cuda\"");
  write_claims(text);
  EXPECT_FALSE(document().contains("claims")) << "of no device at all";
}

TEST_F(DocumentWithClaims, IsWhatThePageShows) {
  add_usual_runs();
  const std::string text = claims;
  write_claims(text.substr(0, text.find("[[claim]]\ntitle = \"Share\"")));
  const json::array_t devices = document()["claims"];
  ASSERT_EQ(devices.size(), 1);
  present::expect_documented("## Example of claims", ridgeline::json::parse(devices[0].dump()));
}

TEST_F(ReportClaims, NonsenseIsRefused) {
  add_usual_runs();
  write_claims("[[claim]]\ntitle = 7\n");
  const Said said = ridgeline({});
  EXPECT_EQ(said.code, 64);
  EXPECT_EQ(said.out, "");
  EXPECT_NE(said.err.find("claims.toml:2: title must be a text"), std::string::npos) << said.err;
  write_claims(claims);
  EXPECT_EQ(ridgeline({"--text"}).code, 64);
  EXPECT_EQ(ridgeline({"--output", "page"}).code, 64);
  EXPECT_EQ(ridgeline({"--markdown", "--json"}).code, 64);
}

}  // namespace report_claims_test
}  // namespace ridgeline::cli
