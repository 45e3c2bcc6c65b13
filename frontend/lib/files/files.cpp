#include "ccgraph/frontend/files.h"

#include "files/devices.h"
#include "files/gzip.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

namespace ccgraph {
namespace {

llvm::Error fileError(llvm::StringRef path, const llvm::Twine &message) {
  Diagnostic diagnostic;
  diagnostic.file = path.str();
  diagnostic.message = message.str();
  return makeError(std::move(diagnostic));
}

/// Writes into a temporary file that a failure or a signal removes. A rename within one folder is atomic: a reader sees
/// the old file or the new one. A full disk or a signal leaves the old file unchanged.
llvm::Error writeAndRename(llvm::StringRef path, llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write) {
  auto temporary = llvm::sys::fs::TempFile::create(path + ".%%%%%%.tmp");
  if (!temporary)
    return fileError(path, "cannot write here: " + llvm::toString(temporary.takeError()));
  // Gives the new file the permissions of the file that it replaces.
  if (auto mode = llvm::sys::fs::getPermissions(path))
    if (std::error_code code = llvm::sys::fs::setPermissions(temporary->FD, *mode))
      return llvm::joinErrors(fileError(path, "cannot keep its mode: " + code.message()), temporary->discard());
  llvm::Error error = llvm::Error::success();
  {
    llvm::raw_fd_ostream os(temporary->FD, /*shouldClose=*/false);
    os.SetBufferSize(size_t(1) << 18);
    error = write(os);
    os.flush();
    if (!error && os.has_error())
      error = fileError(path, "cannot write: " + os.error().message());
    os.clear_error();
  }
  if (error)
    return llvm::joinErrors(std::move(error), temporary->discard());
  if (llvm::Error failed = temporary->keep(path))
    return fileError(path, "cannot be replaced: " + llvm::toString(std::move(failed)));
  return llvm::Error::success();
}

/// Returns whether the path is a plain file or new. A device or a pipe has no temporary beside it and cannot be
/// replaced.
bool isPlainOrNew(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return true;
  return llvm::sys::fs::is_regular_file(status) || llvm::sys::fs::is_directory(status);
}

using Buffer = llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>;

Buffer mapFile(llvm::StringRef path, llvm::StringRef name) {
  auto buffer = path == "-" ? llvm::MemoryBuffer::getSTDIN()
                            : llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fileError(name, "cannot read: " + buffer.getError().message());
  return std::move(*buffer);
}

/// Reads a pipe or a terminal to its end.
llvm::Expected<std::string> readToEnd(llvm::sys::fs::file_t file, llvm::StringRef name) {
  constexpr size_t piece = size_t(1) << 16;
  std::string text;
  while (text.size() <= mostStreamBytes) {
    size_t used = text.size();
    text.resize(used + piece);
    llvm::Expected<size_t> count = llvm::sys::fs::readNativeFile(file, {text.data() + used, piece});
    if (!count)
      return fileError(name, "cannot read: " + llvm::toString(count.takeError()));
    text.resize(used + *count);
    if (*count == 0)
      return text;
  }
  return fileError(name, "gives more than " + llvm::Twine(mostStreamBytes) + " bytes, expected the text of a graph");
}

Buffer readStream(llvm::StringRef path, llvm::StringRef name) {
  auto file = path == "-" ? llvm::Expected<llvm::sys::fs::file_t>(llvm::sys::fs::getStdinHandle())
                          : llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return fileError(name, "cannot read: " + llvm::toString(file.takeError()));
  llvm::Expected<std::string> text = isEndless(*file) ? endlessError(name) : readToEnd(*file, name);
  if (path != "-")
    llvm::sys::fs::closeFile(*file);
  if (!text)
    return text.takeError();
  return llvm::MemoryBuffer::getMemBufferCopy(*text, name);
}

llvm::Error writeStream(llvm::StringRef path, llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code)
    return fileError(path, "cannot write here: " + code.message());
  llvm::Error error = write(os);
  os.flush();
  if (!error && os.has_error())
    error = fileError(path, "cannot write: " + os.error().message());
  os.clear_error();
  return error;
}

} // namespace

llvm::Expected<InputFile> InputFile::open(llvm::StringRef path) {
  std::string name = path == "-" ? "<stdin>" : path.str();
  llvm::sys::fs::file_status status;
  std::error_code unknown =
      path == "-" ? llvm::sys::fs::status(fileno(stdin), status) : llvm::sys::fs::status(path, status);
  if (!unknown && llvm::sys::fs::is_directory(status))
    return fileError(name, "cannot read: " + std::make_error_code(std::errc::is_a_directory).message());
  bool isStream = !unknown && !llvm::sys::fs::is_regular_file(status);
  auto buffer = isStream ? readStream(path, name) : mapFile(path, name);
  if (!buffer)
    return buffer.takeError();
  InputFile file(std::move(name));
  if (!isGzip((*buffer)->getBuffer())) {
    file.mapped_ = std::move(*buffer);
    return file;
  }
  auto text = inflateGzip({file.name_, (*buffer)->getBuffer()});
  if (!text)
    return text.takeError();
  file.inflated_ = std::move(*text);
  return file;
}

InputFile InputFile::ofText(std::string name, std::string text, CutLines cut) {
  InputFile file(std::move(name));
  file.inflated_ = std::move(text);
  file.cut_ = std::make_unique<CutLines>(std::move(cut));
  return file;
}

/// Returns the readable bytes after a mapped file: pages are mapped whole, so the rest of its last page may be read.
size_t InputFile::slack() const {
  if (!mapped_ || mapped_->getBufferKind() != llvm::MemoryBuffer::MemoryBuffer_MMap)
    return 0;
  size_t page = llvm::sys::Process::getPageSizeEstimate();
  return (page - mapped_->getBufferSize() % page) % page;
}

llvm::Error writeFile(llvm::StringRef path, llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write) {
  if (path == "-" || !isPlainOrNew(path))
    return writeStream(path, write);
  if (llvm::sys::fs::is_directory(path))
    return fileError(path, "this is a folder, expected the name of a file to write");
  // A rename would replace a symbolic link by a file, so the link's target is written.
  llvm::SmallString<128> target;
  if (llvm::sys::fs::real_path(path, target))
    target = path;
  return writeAndRename(target, write);
}

} // namespace ccgraph
