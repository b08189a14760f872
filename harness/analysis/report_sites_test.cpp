#include "harness/analysis/report_sites.hpp"

#include <gtest/gtest.h>

#include "harness/base/json_reread_fixture.hpp"
#include "harness/store/examples.hpp"

namespace ridgeline::analysis {
namespace report_sites_test {

using Json = nlohmann::ordered_json;
namespace examples = store::examples;

store::StoredMeasurement counted(int replicate = 0) {
  const record::Case info = examples::gemm_case();
  return {replicate + 1, replicate + 1, info, replicate, examples::counted(info)};
}

Json reported(const std::vector<store::StoredMeasurement>& processes, SourceTable& sources) {
  CaseProcesses all;
  for (const store::StoredMeasurement& process : processes) all.push_back(&process);
  json::Value object = json::Value::object();
  put_sites(object, counted_case(all), sources);
  return json::reread(object);
}

TEST(ReportSites, SayWhatWasCountedAndWhatIsNeeded) {
  SourceTable sources;
  const Json object = reported({counted()}, sources);
  EXPECT_EQ(object.at("sites").at(0), (Json{{"kernel", "gemm_kernel"},
                                            {"file", "kernels/gemm/naive.cu"},
                                            {"line", 17},
                                            {"access", "global load"},
                                            {"lane_bytes", 4},
                                            {"requests", 128},
                                            {"lanes", 4096},
                                            {"sectors", 512},
                                            {"sectors_needed", 512.0},
                                            {"share", 1.0},
                                            {"words",
                                             {{"access", "global load 4 B"},
                                              {"sectors", "4.00"},
                                              {"lanes", "32.0"},
                                              {"share", "100.0%"}}}}));
  EXPECT_EQ(object.at("sites").at(1).at("wavefronts_needed"), 64.0);
  EXPECT_FALSE(object.at("sites").at(1).contains("sectors"));
  EXPECT_FALSE(object.contains("sites_left_out"));
  EXPECT_FALSE(object.contains("processes_differ"));
}

TEST(ReportSites, LeaveOutThoseThatMoveLeastAndSumThemUp) {
  store::StoredMeasurement many = counted();
  std::vector<record::Site>& sites = many.measurement.sites;
  sites.clear();
  for (int i = 0; i < static_cast<int>(most_reported_sites) + 2; ++i)
    sites.push_back({"k", "k.cu", i + 1, "global load", 4, 10, 320,
                     static_cast<std::uint64_t>(i % 2 ? 100 + i : 1), 0});
  SourceTable sources;
  const Json object = reported({many}, sources);
  ASSERT_EQ(object.at("sites").size(), most_reported_sites);
  EXPECT_EQ(object.at("sites").at(0).at("line"), 1)
      << "of equal ones the first stay, in the order given";
  EXPECT_EQ(object.at("sites").back().at("line"), static_cast<int>(most_reported_sites) + 2);
  EXPECT_EQ(object.at("sites_left_out"), (Json{{"sites", 2}, {"requests", 20}, {"sectors", 2}}));
  double shares = 0;
  for (const Json& site : object.at("sites")) shares += site.at("share").get<double>();
  EXPECT_LT(shares, 1) << "of all sites, those left out among them";
  EXPECT_NEAR(object.at("sites").at(1).at("uncoalesced").get<double>(), 101 / 40.0, 1e-9);
  EXPECT_EQ(object.at("sites").at(1).at("words").at("uncoalesced"), "2.52x");
}

TEST(ReportSites, SourcesStandOnceAndAreBounded) {
  SourceTable sources;
  store::StoredMeasurement other = counted(), large = counted();
  other.measurement.sources[0].text += "// changed since\n";
  large.measurement.sources = {{"large.cu", std::string(longest_reported_source + 1, ' ')}};
  EXPECT_EQ(reported({counted()}, sources).at("sources"), Json(std::vector{0}));
  EXPECT_EQ(reported({counted()}, sources).at("sources"), Json(std::vector{0}));
  EXPECT_EQ(reported({other}, sources).at("sources"), Json(std::vector{1}));
  EXPECT_EQ(reported({large}, sources).at("sources"), Json(std::vector{2}));
  const Json all = json::reread(sources.to_json());
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all.at(1).at("text"), "// naive\n// changed since\n");
  EXPECT_EQ(all.at(2), (Json{{"file", "large.cu"}, {"bytes", longest_reported_source + 1}}));
}

TEST(ReportSites, SayThatProcessesDiffer) {
  store::StoredMeasurement other = counted(1);
  SourceTable sources;
  EXPECT_FALSE(reported({counted(), other}, sources).contains("processes_differ"));
  other.measurement.sites[0].sectors = 600;
  const Json object = reported({counted(), other}, sources);
  EXPECT_EQ(object.at("processes_differ"), true);
  EXPECT_EQ(object.at("sites").at(0).at("sectors"), 600) << "the last process is shown";
  EXPECT_TRUE(reported({}, sources).empty());
}

}  // namespace report_sites_test
}  // namespace ridgeline::analysis
