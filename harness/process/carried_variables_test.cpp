#include "harness/process/carried_variables.hpp"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "harness/protocol/messages.hpp"

namespace ridgeline::process {
namespace carried_variables_test {

TEST(CarriedVariables, AreOfAFamilyOrNamed) {
  for (const char* name : {"NCCL_NVLS_ENABLE", "NCCL_", "CUDA_VISIBLE_DEVICES", "OMPI_MCA_btl",
                           "UCX_TLS", "OMP_NUM_THREADS", "PATH", "LD_LIBRARY_PATH"})
    EXPECT_TRUE(is_carried(name)) << name;
  for (const char* name : {"", "PATHS", "XNCCL_ALGO", "nccl_algo", "AWS_SECRET_ACCESS_KEY",
                           "SSH_AUTH_SOCK", "RIDGELINE_WEBHOOK_URL", "OMPI_COMM_WORLD_RANK"})
    EXPECT_FALSE(is_carried(name)) << name;
}

TEST(CarriedVariables, OfNamesThatAreNotPlainThereAreNone) {
  for (const char* name : {"NCCL_A,SECRET", "NCCL_A B", "NCCL_A=B", "NCCL_A%%", "NCCL_\xc3\xa4"})
    EXPECT_FALSE(is_carried(name)) << name;
}

TEST(CarriedVariables, AreThoseOfThisProcessAndTheToken) {
  setenv("NCCL_NVLS_ENABLE", "0", 1);
  setenv("NCCL_A,SECRET", "1", 1);
  setenv("SECRET", "1", 1);
  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  unsetenv("UCX_TLS");
  const std::vector<std::string> carried = carried_variables();
  const auto has = [&](const char* name) { return std::ranges::count(carried, name); };
  EXPECT_EQ(has("NCCL_NVLS_ENABLE"), 1);
  EXPECT_EQ(has("LC_ALL"), 1) << "which every child has";
  EXPECT_EQ(has(protocol::token_variable), 1);
  EXPECT_EQ(has("SECRET") + has("NCCL_A,SECRET") + has("UCX_TLS"), 0);
  EXPECT_EQ(has("CUDA_LAUNCH_BLOCKING"), 0) << "which no child has";
  for (const char* name : {"NCCL_NVLS_ENABLE", "NCCL_A,SECRET", "SECRET", "CUDA_LAUNCH_BLOCKING"})
    unsetenv(name);
}

}  // namespace carried_variables_test
}  // namespace ridgeline::process
