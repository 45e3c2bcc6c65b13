#include "ccgraph/toolkit/flight_files.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/flight_file.h"
#include "ccgraph/ir/diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <map>

namespace ccgraph {
namespace {

namespace fs = llvm::sys::fs;

llvm::Error wrongFolder(const std::string &path, std::string message, const char *repair = "") {
  Diagnostic diagnostic;
  diagnostic.file = path;
  diagnostic.message = std::move(message);
  if (*repair)
    diagnostic.notes.emplace_back(repair);
  return makeError(std::move(diagnostic));
}

/// Returns the files of a folder, sorted, without hidden files and folders.
llvm::Expected<std::vector<std::string>> filesOf(const std::string &folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; entry != end && !error; entry.increment(error))
    if (!llvm::sys::path::filename(entry->path()).startswith(".") && !fs::is_directory(entry->path()))
      files.push_back(entry->path());
  if (error)
    return wrongFolder(folder, "cannot be read: " + error.message());
  llvm::sort(files);
  return files;
}

/// Returns true for a file that writeFile() leaves if its process is ended while it writes: "rank_0.json.1a2b3c.tmp".
bool isUnfinished(llvm::StringRef file) { return file.endswith(".tmp"); }

bool isOurName(llvm::StringRef file) {
  llvm::StringRef name = llvm::sys::path::filename(file);
  if (isUnfinished(name))
    name = name.drop_back(4).rsplit('.').first;
  return name.consume_front("rank_") && name.consume_back(".json") && !name.empty() &&
         llvm::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

llvm::Error clearFlightRecords(const std::string &folder) {
  if (!fs::exists(folder))
    return llvm::Error::success();
  llvm::Expected<std::vector<std::string>> files = filesOf(folder);
  if (!files)
    return files.takeError();
  for (const std::string &file : *files)
    if (isOurName(file))
      if (std::error_code error = fs::remove(file))
        return wrongFolder(file, "cannot be removed: " + error.message());
  return llvm::Error::success();
}

llvm::Expected<std::vector<FlightRecord>> loadFlightRecords(const std::string &path) {
  std::vector<std::string> files = {path};
  if (fs::is_directory(path)) {
    llvm::Expected<std::vector<std::string>> found = filesOf(path);
    if (!found)
      return found.takeError();
    files = std::move(*found);
    llvm::erase_if(files, [](const std::string &file) { return isUnfinished(file); });
    if (files.empty())
      return wrongFolder(path, "holds no flight record, expected one for each rank",
                         "write them with --flight-records, or with PyTorch's flight recorder");
  }
  std::map<int64_t, std::string> seen;
  std::vector<FlightRecord> records;
  for (const std::string &name : files) {
    llvm::Expected<InputFile> file = InputFile::open(name);
    if (!file)
      return file.takeError();
    llvm::Expected<FlightRecord> record = readFlightRecord(file->source());
    if (!record)
      return record.takeError();
    auto [other, added] = seen.try_emplace(record->rank, name);
    if (!added)
      return wrongFolder(name,
                         "is a second record of rank " + std::to_string(record->rank) + ", expected one for each rank",
                         ("the first is " + other->second).c_str());
    records.push_back(std::move(*record));
  }
  llvm::sort(records, [](const FlightRecord &a, const FlightRecord &b) { return a.rank < b.rank; });
  return records;
}

llvm::Error saveFlightRecords(const std::string &folder, llvm::ArrayRef<FlightRecord> records) {
  if (std::error_code error = fs::create_directories(folder))
    return wrongFolder(folder, "cannot be made: " + error.message());
  for (const FlightRecord &record : records) {
    std::string path = folder + "/rank_" + std::to_string(record.rank) + ".json";
    if (llvm::Error error = writeFile(path, [&](llvm::raw_ostream &os) {
          writeFlightRecord(os, record);
          return llvm::Error::success();
        }))
      return error;
  }
  return llvm::Error::success();
}

} // namespace ccgraph
