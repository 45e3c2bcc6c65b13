// ProgressLine shows on a terminal what a long run is doing.
//
//   { ProgressLine line(streams.err, "passes"); ... }     "passes, 3 s", from the first second on, gone at the end
//
// The line is rewritten each second and erased when the object is destroyed. The cursor stays in the first column, so
// output that is printed meanwhile has a line of its own. Nothing is written in the first second, to a pipe or a file,
// in tests, or if TERM is dumb.
//
// Ownership: borrows the stream, which must outlive it. Failure: none. Cost: one thread that sleeps on a terminal, else
// none.
#pragma once

#include "llvm/Support/raw_ostream.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace ccgraph::driver {

class ProgressLine {
public:
  ProgressLine(llvm::raw_ostream &os, std::string what);
  ~ProgressLine();
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

private:
  void tell();

  llvm::raw_ostream &os_;
  std::string what_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool isOver_ = false;
  std::thread teller_; ///< declared last, because it uses all of these
};

/// Returns the result of `work`, and shows such a line while it runs.
template <typename Work>
auto duringLine(llvm::raw_ostream &os, std::string what, Work work) {
  ProgressLine line(os, std::move(what));
  return work();
}

} // namespace ccgraph::driver
