#include "driver/flight_job.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/runtime/flight_analysis.h"
#include "ccgraph/toolkit/flight_files.h"
#include "ccgraph/toolkit/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <ctime>
#include <set>

namespace ccgraph::driver {
namespace {

/// Returns a text such as "2 ranks, recorded by local: 14 calls".
std::string recordsText(llvm::ArrayRef<FlightRecord> records) {
  size_t calls = 0;
  std::set<std::string> engines;
  for (const FlightRecord &record : records) {
    calls += record.calls.size();
    if (!record.engine.empty())
      engines.insert(record.engine);
  }
  return counted(records.size(), "rank") + (engines.empty() ? "" : ", recorded by " + llvm::join(engines, ", ")) +
         ": " + counted(calls, "call");
}

/// Returns true if the error is about ranks that wait for one another or disagree; only such an error has a culprit.
bool isAboutRendezvous(const llvm::Error &error) {
  constexpr llvm::StringLiteral rules[] = {"run.deadlock", "run.deadline", "run.ranks-disagree", "run.rank-lost"};
  const auto *diagnostics = error.isA<DiagnosticError>() ? &error : nullptr;
  if (!diagnostics)
    return false;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << error;
  return llvm::any_of(
      rules, [&](llvm::StringRef rule) { return os.str().find(("[" + rule + "]").str()) != std::string::npos; });
}

} // namespace

ExitCode analyzeRecords(const std::string &path, Streams streams) {
  llvm::Expected<std::vector<FlightRecord>> records = loadFlightRecords(path);
  if (!records) {
    printError(streams.err, records.takeError());
    return ExitCode::Diagnosed;
  }
  runtime::FlightVerdict verdict = runtime::analyzeFlight(*records);
  streams.out << "records   " << recordsText(*records) << "\nverdict   " << verdict.sentence << '\n';
  return verdict.agree ? ExitCode::Ok : ExitCode::CheckFailed;
}

static void printVerdict(llvm::raw_ostream &err, llvm::ArrayRef<FlightRecord> records) {
  if (runtime::FlightVerdict verdict = runtime::analyzeFlight(records); !verdict.agree)
    err << "  note: " << verdict.sentence << '\n';
}

void explainFailure(llvm::raw_ostream &err, const llvm::Error &error, const RunRecords &records,
                    const std::string &folder) {
  if (records.all && isAboutRendezvous(error))
    printVerdict(err, records.records);
  if (records.all && !folder.empty())
    err << "  note: flight records of " << counted(records.records.size(), "rank") << " are in " << folder << '\n';
}

void explainRecords(llvm::raw_ostream &err, const std::string &folder) {
  if (folder.empty())
    return;
  llvm::Expected<std::vector<FlightRecord>> records = loadFlightRecords(folder);
  if (!records)
    return llvm::consumeError(records.takeError()); // a run may fail before it has any records
  printVerdict(err, *records);
  err << "  note: flight records of " << counted(records->size(), "rank") << " are in " << folder << '\n';
}

SignalRecords::SignalRecords(const runtime::PreparedPlans *plans, std::string folder, llvm::raw_ostream &err)
    : plans_(plans), folder_(std::move(folder)), err_(err) {
  if (!plans_ || folder_.empty())
    return;
  sigemptyset(&signals_);
  for (int signal : {SIGUSR1, SIGTERM, SIGINT})
    sigaddset(&signals_, signal);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  server_ = std::thread([this] { serve(); });
}

SignalRecords::~SignalRecords() {
  if (!server_.joinable())
    return;
  done_ = true;
  server_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void SignalRecords::serve() {
  constexpr timespec poll{0, 20'000'000};
  while (!done_)
    if (int signal = sigtimedwait(&signals_, nullptr, &poll); signal > 0)
      write(signal);
}

void SignalRecords::write(int signal) {
  if (llvm::Error error = saveFlightRecords(folder_, plans_->flightRecords()))
    printError(err_, std::move(error));
  if (signal == SIGUSR1)
    return;
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  std::raise(signal);
}

} // namespace ccgraph::driver
