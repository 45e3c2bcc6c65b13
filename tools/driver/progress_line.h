// ProgressLine: what a run is about, on a terminal, while it takes long.
//
//   { ProgressLine line(streams.err, "passes"); ... }     "passes, 3 s", from the first second on, gone at the end
//
// One line, written anew each second and erased when the object goes. The cursor stays at its first column, so that what is
// printed meanwhile stands on a line of its own. Nothing is written to a pipe, a file, a text of a test, or where TERM says
// dumb; and nothing in the first second.
//
// Ownership: borrows the stream, which must outlive it. Failure: none. Cost: on a terminal one thread that sleeps, else none.
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
  std::thread teller_; ///< last, because it uses all of these
};

/// What `work` gives, with such a line while it runs.
template <typename Work>
auto duringLine(llvm::raw_ostream &os, std::string what, Work work) {
  ProgressLine line(os, std::move(what));
  return work();
}

} // namespace ccgraph::driver
