#include "driver/process_launch.h"

#include "driver/launcher_watch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ccgraph::driver {
namespace {

/// Variables by which Open MPI, MPICH and Slurm mark the processes of a job.
constexpr const char *launchVariables[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};

constexpr llvm::StringLiteral bannerLine = "--------------------------------------------------------------------------";

/// A pipe for one output stream of a process.
struct Pipe {
  int read = -1;
  int write = -1;
  [[nodiscard]] bool open() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0)
      return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
};

std::vector<std::string> commandOf(const std::string &mpirun, llvm::ArrayRef<const char *> arguments,
                                   size_t processes) {
  // There are often more ranks than cores (--oversubscribe), and a container may have no user except root
  // (--allow-run-as-root).
  std::vector<std::string> command = {mpirun, "--oversubscribe"};
  if (geteuid() == 0)
    command.emplace_back("--allow-run-as-root");
  command.insert(command.end(), {"-n", std::to_string(processes)});
  command.push_back(llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&isLaunched)));
  // The program that is all tools gets the word for this one.
  if (llvm::sys::path::filename(command.back()) == "ccgraph")
    command.emplace_back("run");
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

/// Replaces this process by the command; never returns.
[[noreturn]] void become(const std::vector<std::string> &command, const Pipe &out, const Pipe &err) {
  // The child ends when this process is ended.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  dup2(out.write, STDOUT_FILENO);
  dup2(err.write, STDERR_FILENO);
  for (int end : {out.read, out.write, err.read, err.write})
    close(end);
  // After its processes were killed, mpirun itself sometimes crashes during cleanup; its core file is useless, so none
  // is written.
  rlimit cores{};
  if (getrlimit(RLIMIT_CORE, &cores) == 0) {
    cores.rlim_cur = 0;
    setrlimit(RLIMIT_CORE, &cores);
  }
  std::vector<char *> words;
  for (const std::string &word : command)
    words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  execv(words.front(), words.data());
  _exit(127);
}

/// Reads once. Returns false at the end of the stream.
template <typename Use>
bool drain(int from, Use use) {
  std::array<char, 65536> buffer{};
  ssize_t count = read(from, buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR)
    return true;
  if (count > 0)
    use(llvm::StringRef(buffer.data(), static_cast<size_t>(count)));
  return count > 0;
}

/// Forwards both streams until they end. Returns false if mpirun is stuck in its cleanup.
bool forward(int out, int err, Streams streams, LauncherText &text, LauncherWatch &watch) {
  constexpr int milliseconds = 500;
  std::array<pollfd, 2> ends{pollfd{out, POLLIN, 0}, pollfd{err, POLLIN, 0}};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    int ready = poll(ends.data(), ends.size(), milliseconds);
    if (ready < 0 && errno != EINTR)
      return true;
    if (ready <= 0) {
      if (watch.isStuck(LauncherWatch::Clock::now()))
        return false;
      continue;
    }
    if (ends[0].revents != 0 && !drain(out, [&](llvm::StringRef bytes) { streams.out << bytes; }))
      ends[0].fd = -1;
    if (ends[1].revents != 0 && !drain(err, [&](llvm::StringRef bytes) { text.add(bytes); }))
      ends[1].fd = -1;
    streams.out.flush();
  }
  return true;
}

/// Returns the exit code of the ranks; nothing if mpirun's own status is none of a program of ccgraph.
std::optional<ExitCode> exitCodeOf(int status) {
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  bool ours = code >= static_cast<int>(ExitCode::Ok) && code <= static_cast<int>(ExitCode::Internal);
  return ours ? std::optional(static_cast<ExitCode>(code)) : std::nullopt;
}

/// Returns how mpirun ended, with what its status means.
std::string describeEnd(int status) {
  if (WIFSIGNALED(status))
    return "mpirun was ended by signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  // Shells and mpirun give 128 + N where signal N ended a process.
  int code = WEXITSTATUS(status), signal = code - 128;
  std::string text = "mpirun ended with exit code " + std::to_string(code);
  if (signal > 0 && signal < NSIG)
    text +=
        ", which stands for a rank that was ended by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  return text;
}

} // namespace

bool isLaunched() {
  return llvm::any_of(launchVariables, [](const char *name) { return std::getenv(name) != nullptr; });
}

ExitCode launchProcesses(llvm::ArrayRef<const char *> arguments, size_t processes, Streams streams) {
  llvm::ErrorOr<std::string> mpirun = llvm::sys::findProgramByName("mpirun");
  if (!mpirun) {
    streams.err << "error: --engine mpi: there is no mpirun on the PATH, which starts a process for each rank\n"
                   "  note: install Open MPI: apt-get install openmpi-bin libopenmpi-dev\n";
    return ExitCode::Diagnosed;
  }
  std::vector<std::string> command = commandOf(*mpirun, arguments, processes);
  Pipe out, err;
  pid_t child = out.open() && err.open() ? fork() : -1;
  if (child == 0)
    become(command, out, err);
  if (child < 0) {
    streams.err << "error: " << *mpirun << " cannot be started: " << std::strerror(errno) << '\n';
    return ExitCode::Diagnosed;
  }
  close(out.write);
  close(err.write);
  LauncherText text(streams.err);
  LauncherWatch watch(child);
  const uint64_t before = streams.out.tell();
  bool ended = forward(out.read, err.read, streams, text, watch);
  if (!ended)
    kill(child, SIGKILL);
  close(out.read);
  close(err.read);
  text.finish();
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::optional<ExitCode> code = exitCodeOf(status);
  if (!text.ended().empty())
    streams.err << "error: " << text.ended() << "; the other ranks were ended with it\n";
  else if (!ended)
    streams.err << "error: the ranks' processes have ended, and mpirun has not; it was ended\n";
  else if (!code || (*code != ExitCode::Ok && !text.printed() && streams.out.tell() == before))
    streams.err << "error: " << describeEnd(status) << "; it does not say which rank failed\n"
                << "  note: run the same command again; --engine local runs all ranks in one process\n";
  return code.value_or(ExitCode::Diagnosed);
}

// --- mpirun's own messages ------------------------------------------------------------------------------------

void LauncherText::add(llvm::StringRef text) {
  rest_ += text;
  for (size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n')) {
    addLine(llvm::StringRef(rest_).take_front(end));
    rest_.erase(0, end + 1);
  }
  os_.flush();
}

void LauncherText::finish() {
  if (!rest_.empty())
    addLine(rest_);
  if (banner_)
    closeBanner();
}

void LauncherText::addLine(llvm::StringRef line) {
  if (line == bannerLine) {
    if (banner_)
      closeBanner();
    else
      banner_.emplace();
    return;
  }
  if (banner_)
    (*banner_ += line) += '\n';
  else
    print((line + "\n").str());
}

void LauncherText::print(llvm::StringRef text) {
  os_ << text;
  printed_ = true;
}

void LauncherText::closeBanner() {
  std::string text = std::move(*banner_);
  banner_.reset();
  llvm::SmallVector<llvm::StringRef, 4> parts;
  llvm::Regex signal("process rank ([0-9]+) with PID [0-9]+ on node [^ ]+ exited on signal ([0-9]+ [(][^)]+[)])");
  if (signal.match(text, &parts)) {
    ended_ = ("rank " + parts[1] + " was ended by signal " + parts[2]).str();
    return;
  }
  // The process itself has already reported that it ended with an error, so these texts of mpirun are dropped.
  constexpr llvm::StringLiteral known[] = {"MPI_ABORT was invoked", "returned\na non-zero exit code",
                                           "exited with non-zero status"};
  if (llvm::none_of(known, [&](llvm::StringRef words) { return text.find(words.str()) != std::string::npos; }))
    print(text);
}

} // namespace ccgraph::driver
