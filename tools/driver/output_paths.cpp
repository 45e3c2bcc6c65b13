#include "driver/output_paths.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace fs = llvm::sys::fs;

namespace ccgraph::driver {
namespace {

/// Returns the canonical folder of the path, and the name in it.
llvm::SmallString<256> placeOf(llvm::StringRef path) {
  llvm::SmallString<256> absolute(path);
  llvm::SmallString<256> place;
  if (fs::make_absolute(absolute) || fs::real_path(llvm::sys::path::parent_path(absolute), place))
    return absolute;
  llvm::sys::path::append(place, llvm::sys::path::filename(absolute));
  return place;
}

/// Returns true for a device or a pipe, which can be written any number of times.
bool isStream(llvm::StringRef path) {
  fs::file_status status;
  return !fs::status(path, status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

bool areOneFile(llvm::StringRef a, llvm::StringRef b) {
  if (a.empty() || b.empty())
    return false;
  if (a == "-" || b == "-")
    return a == b;
  if (isStream(a))
    return false;
  bool same = false;
  if (!fs::equivalent(a, b, same))
    return same;
  return placeOf(a) == placeOf(b);
}

llvm::Error refuse(const NamedPath &output, const NamedPath &other, llvm::StringRef does) {
  llvm::StringRef path = output.path == "-" ? llvm::StringRef("standard output") : llvm::StringRef(output.path);
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 llvm::Twine(output.flag) + ": got " + path + ", which " + other.flag + " " + does +
                                     ", expected a file of its own\n  note: give " + output.flag + " another name");
}

} // namespace

llvm::Error checkOutputPaths(llvm::ArrayRef<NamedPath> outputs, llvm::ArrayRef<NamedPath> inputs) {
  for (size_t i = 0; i != outputs.size(); ++i) {
    for (const NamedPath &other : outputs.take_front(i))
      if (areOneFile(outputs[i].path, other.path))
        return refuse(outputs[i], other, "writes too");
    for (const NamedPath &input : inputs)
      if (input.path != "-" && areOneFile(outputs[i].path, input.path))
        return refuse(outputs[i], input, "reads");
  }
  return llvm::Error::success();
}

} // namespace ccgraph::driver
