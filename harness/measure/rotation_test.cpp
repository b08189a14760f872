#include <algorithm>
#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "harness/device/fake/fake_device.hpp"
#include "harness/measure/batches.hpp"

namespace ridgeline::measure {
namespace rotation_test {

/// A rotation whose executions are noted down.
struct Noted {
  Noted(Sets sets, device::Launch launch, Cache cache) {
    workload.sets = sets;
    workload.launch = [this](Turn turn, device::Stream&) { turns.push_back(turn); };
    workload.poison = [](std::size_t) {};
    rotation.emplace(device, workload, launch, cache);
  }
  void run(std::size_t samples) {
    for (std::size_t i = 0; i < samples; ++i) rotation->run_ns();
  }

  device::FakeDevice device;
  Workload workload;
  std::vector<Turn> turns;
  std::optional<Rotation> rotation;
};

TEST(Rotation, EverySampleExecutesEquallyOftenAndNoInputsComeAgainEarly) {
  const struct {
    Sets sets;
    std::int64_t wanted, executions;
  } rows[] = {{{1, 1}, 1, 1},   {{1, 1}, 7, 7}, {{2, 1}, 1, 1},           {{2, 1}, 7, 8},
              {{4, 4}, 1, 1},   {{4, 4}, 3, 4}, {{4, 4}, 4, 4},           {{4, 4}, 5, 8},
              {{12, 12}, 5, 6}, {{7, 7}, 3, 7}, {{4096, 4096}, 200, 256}, {{3072, 3072}, 100, 128}};
  for (const auto& row : rows) {
    const std::size_t sets = row.sets.inputs;
    Noted noted(row.sets, device::Launch::graph, Cache::cold);
    noted.rotation->set_executions(row.wanted);
    EXPECT_EQ(noted.rotation->executions(), row.executions)
        << sets << " sets, wanted " << row.wanted;
    const std::size_t samples = 4 * std::max<std::size_t>(sets, 3);
    noted.run(samples);
    const std::vector<Turn>& turns = noted.turns;
    ASSERT_EQ(turns.size(), samples * static_cast<std::size_t>(row.executions));
    // Only inputs of a single output come at once again, and only from one sample to the next.
    for (std::size_t i = 0; i < turns.size(); ++i) {
      ASSERT_LT(turns[i].output, row.sets.outputs);
      if (row.sets.outputs > 1) {
        ASSERT_EQ(turns[i].inputs, i % sets);
      } else if (i % static_cast<std::size_t>(row.executions) > 0 && sets > 1) {
        ASSERT_NE(turns[i].inputs, turns[i - 1].inputs);
      }
    }
  }
}

TEST(Rotation, FromRoundToRoundEachOutputBelongsToOtherInputs) {
  for (const Sets sets : {Sets{2, 1}, Sets{2, 2}, Sets{3, 3}, Sets{8, 8}}) {
    for (const Cache cache : {Cache::cold, Cache::hot}) {
      for (const std::int64_t executions : {1, 2, 4, 6, 16}) {
        if (cache == Cache::hot && sets.outputs > 1) continue;
        Noted noted(sets, device::Launch::graph, cache);
        noted.rotation->set_executions(executions);
        std::map<std::size_t, std::size_t> before;
        for (int round = 0; round < 5; ++round) {
          noted.run(noted.rotation->batches_of_round());
          std::map<std::size_t, std::size_t> now;
          for (const Turn& left : noted.rotation->left()) now[left.output] = left.inputs;
          EXPECT_EQ(now.size(), sets.outputs);
          for (const auto& [output, inputs] : before) EXPECT_NE(now.at(output), inputs);
          before = now;
        }
      }
    }
  }
}

TEST(Rotation, NoOutputComesAgainBeforeHalfOfTheOthers) {
  for (const std::size_t sets : {2u, 3u, 4u, 12u, 64u}) {
    Noted noted({sets, sets}, device::Launch::graph, Cache::cold);
    noted.rotation->set_executions(1);
    noted.run(6 * sets);
    std::map<std::size_t, std::size_t> last;
    for (std::size_t i = 0; i < noted.turns.size(); ++i) {
      const auto [old, first] = last.try_emplace(noted.turns[i].output, i);
      if (!first) {
        EXPECT_GE(i - old->second, sets / 2);
      }
      old->second = i;
    }
    EXPECT_EQ(last.size(), sets);
  }
}

TEST(Rotation, AHotSampleStaysWithOneSetAndTheNextTakesTheNext) {
  Noted noted({2, 1}, device::Launch::graph, Cache::hot);
  noted.rotation->set_executions(3);
  noted.run(3);
  std::vector<std::size_t> inputs;
  for (const Turn& turn : noted.turns) inputs.push_back(turn.inputs);
  EXPECT_EQ(inputs, (std::vector<std::size_t>{0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0}))
      << "once to fill the caches, and three times timed";
}

TEST(Rotation, ASingleLaunchIsOneExecutionOnEachSetInTurn) {
  Noted noted({3, 3}, device::Launch::single, Cache::cold);
  noted.rotation->set_executions(100);
  EXPECT_EQ(noted.rotation->executions(), 1);
  noted.run(4);
  EXPECT_EQ(noted.turns, (std::vector<Turn>{{0, 0}, {1, 1}, {2, 2}, {0, 1}}));
}

TEST(Rotation, WritesAllThatIsLeftAgainAndNothingElse) {
  for (const Sets sets : {Sets{2, 1}, Sets{2, 2}, Sets{3, 3}, Sets{8, 8}, Sets{400, 400}}) {
    for (const std::int64_t executions : {1, 2, 4, 16}) {
      for (const std::size_t samples : {1u, 2u, 5u, 9u, 30u}) {
        Noted noted(sets, device::Launch::graph, Cache::cold);
        noted.rotation->set_executions(executions);
        noted.run(samples);
        const std::vector<Turn> before = noted.rotation->left();
        const std::vector<std::size_t> batches = noted.rotation->overwriting(before);
        EXPECT_LE(batches.size(), samples + 1);  // what is left may begin within a batch
        noted.turns.clear();
        for (const std::size_t batch : batches) {
          noted.rotation->go_to(batch);
          noted.run(1);
        }
        for (const Turn& left : before)
          EXPECT_TRUE(std::ranges::any_of(noted.turns, [&](const Turn& turn) {
            return turn.output == left.output && turn.inputs != left.inputs;
          }));
      }
    }
  }
}

TEST(Rotation, WritesSomeThatIsLeftAgainFromTheInputsThatItSaysAndLittleElse) {
  for (const Sets sets : {Sets{2, 1}, Sets{2, 2}, Sets{3, 3}, Sets{8, 8}, Sets{400, 400}}) {
    for (const std::int64_t executions : {1, 2, 4, 16}) {
      for (const std::size_t samples : {1u, 2u, 5u, 9u, 30u, 900u}) {
        Noted noted(sets, device::Launch::graph, Cache::cold);
        noted.rotation->set_executions(executions);
        noted.run(samples);
        const std::vector<Turn> left = noted.rotation->left();
        for (const Turn& one : {left.front(), left.back(), left[left.size() / 2]}) {
          const Turn other = noted.rotation->other(one);
          EXPECT_EQ(other.output, one.output);
          EXPECT_NE(other.inputs, one.inputs);
          const std::vector<std::size_t> batches = noted.rotation->overwriting({one});
          ASSERT_EQ(batches.size(), 1u);
          noted.turns.clear();
          noted.rotation->go_to(batches[0]);
          noted.run(1);
          EXPECT_EQ(noted.turns.size(), static_cast<std::size_t>(noted.rotation->executions()));
          if (sets.outputs > 1 || executions == 1) {
            EXPECT_NE(std::ranges::find(noted.turns, other), noted.turns.end());
          }
        }
      }
    }
  }
}

TEST(Rotation, KnowsWhatEachOutputHolds) {
  for (const Sets sets : {Sets{1, 1}, Sets{2, 1}, Sets{2, 2}, Sets{3, 3}, Sets{8, 8}}) {
    for (const Cache cache : {Cache::cold, Cache::hot}) {
      for (const std::int64_t executions : {1, 2, 4, 6, 16}) {
        if (cache == Cache::hot && sets.outputs > 1) continue;
        Noted noted(sets, device::Launch::graph, cache);
        noted.rotation->set_executions(executions);
        EXPECT_TRUE(noted.rotation->left().empty());
        for (int sample = 0; sample < 30; ++sample) {
          noted.run(1);
          std::map<std::size_t, std::size_t> holds;
          for (const Turn& turn : noted.turns) holds[turn.output] = turn.inputs;
          const std::vector<Turn> left = noted.rotation->left();
          ASSERT_EQ(left.size(), holds.size());
          EXPECT_EQ(left.back(), noted.turns.back());
          for (const Turn& each : left) EXPECT_EQ(holds.at(each.output), each.inputs);
        }
        noted.rotation->forget();
        EXPECT_TRUE(noted.rotation->left().empty());
      }
    }
  }
}

TEST(Rotation, ASampleIsWhatTheWorkloadSays) {
  Noted noted({2, 1}, device::Launch::graph, Cache::cold);
  const double whole = noted.rotation->run_ns();
  double told = 0;
  noted.workload.sample_ns = [&] { return told = static_cast<double>(noted.turns.size()); };
  EXPECT_EQ(noted.rotation->run_ns(), 2) << "asked after the launches of the sample";
  EXPECT_EQ(told, 2);
  EXPECT_NE(whole, told);
}

}  // namespace rotation_test
}  // namespace ridgeline::measure
