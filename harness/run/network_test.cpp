#include "harness/run/network.hpp"

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "harness/store/temporary_folder.hpp"

namespace ridgeline::run {
namespace network_test {

class Network : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = folder.path() / "class" / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void write_device(const std::string& interface, const std::string& speed) const {
    write("net/" + interface + "/speed", speed);
    write("net/" + interface + "/device/vendor", "0x15b3\n");
  }
  store::TemporaryFolder folder;
};

TEST_F(Network, IsWhatInterfacesSayOfTheirLinks) {
  write_device("eth1", "25000\n");
  write_device("eth0", "2500\n");
  write("infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)\n");
  write("infiniband/mlx5_0/ports/2/rate", "12.5 Gb/sec\n");
  EXPECT_EQ(network_links(folder.path()),
            "eth0 2.5 Gbit/s, eth1 25 Gbit/s, mlx5_0:1 400 Gbit/s, mlx5_0:2 12.5 Gbit/s");
}

TEST_F(Network, LeavesOutInterfacesThatDoNotSay) {
  EXPECT_EQ(network_links(folder.path()), "");
  write("net/lo/mtu", "65536\n");
  write_device("eth1", "-1\n");
  write("net/veth3f/speed", "10000\n");  // virtual
  write_device("eth0", "");
  write("net/bonding_masters", "");
  write("infiniband/mlx5_0/ports/1/rate", "fast\n");
  write("infiniband/mlx5_0/ports/2/rate", "100 of something\n");
  EXPECT_EQ(network_links(folder.path()), "");
}

TEST_F(Network, IsBounded) {
  for (int i = 0; i < 100; ++i) write_device("eth" + std::to_string(i), "1000\n");
  const std::string text = network_links(folder.path());
  EXPECT_EQ(std::ranges::count(text, ','), 15);
}

}  // namespace network_test
}  // namespace ridgeline::run
