#include "driver/doctor_parts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <dlfcn.h>

namespace ccgraph::driver {
namespace {

/// What a part is for, and how to get it.
struct Purpose {
  const char *name;
  const char *gives;
  const char *repair;
};

DoctorPart here(const Purpose &purpose, std::string found) {
  return {purpose.name, true, std::move(found), purpose.gives, ""};
}

DoctorPart missing(const Purpose &purpose, std::string why) {
  return {purpose.name, false, std::move(why), purpose.gives, purpose.repair};
}

DoctorPart partOfProgram(const Purpose &purpose, const char *program) {
  llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(program);
  return path ? here(purpose, *path) : missing(purpose, std::string("no ") + program + " on PATH");
}

/// Versions such as 12040 (CUDA: thousands and tens) or 22005 (NCCL: ten thousands and hundreds).
struct VersionForm {
  int major;
  int minor;
};

std::string versionText(int version, VersionForm form) {
  return std::to_string(version / form.major) + "." + std::to_string(version % form.major / form.minor);
}

/// A shared library and its function that stores a version as an int and returns 0.
struct VersionedLibrary {
  const char *file;
  const char *function;
  VersionForm form;
};

/// Loads the library, calls the function, and unloads nothing: a driver's library may have started threads.
DoctorPart partOfLibrary(const Purpose &purpose, const VersionedLibrary &library) {
  void *loaded = dlopen(library.file, RTLD_NOW | RTLD_LOCAL);
  if (!loaded)
    return missing(purpose, dlerror());
  auto *versionOf = reinterpret_cast<int (*)(int *)>(dlsym(loaded, library.function));
  int version = 0;
  if (!versionOf || versionOf(&version) != 0)
    return missing(purpose, std::string(library.file) + " is here and does not return its version");
  return here(purpose, library.file + (" of version " + versionText(version, library.form)));
}

/// Returns the first line that the command prints; empty if it fails.
std::string firstLineOf(llvm::ArrayRef<llvm::StringRef> command) {
  llvm::SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("ccgraph-doctor", "txt", path))
    return "";
  llvm::FileRemover remover(path);
  constexpr unsigned mostSeconds = 20;
  const llvm::StringRef nowhere;
  if (llvm::sys::ExecuteAndWait(command.front(), command, {}, {nowhere, path.str(), nowhere}, mostSeconds) != 0)
    return "";
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = llvm::MemoryBuffer::getFile(path);
  return text ? (*text)->getBuffer().split('\n').first.trim().str() : "";
}

std::string pathOfPython() {
  const char *named = std::getenv("CCGRAPH_TORCH_PYTHON");
  llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(named && *named ? named : "python3");
  return path ? *path : "";
}

/// Reads the version from the metadata of the installed package, because importing PyTorch takes seconds.
DoctorPart partOfPackage(const Purpose &purpose, const std::string &package) {
  std::string python = pathOfPython();
  if (python.empty())
    return missing(purpose, "no python3 on PATH");
  std::string code = "import importlib.metadata as m; print(m.version('" + package + "'))";
  std::string version = firstLineOf({python, "-c", code});
  return version.empty() ? missing(purpose, "no package " + package + " in " + python)
                         : here(purpose, "version " + version + " in " + python);
}

/// Looks for the module where a run looks for it, and does not load it, since it loads PyTorch.
DoctorPart partOfTorchKernels() {
  const Purpose purpose = {"torch-kernels",
                           "PyTorch's kernels for operators that have no builtin one (--kernels torch)",
                           "configure with -DCCGRAPH_TORCH_PYTHON=PATH and build again"};
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&doctorParts));
  llvm::SmallString<128> path = llvm::sys::path::parent_path(program);
  llvm::sys::path::append(path, "../" CCGRAPH_MODULE_DIR, "libccgraph_torch.so");
  llvm::sys::path::remove_dots(path, true);
  return llvm::sys::fs::exists(path) ? here(purpose, path.str().str()) : missing(purpose, ("no " + path).str());
}

DoctorPart partOfEngineNamed(llvm::StringRef name, llvm::StringRef gives) {
  return partOfEngine(*runtime::findEngine(name), gives);
}

DoctorPart partOfProgramItself() {
  const Purpose purpose = {"ccgraph", "rewrites, checks, reports and generates graphs without any other part", ""};
  return here(purpose, CCGRAPH_VERSION " at " +
                           llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&doctorParts)));
}

} // namespace

DoctorPart partOfEngine(const runtime::Engine &engine, llvm::StringRef gives) {
  DoctorPart part = {engine.name().str(), true, "ready", gives.str(), ""};
  if (llvm::Error error = engine.checkAvailable()) {
    std::string text = llvm::toString(std::move(error));
    auto [why, repair] = llvm::StringRef(text).rtrim().split("\n  note: ");
    why.consume_front(("engine " + engine.name() + " ").str());
    part.isHere = false;
    part.found = why.str();
    part.repair = repair.str();
  }
  return part;
}

std::vector<DoctorPart> doctorParts() {
  return {
      partOfProgramItself(),
      partOfEngineNamed("local", "runs plans on the threads of this machine (--engine local)"),
      partOfEngineNamed("mpi", "runs plans on processes and hosts (--engine mpi)"),
      partOfProgram({"mpirun", "starts the processes of --engine mpi", "run apt-get install openmpi-bin"}, "mpirun"),
      partOfEngineNamed("nccl", "runs plans on GPUs (--engine nccl)"),
      partOfLibrary({"cuda", "the driver of NVIDIA GPUs, for --engine nccl", "install the driver"},
                    {"libcuda.so.1", "cuDriverGetVersion", {1000, 10}}),
      partOfLibrary({"libnccl", "NVIDIA's collectives, for --engine nccl", "install libnccl2"},
                    {"libnccl.so.2", "ncclGetVersion", {10000, 100}}),
      partOfPackage({"torch", "writes dumps (TORCH_TRACE=DIR), and has torch.compile", "run pip install torch"},
                    "torch"),
      partOfPackage({"plug-in", "rewrites graphs inside torch.compile (import ccgraph.torch)",
                     "install a wheel of ccgraph (docs/install.md)"},
                    "ccgraph"),
      partOfTorchKernels()};
}

} // namespace ccgraph::driver
