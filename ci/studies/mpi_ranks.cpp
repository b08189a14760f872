// One rank of collectives on host memory with nothing but MPI, started by mpirun: see
// ci/studies/same_collectives.
//
// Takes a file that it does not need, and words OPERATION,BYTES,SETS: the largest buffer of a rank,
// of f32, and how many sets of buffers calls take in turns. Rank 0 prints a JSON line per word:
// operation, bytes, and ns per call.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <mpi.h>
#include <sys/mman.h>

namespace {

constexpr int calls = 16;  // in a row, as a pipelined case of Ridgeline has it
constexpr int warm_rows = 3, rows = 15;
constexpr std::size_t huge_page = 2u << 20;

/// As Ridgeline allocates them: large ones of huge pages. Never freed.
float* floats(int count, float value) {
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
  const std::size_t unit = bytes >= 2 * huge_page ? huge_page : 256;
  const std::size_t rounded = (bytes + unit - 1) / unit * unit;
  auto* const memory = static_cast<float*>(std::aligned_alloc(unit, rounded));
  if (memory == nullptr) MPI_Abort(MPI_COMM_WORLD, 1);
  if (unit == huge_page) madvise(memory, rounded, MADV_HUGEPAGE);
  std::fill_n(memory, count, value);
  return memory;
}

struct Buffers {
  float *send, *receive;
};

void call(const std::string& operation, int count, int part, const Buffers& of) {
  const auto world = MPI_COMM_WORLD;
  const auto type = MPI_FLOAT;
  if (operation == "all_reduce")
    MPI_Allreduce(of.send, of.receive, count, type, MPI_SUM, world);
  else if (operation == "broadcast")
    MPI_Bcast(of.send, count, type, 0, world);
  else if (operation == "all_gather")
    MPI_Allgather(of.send, part, type, of.receive, part, type, world);
  else if (operation == "reduce_scatter")
    MPI_Reduce_scatter_block(of.send, of.receive, part, type, MPI_SUM, world);
  else if (operation == "all_to_all")
    MPI_Alltoall(of.send, part, type, of.receive, part, type, world);
  else
    MPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace

int main(int argument_count, char** arguments) {
  int provided = 0, ranks = 1, rank = 0;
  MPI_Init_thread(&argument_count, &arguments, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 2; i < argument_count; ++i) {
    const std::string word = arguments[i];
    const std::size_t first = word.find(','), second = word.find(',', first + 1);
    const std::string operation = word.substr(0, first);
    const long bytes = std::stol(word.substr(first + 1));
    const int sets = std::stoi(word.substr(second + 1));
    const int count = static_cast<int>(bytes / static_cast<long>(sizeof(float)));
    const int part = count / ranks;
    const bool sends_part = operation == "all_gather",
               receives_part = operation == "reduce_scatter";
    std::vector<Buffers> buffers(static_cast<std::size_t>(sets));
    for (Buffers& of : buffers) {
      of.send = floats(sends_part ? part : count, static_cast<float>(rank + 1));
      of.receive = operation == "broadcast" ? of.send : floats(receives_part ? part : count, 0);
    }
    std::size_t next = 0;
    const auto row_s = [&] {  // of the slowest rank
      MPI_Barrier(MPI_COMM_WORLD);
      const double begun = MPI_Wtime();
      for (int done = 0; done < calls; ++done)
        call(operation, count, part, buffers[next++ % buffers.size()]);
      double mine = MPI_Wtime() - begun, slowest = 0;
      MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      return slowest;
    };
    for (int row = 0; row < warm_rows; ++row) row_s();
    std::vector<double> times(rows);
    std::generate(times.begin(), times.end(), row_s);
    std::nth_element(times.begin(), times.begin() + rows / 2, times.end());
    if (rank == 0) {
      std::printf("{\"op\": \"%s\", \"bytes\": %ld, \"ns\": %.1f}\n", operation.c_str(), bytes,
                  times[rows / 2] / calls * 1e9);
      std::fflush(stdout);
    }
    for (Buffers& of : buffers) {
      if (of.receive != of.send) std::free(of.receive);
      std::free(of.send);
    }
  }
  MPI_Finalize();
}
