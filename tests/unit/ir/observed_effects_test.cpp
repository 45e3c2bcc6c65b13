// Compares the operator table with PyTorch's observed behavior: tests/data/operators/observed-effects.tsv, which
// tests/torch/observe_effects.py writes. The table may state more effects than were observed, never fewer.
#include "ccgraph/ir/context.h"
#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

/// Returns the access that the table must state for this observation; empty for effects that no pass and no oracle
/// reads (gradients and flags).
std::optional<Access> claimFor(llvm::StringRef word) {
  return llvm::StringSwitch<std::optional<Access>>(word)
      .Case("reshaped", Access::Reshape)
      .Case("written", Access::Write)
      .Case("shared", Access::Alias)
      .Default(std::nullopt);
}

bool claims(const OpDef &op, llvm::StringRef param, llvm::StringRef word) {
  if (op.domain == Domain::All)
    return true;
  if (word == "random")
    return op.domain == Domain::Rng;
  std::optional<Access> claim = claimFor(word);
  int index = op.paramIndex(param);
  return !claim || (index >= 0 && hasAny(op.params[index].access, *claim));
}

TEST(ObservedEffects, TheTableClaimsWhatPyTorchDoes) {
  auto file = llvm::MemoryBuffer::getFile(CCGRAPH_TEST_DATA "/operators/observed-effects.tsv");
  ASSERT_TRUE(file) << "tests/torch/observe_effects.py writes it";
  Context context;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  (*file)->getBuffer().split(lines, '\n', -1, false);
  EXPECT_GT(lines.size(), 1000U);
  for (llvm::StringRef line : lines) {
    llvm::SmallVector<llvm::StringRef, 3> fields;
    line.split(fields, '\t');
    if (line.startswith("#") || fields.size() != 3 || fields[2] == "nothing")
      continue;
    llvm::StringRef key = fields[0];
    bool named = key.count('.') > 1;
    const OpDef &op = *context.ops().lookup(named ? key.str() : (key + ".default").str());
    EXPECT_TRUE(claims(op, fields[1], fields[2])) << line.str();
  }
}

} // namespace
} // namespace ccgraph
