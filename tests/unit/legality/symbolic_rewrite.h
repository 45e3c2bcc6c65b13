// SymbolicRewrite: a fixture that makes pieces of a program with symbolic sizes, for the legality checker.
//
// Ownership: owns the program and the certificate. Failure: a node that does not exist ends the test. Cost: none.
#pragma once

#include "support/rewrites.h"

#include <gtest/gtest.h>

#include <vector>

namespace ccgraph::test {

class SymbolicRewrite : public testing::Test {
protected:
  /// Makes a call before the node named by load(), with the type that PyTorch would give it.
  Node *make(const char *target, std::vector<Actual> arguments, const Type *type = nullptr) {
    GraphBuilder at(bench_.graph(), bench_[end_]);
    at.assumeTypes();
    built_.push_back(at.call(target, std::move(arguments), type));
    return built_.back();
  }
  Node *wait(Node *launch) { return make("_c10d_functional.wait_tensor.default", {launch}); }
  /// Loads a program. New nodes are made before its node `end`.
  void load(const char *end, llvm::StringRef inputs, llvm::StringRef lines) {
    end_ = end;
    bench_.certificate = {};
    built_.clear();
    bench_.load(inputs, lines);
  }

  RewriteBench bench_;
  std::vector<Node *> built_;

private:
  const char *end_ = "";
};

} // namespace ccgraph::test
