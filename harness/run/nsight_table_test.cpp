#include "harness/run/nsight_table.hpp"

#include <map>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::run {
namespace nsight_table_test {

constexpr const char* columns =
    R"("ID","Process ID","thread Domain:Push/Pop_Range:Msg","Kernel Name","dram__bytes_read.sum",)"
    R"("dram__bytes_write.sum","lts__t_sectors_srcunit_tex.sum",)"
    R"("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",)"
    R"("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",)"
    R"("sm__ops_path_tensor_src_fp16.sum","sm__inst_executed.sum",)"
    R"("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")"
    "\n"
    R"("","","","","byte","byte","sector","inst","inst","","inst","")"
    "\n";

std::string table(const std::string& rows) {
  return "==PROF== Connected to process 7\ngemm/a on cuda:0: right, error 1, tolerance 2\n" +
         std::string(columns) + rows;
}

std::string row(const std::string& range, const std::string& dram_read) {
  return R"("0","7","7  ""<default domain>:)" + range + R"(:none"" ","k<float>",")" + dram_read +
         R"(","1,000","4","2,000,000","10","512","30","40")"
         "\n";
}

std::map<std::string, double> values(const std::string& text) {
  std::map<std::string, double> found;
  for (const record::Metric& metric : hardware_metrics(text, "gemm/a")) {
    EXPECT_EQ(metric.direction, record::Direction::none);
    found[metric.name] = metric.value;
  }
  return found;
}

TEST(NsightTable, SumsTheKernelsOfTheCaseAlone) {
  const std::map<std::string, double> expected{{"hardware_dram_read_bytes", 144672768 + 232},
                                               {"hardware_dram_written_bytes", 2000},
                                               {"hardware_l2_bytes", 8 * 32},
                                               {"hardware_flops", 2 * (2 * 2e6 + 10)},
                                               {"hardware_tensor_flops", 1024},
                                               {"hardware_warp_instructions", 60},
                                               {"hardware_shared_wavefronts", 80}};
  EXPECT_EQ(values(table(row("gemm/a", "144,672,768") + row("other", "5") + row("gemm/a", "232") +
                         "==PROF== Disconnected from process 7\n")),
            expected);
}

TEST(NsightTable, AsksForEveryCounterThatItReads) {
  const std::string names = counters_asked_for();
  for (const char* name : {"dram__bytes_read.sum", "sm__ops_path_tensor_src_fp16.sum,",
                           ",l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"})
    EXPECT_NE(names.find(name), std::string::npos) << name;
}

TEST(NsightTable, IsRefusedWhenItSaysNothingOfTheCase) {
  for (const std::string& text :
       {std::string(), std::string("==ERROR== ERR_NVGPUCTRPERM\n"), table(""),
        table(row("gemm/b", "1")), std::string("\"ID\"\n\"0\"\n"), std::string("\"ID\",\""),
        table("\"0\",\"7\"\n"), table(row("gemm/a", "n/a")), table(row("gemm/a", "-1")),
        table(row("gemm/a", "nan")), table(row("gemm/a", "")), table("\"0\",\"7")})
    EXPECT_THROW(hardware_metrics(text, "gemm/a"), Error) << text;
}

TEST(NsightTable, IsRefusedWithoutACounter) {
  std::string text = table(row("gemm/a", "1"));
  text.replace(text.find("dram__bytes_write.sum"), 21, "another");
  EXPECT_THROW(hardware_metrics(text, "gemm/a"), Error);
}

}  // namespace nsight_table_test
}  // namespace ridgeline::run
