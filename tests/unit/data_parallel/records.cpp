#include "records.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/safetensors.h"
#include "support/rank_program.h"

#include "llvm/Support/FileSystem.h"

#include <cmath>
#include <cstdlib>

namespace ccgraph::test {

std::string recordPath(llvm::StringRef file) {
  const char *folder = std::getenv("CCGRAPH_DDP_RECORDS");
  return (folder ? std::string(folder) : std::string(CCGRAPH_TEST_DATA "/ddp")) + "/" + file.str();
}

bool hasRecord(llvm::StringRef file) { return llvm::sys::fs::exists(recordPath(file)); }

Json readRecord(llvm::StringRef file) {
  InputFile input = llvm::cantFail(InputFile::open(recordPath(file)));
  return Json::parse(input.text().begin(), input.text().end());
}

std::vector<Json> readRecordLines(llvm::StringRef file) {
  InputFile input = llvm::cantFail(InputFile::open(recordPath(file)));
  std::vector<Json> values;
  for (llvm::StringRef rest = input.text(); !rest.empty();) {
    auto [line, tail] = rest.split('\n');
    if (!line.trim().empty())
      values.push_back(Json::parse(line.begin(), line.end()));
    rest = tail;
  }
  return values;
}

TensorMap readTensors(llvm::StringRef file) {
  InputFile input = llvm::cantFail(InputFile::open(recordPath(file)));
  return llvm::cantFail(readSafetensors(input.source()));
}

double largestDifference(const HostTensor &a, const HostTensor &b) {
  std::vector<double> left = numbersOf(a), right = numbersOf(b);
  if (left.size() != right.size())
    return INFINITY;
  double largest = 0;
  for (size_t i = 0; i != left.size(); ++i) {
    if (std::isnan(left[i]) != std::isnan(right[i]))
      return INFINITY;
    if (!std::isnan(left[i]))
      largest = std::max(largest, std::abs(left[i] - right[i]));
  }
  return largest;
}

} // namespace ccgraph::test
