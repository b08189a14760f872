#include "harness/worker/hosts.hpp"

#include <algorithm>
#include <barrier>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace ridgeline::worker {
namespace hosts_test {

namespace fs = std::filesystem;

/// Ranks that are threads, on machines of which `first` names the first rank of each.
class Ranks {
 public:
  explicit Ranks(std::vector<int> first)
      : first_(std::move(first)), together_(static_cast<std::ptrdiff_t>(first_.size())) {}

  /// What hosts_of() tells each rank, whose machine has these facts.
  std::vector<record::Facts> tell(const std::vector<record::Facts>& facts) {
    std::vector<record::Facts> told(first_.size());
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < first_.size(); ++rank)
      threads.emplace_back([&, rank] {
        Member member(*this, rank);
        told[rank] = hosts_of(member, facts[rank]);
      });
    for (std::thread& thread : threads) thread.join();
    return told;
  }

 private:
  class Member final : public measure::Group {
   public:
    Member(Ranks& of, std::size_t rank) : of_(of), rank_(rank) {}
    int size() const override { return static_cast<int>(of_.first_.size()); }
    int rank() const override { return static_cast<int>(rank_); }
    measure::Here here() const override { return {1, 0, of_.first_[rank_]}; }
    double max(double value) override {
      std::vector<double> all(of_.first_.size());
      gather(&value, sizeof value, all.data());
      return std::ranges::max(all);
    }
    void gather(const void* mine, std::size_t count, void* all) override {
      of_.given_[rank_] = mine;
      of_.together_.arrive_and_wait();
      for (std::size_t i = 0; i < of_.first_.size(); ++i)
        std::memcpy(static_cast<char*>(all) + i * count, of_.given_[i], count);
      of_.together_.arrive_and_wait();
    }

   private:
    Ranks& of_;
    std::size_t rank_;
  };

  std::vector<int> first_;
  std::barrier<> together_;
  std::vector<const void*> given_ = std::vector<const void*>(first_.size());
};

TEST(Hosts, AreToldToEveryRankInTheOrderOfTheirFirst) {
  const record::Facts a{{"name", "a"}, {"links", "eth0 10.0.0.1"}}, b{{"name", "b"}, {"cpu", ""}};
  const record::Facts expected{{"hosts", "2"},
                               {"host0", "a"},
                               {"host0.ranks", "0-2, 4"},
                               {"host0.links", "eth0 10.0.0.1"},
                               {"host1", "b"},
                               {"host1.ranks", "3, 5"},
                               {"host1.cpu", ""}};
  for (const record::Facts& told : Ranks({0, 0, 0, 3, 0, 3}).tell({a, a, a, b, a, b}))
    EXPECT_EQ(told, expected);
}

TEST(Hosts, OfOneNameAreTwoAllTheSame) {
  const record::Facts same{{"name", "localhost"}};
  EXPECT_EQ(Ranks({0, 1}).tell({same, same})[0], (record::Facts{{"hosts", "2"},
                                                                {"host0", "localhost"},
                                                                {"host0.ranks", "0"},
                                                                {"host1", "localhost"},
                                                                {"host1.ranks", "1"}}));
}

TEST(Hosts, AreBoundedAndFitToBeSent) {
  const std::string odd = "\x1b[31m" + std::string(1, '\0') + "x\xff";
  const record::Facts told =
      Ranks({0}).tell({{{"name", odd}, {"links", std::string(100'000, 'x')}}})[0];
  EXPECT_EQ(told.at("host0"), "\\x1b[31m\\x00x\\xff");
  EXPECT_LT(told.at("host0.links").size(), 3000u);
  std::vector<int> first(120);
  for (int i = 0; i < 120; ++i) first[static_cast<std::size_t>(i)] = i;
  const record::Facts many =
      Ranks(first).tell(std::vector<record::Facts>(120, {{"name", "n"}}))[119];
  EXPECT_EQ(many.at("hosts"), "120");
  EXPECT_EQ(many.count("host99"), 1u);
  EXPECT_EQ(many.count("host100"), 0u);
}

TEST(Hosts, HaveWhatIsKnownOfTheirLinks) {
  const fs::path sys = fs::temp_directory_path() / ("hosts-test-" + std::to_string(getpid()));
  const fs::path port = sys / "class/infiniband/mlx5_0/ports/1";
  fs::create_directories(port);
  std::ofstream(port / "rate") << "200 Gb/sec (4X HDR)\n";
  fs::create_directories(sys / "class/net/no-such-interface");
  EXPECT_EQ(links_of_host(sys), "mlx5_0 port 1 at 200 Gb/sec (4X HDR)");
  EXPECT_EQ(links_of_host(sys / "nothing"), "");
  fs::remove_all(sys);
  EXPECT_EQ(links_of_host("/sys").find("lo 127"), std::string::npos);
}

TEST(Hosts, HaveTheirNameAndDevices) {
  device::Facts cpu, gpu;
  cpu.name = "CPU";
  cpu.units = 8;
  gpu.kind = device::Kind::cuda;
  gpu.name = "GPU";
  gpu.uuid = "GPU-1";
  const record::Facts facts = facts_of_host({{gpu, gpu, cpu}, {}});
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  EXPECT_EQ(facts.at("name"), name);
  EXPECT_EQ(facts.at("cpu"), "CPU, 8 cores");
  EXPECT_EQ(facts.at("gpus"), "GPU GPU-1, GPU GPU-1");
}

}  // namespace hosts_test
}  // namespace ridgeline::worker
