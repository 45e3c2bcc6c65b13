// Tests what threads get that share one context.
#include "ccgraph/ir/context.h"

#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/type.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

namespace ccgraph::test {
namespace {

constexpr size_t numThreads = 4;
constexpr int64_t numTexts = 2000;

/// The addresses of names, expressions, types and operators that one thread gets.
using Addresses = std::vector<const void *>;

Addresses addressesIn(Context &context) {
  Addresses all;
  const Device device{context.identifier("cpu"), -1};
  for (int64_t i = 0; i < numTexts; ++i) {
    const std::string text = "s" + std::to_string(i);
    all.push_back(context.identifier(text).key());
    all.push_back(context.symbolic(text + "+1"));
    all.push_back(context.contiguousTensor(DType::F32, {Dim(context.symbolic(text)), Dim(i)}, device));
    all.push_back(context.list({context.tensor(DType::I64, {{Dim(i)}, {Dim(1)}}, device)}));
    all.push_back(context.ops().lookup("mine." + text + ".default"));
  }
  return all;
}

TEST(SharedContext, GivesAllThreadsTheSameObjects) {
  Context context;
  std::array<Addresses, numThreads> found;
  {
    const Context::Sharing sharing(context);
    std::vector<std::thread> threads;
    for (Addresses &of : found)
      threads.emplace_back([&] { of = addressesIn(context); });
    for (std::thread &thread : threads)
      thread.join();
  }
  const Addresses later = addressesIn(context);
  for (const Addresses &of : found)
    EXPECT_TRUE(of == later) << "a thread got other addresses than those of the context";
}

} // namespace
} // namespace ccgraph::test
