#include "torch_export/archive.h"

#include "ccgraph/frontend/torch_export.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

#ifdef CCGRAPH_HAVE_MINIZIP
#include <minizip/unzip.h>
#endif

namespace ccgraph {
namespace {

llvm::Error archiveError(const SourceText &source, const llvm::Twine &message, std::string repair) {
  Diagnostic diagnostic;
  diagnostic.file = source.name;
  diagnostic.message = message.str();
  diagnostic.notes.push_back(std::move(repair));
  return makeError(std::move(diagnostic));
}

constexpr const char *saveAgain = "save it again with torch.export.save(), or unpack it and give its models/NAME.json";

#ifdef CCGRAPH_HAVE_MINIZIP

/// Returns "model" for models/model.json and for x/models/model.json, where x is the name of the archive; empty for any
/// other entry.
llvm::StringRef modelOf(llvm::StringRef entry) {
  if (!entry.startswith("models/"))
    entry = entry.split('/').second;
  bool isModel = entry.consume_front("models/") && entry.consume_back(".json") && !entry.contains('/');
  return isModel ? entry : "";
}

// --- A text in memory, as the file that minizip wants to read --------------------------------------------------------

struct MemoryFile {
  llvm::StringRef bytes;
  uint64_t at = 0;
};

MemoryFile &memory(void *stream) { return *static_cast<MemoryFile *>(stream); }

void *openMemory(void *opaque, const void *, int) { return opaque; }
uLong readMemory(void *, void *stream, void *into, uLong size) {
  MemoryFile &file = memory(stream);
  llvm::StringRef piece = file.bytes.substr(file.at, size);
  std::copy(piece.begin(), piece.end(), static_cast<char *>(into));
  file.at += piece.size();
  return static_cast<uLong>(piece.size());
}
uLong writeNothing(void *, void *, const void *, uLong) { return 0; }
ZPOS64_T tellMemory(void *, void *stream) { return memory(stream).at; }
long seekMemory(void *, void *stream, ZPOS64_T offset, int origin) {
  MemoryFile &file = memory(stream);
  uint64_t base = origin == ZLIB_FILEFUNC_SEEK_CUR ? file.at : origin == ZLIB_FILEFUNC_SEEK_END ? file.bytes.size() : 0;
  if (offset > file.bytes.size() || base > file.bytes.size() - offset)
    return -1;
  file.at = base + offset;
  return 0;
}
int nothingToClose(void *, void *) { return 0; }
int noError(void *, void *) { return 0; }

/// An open archive, which its destructor closes.
class Archive {
public:
  explicit Archive(const SourceText &source) : source_(source), file_{source.text} {
    zlib_filefunc64_def functions = {openMemory, readMemory,     writeNothing, tellMemory,
                                     seekMemory, nothingToClose, noError,      &file_};
    zip_ = unzOpen2_64(source.name.c_str(), &functions);
  }
  ~Archive() {
    if (zip_)
      unzClose(zip_);
  }
  Archive(const Archive &) = delete;
  Archive &operator=(const Archive &) = delete;

  llvm::Expected<std::vector<ArchivedModel>> models() {
    if (!zip_)
      return archiveError(source_, "this zip archive has no directory that can be read: it may have been cut off",
                          saveAgain);
    std::vector<ArchivedModel> found;
    for (int code = unzGoToFirstFile(zip_); code != UNZ_END_OF_LIST_OF_FILE; code = unzGoToNextFile(zip_)) {
      std::array<char, 4096> name = {};
      unz_file_info64 info;
      if (code != UNZ_OK ||
          unzGetCurrentFileInfo64(zip_, &info, name.data(), name.size() - 1, nullptr, 0, nullptr, 0) != UNZ_OK)
        return archiveError(source_, "the directory of this zip archive is damaged", saveAgain);
      llvm::StringRef model = modelOf(name.data());
      if (model.empty())
        continue;
      llvm::Expected<std::string> text = read(name.data(), info.uncompressed_size);
      if (!text)
        return text.takeError();
      found.push_back({name.data(), model.str(), std::move(*text)});
    }
    llvm::sort(found, [](const ArchivedModel &a, const ArchivedModel &b) { return a.entry < b.entry; });
    return found;
  }

private:
  // The claimed size of an entry is used as far as a model may have it; the bytes that it inflates to are counted.
  llvm::Expected<std::string> read(llvm::StringRef entry, uint64_t claimed) {
    size_t limit = largestModel(source_.text.size());
    if (claimed > limit)
      return tooLarge(entry, llvm::Twine(claimed));
    if (unzOpenCurrentFile(zip_) != UNZ_OK)
      return damaged(entry);
    std::string text;
    std::vector<char> piece(size_t(1) << 16);
    int got = 0;
    while (text.size() <= limit && (got = unzReadCurrentFile(zip_, piece.data(), piece.size())) > 0)
      text.append(piece.data(), static_cast<size_t>(got));
    bool whole = unzCloseCurrentFile(zip_) == UNZ_OK && got >= 0;
    if (text.size() > limit)
      return tooLarge(entry, "more than " + llvm::Twine(limit));
    if (!whole)
      return damaged(entry);
    return text;
  }

  llvm::Error tooLarge(llvm::StringRef entry, const llvm::Twine &got) const {
    return archiveError(source_,
                        "its entry '" + entry + "' claims to hold " + got + " bytes, expected at most " +
                            llvm::Twine(largestModel(source_.text.size())) + " in an archive of " +
                            llvm::Twine(source_.text.size()),
                        "if it contains a model, unpack it and give that file");
  }
  llvm::Error damaged(llvm::StringRef entry) const {
    return archiveError(source_,
                        "its entry '" + entry + "' is damaged: it does not inflate to the bytes that its header states",
                        saveAgain);
  }

  const SourceText &source_;
  MemoryFile file_;
  unzFile zip_ = nullptr;
};

llvm::Expected<std::vector<ArchivedModel>> modelsOf(const SourceText &source) { return Archive(source).models(); }

#else

llvm::Expected<std::vector<ArchivedModel>> modelsOf(const SourceText &source) {
  return archiveError(source, "got a zip archive, and this ccgraph was built without minizip, which reads them",
                      "unpack it and give its models/NAME.json; or apt-get install libminizip-dev and build again");
}

#endif

} // namespace

bool isZip(llvm::StringRef bytes) { return bytes.startswith("PK\x03\x04") || bytes.startswith("PK\x05\x06"); }

llvm::Expected<std::vector<ArchivedModel>> readModels(const SourceText &source) {
  llvm::Expected<std::vector<ArchivedModel>> models = modelsOf(source);
  if (models && models->empty())
    return archiveError(source, "got a zip archive without a model, expected one of torch.export with models/NAME.json",
                        "a module of torch.save() holds no graph: print it, or save it with torch.export.save()");
  return models;
}

} // namespace ccgraph
