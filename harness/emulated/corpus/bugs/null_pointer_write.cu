// bug: null pointer
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

struct Node {
  int value;
  Node* next;
};
__global__ void null_pointer_write(Node* node) { node->next->value = 1; }

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const device::Buffer<Node> node(device, std::vector<Node>(1, Node{0, nullptr}));
  run(device, {.block = dim3(1)}, null_pointer_write, node.data());
}
