#include "docgen/documents.h"

#include "ccgraph/frontend/files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

// Only tools/docs runs this program, so its only argument is the folder.
int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: ccgraph-docgen FOLDER\n";
    return 2;
  }
  for (const ccgraph::Document &document : ccgraph::generatedDocuments()) {
    std::string path = std::string(argv[1]) + "/" + document.file;
    // If a folder cannot be created, writing the file in it reports the error.
    (void)llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path));
    llvm::Error error = ccgraph::writeFile(path, [&](llvm::raw_ostream &os) {
      os << document.text;
      return llvm::Error::success();
    });
    if (error) {
      llvm::errs() << "ccgraph-docgen: error: " << llvm::toString(std::move(error)) << '\n';
      return 1;
    }
  }
  return 0;
}
