#include "driver/progress_line.h"

#include <cstdlib>
#include <string_view>

namespace ccgraph::driver {
namespace {

constexpr const char *eraseLine = "\r\033[K";

/// The line needs control characters, which the tool's other streams remove.
llvm::raw_ostream &terminal() { return llvm::errs(); }

bool isForPeople(llvm::raw_ostream &os) {
  const char *terminal = std::getenv("TERM");
  return os.is_displayed() && terminal && std::string_view(terminal) != "dumb";
}

} // namespace

ProgressLine::ProgressLine(llvm::raw_ostream &os, std::string what) : os_(os), what_(std::move(what)) {
  if (isForPeople(os))
    teller_ = std::thread([this] { tell(); });
}

ProgressLine::~ProgressLine() {
  if (!teller_.joinable())
    return;
  {
    std::lock_guard lock(mutex_);
    isOver_ = true;
  }
  ended_.notify_one();
  teller_.join();
}

void ProgressLine::tell() {
  std::unique_lock lock(mutex_);
  size_t seconds = 0;
  while (!ended_.wait_for(lock, std::chrono::seconds(1), [this] { return isOver_; })) {
    terminal() << eraseLine << what_ << ", " << ++seconds << " s\r";
  }
  if (seconds > 0)
    terminal() << eraseLine;
}

} // namespace ccgraph::driver
