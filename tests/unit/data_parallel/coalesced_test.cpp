// Tests broadcastCoalesced of the tracer against the records of PyTorch's `_broadcast_coalesced`.
#include "records.h"

#include "ccgraph/ir/graph.h"
#include "ccgraph/tracer/data_parallel.h"
#include "ccgraph/tracer/trace.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using namespace tracer;
using llvm::cantFail;

/// Returns the tensors of a record as the inputs "t0", "t1", ... of a trace.
std::vector<Tensor> inputsOf(Trace &trace, const Json &record) {
  std::vector<Tensor> inputs;
  for (const Json &tensor : record["tensors"]) {
    TensorSpec spec{*parseTorchDType(tensor["dtype"].get<std::string>()), tensor["shape"].get<std::vector<int64_t>>()};
    if (tensor.value("transposed", false))
      spec.strides = {1, spec.sizes[0]};
    inputs.push_back(trace.input("t" + std::to_string(inputs.size()), spec));
  }
  return inputs;
}

/// The number of the input that a piece of a flat buffer has the elements of.
size_t inputNumber(const Node *piece) {
  while (piece->opcode() != Opcode::Placeholder)
    piece = piece->operand(0U);
  return std::stoul(piece->name().str().drop_front(1).str());
}

/// One broadcast of a graph: the inputs in its buffer, the dtype and elements of the buffer, and its source.
Json describe(const Node &broadcast) {
  const Node *buffer = broadcast.operand(0U);
  std::vector<size_t> members;
  if (buffer->target().str().startswith("aten.cat"))
    for (const Node *piece : buffer->dataOperands())
      members.push_back(inputNumber(piece));
  else
    members.push_back(inputNumber(buffer));
  const Type *type = buffer->type();
  return {members, torchName(type->dtype()).str(), *type->numElements(), broadcast.args()[1].integer()};
}

Json broadcastsOf(const Graph &graph) {
  Json all = Json::array();
  for (const Node *node : graph)
    if (node->target().str().startswith("_c10d_functional.broadcast"))
      all.push_back(describe(*node));
  return all;
}

/// The broadcasts of a record, without the tensors and buffers that have no elements, which PyTorch sends too.
Json expectedOf(const Json &record) {
  Json all = Json::array();
  for (size_t i = 0; i != record["buckets"].size(); ++i) {
    std::vector<size_t> members;
    for (size_t member : record["buckets"][i]) {
      std::vector<int64_t> shape = record["tensors"][member]["shape"];
      if (std::find(shape.begin(), shape.end(), 0) == shape.end())
        members.push_back(member);
    }
    if (!members.empty())
      all.push_back({members, record["flat"][i][0], record["flat"][i][1], record["root"]});
  }
  return all;
}

TEST(BroadcastCoalescedRecords, BucketsAndSourcesOfTheTracer) {
  std::vector<Json> records = readRecordLines("broadcast_coalesced/cases.jsonl");
  ASSERT_GE(records.size(), 50U);
  for (const Json &record : records) {
    if (!record.contains("buckets"))
      continue;
    Context context;
    Trace trace = cantFail(Trace::begin(context, {.worldSize = 2}));
    TensorList sent = broadcastCoalesced(inputsOf(trace, record), "0", record["root"].get<int64_t>(),
                                         record["buffer_size"].get<uint64_t>());
    auto graph = cantFail(trace.finish(sent.tensors()));
    EXPECT_EQ(broadcastsOf(*graph), expectedOf(record)) << record["id"];
  }
}

} // namespace
} // namespace ccgraph::test
