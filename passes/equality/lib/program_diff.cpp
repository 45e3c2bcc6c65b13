#include "program_diff.h"

namespace ccgraph::equality {
namespace {

constexpr int64_t mostSteps = 256;

class ProgramDiff {
public:
  ProgramDiff(llvm::ArrayRef<Node *> a, llvm::ArrayRef<Node *> b)
      : a_(a), b_(b), sizeOfA_(static_cast<int64_t>(a.size())), sizeOfB_(static_cast<int64_t>(b.size())) {}

  std::optional<std::vector<Node *>> run() {
    std::vector<int64_t> reached(static_cast<size_t>(2 * mostSteps + 3), 0);
    for (int64_t steps = 0; steps <= mostSteps; ++steps) {
      reached_.push_back(reached);
      for (int64_t diagonal = -steps; diagonal <= steps; diagonal += 2) {
        int64_t x = startOn(reached, diagonal, steps);
        x += lengthOfSnake(x, x - diagonal);
        at(reached, diagonal) = x;
        if (diagonal == sizeOfA_ - sizeOfB_ && x >= sizeOfA_)
          return pairsBack(steps);
      }
    }
    return std::nullopt;
  }

private:
  /// `x` counts the nodes of `a`, `x - diagonal` those of `b`.
  static int64_t &at(std::vector<int64_t> &reached, int64_t diagonal) {
    return reached[static_cast<size_t>(diagonal + mostSteps + 1)];
  }
  static bool comesFromInsertion(std::vector<int64_t> &reached, int64_t diagonal, int64_t steps) {
    return diagonal == -steps || (diagonal != steps && at(reached, diagonal - 1) < at(reached, diagonal + 1));
  }
  static int64_t startOn(std::vector<int64_t> &reached, int64_t diagonal, int64_t steps) {
    if (steps == 0)
      return 0;
    return comesFromInsertion(reached, diagonal, steps) ? at(reached, diagonal + 1) : at(reached, diagonal - 1) + 1;
  }
  [[nodiscard]] int64_t lengthOfSnake(int64_t x, int64_t y) const {
    int64_t length = 0;
    while (x + length < sizeOfA_ && y + length < sizeOfB_ && y + length >= 0 &&
           haveSameTarget(*a_[static_cast<size_t>(x + length)], *b_[static_cast<size_t>(y + length)]))
      ++length;
    return length;
  }

  /// Walks back over the steps, and pairs the nodes of each snake.
  std::vector<Node *> pairsBack(int64_t steps) {
    std::vector<Node *> pairs(a_.size(), nullptr);
    int64_t x = sizeOfA_, y = sizeOfB_;
    for (; steps >= 0; --steps) {
      std::vector<int64_t> &reached = reached_[static_cast<size_t>(steps)];
      const int64_t diagonal = x - y, start = startOn(reached, diagonal, steps);
      for (; x > start; --x, --y)
        pairs[static_cast<size_t>(x - 1)] = b_[static_cast<size_t>(y - 1)];
      if (steps != 0)
        comesFromInsertion(reached, diagonal, steps) ? --y : --x;
    }
    return pairs;
  }

  llvm::ArrayRef<Node *> a_, b_;
  int64_t sizeOfA_, sizeOfB_;
  /// by number of steps: how far each diagonal was reached before
  std::vector<std::vector<int64_t>> reached_;
};

} // namespace

bool haveSameTarget(const Node &a, const Node &b) {
  return a.opcode() == b.opcode() && (a.opcode() != Opcode::CallFunction || a.target().str() == b.target().str());
}

std::optional<std::vector<Node *>> commonNodes(llvm::ArrayRef<Node *> a, llvm::ArrayRef<Node *> b) {
  return ProgramDiff(a, b).run();
}

} // namespace ccgraph::equality
