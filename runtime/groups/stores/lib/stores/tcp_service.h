// TcpService: what the server of a tcp store answers, without sockets.
//
// A session is one connection. receive() takes the bytes of a client as they come, in any parts, and executes all
// queries that are complete; the answers are appended to the output of this session and of those whose waits end. A
// dropped session executes nothing more. A query that a client may not send yet is found by its first byte, so a client
// without the secret makes the server hold a secret's bytes at most. takeTouched() returns the sessions with new
// output, or dropped.
//
// Ownership: owns keys, values and sessions. Not thread-safe. Failure: a session is dropped, with a reason. Cost: that
// of the queries; a set wakes only the sessions that wait for its key.
#pragma once

#include "stores/store_data.h"
#include "stores/tcp_protocol.h"

#include <map>
#include <set>

namespace ccgraph::runtime {

class TcpService {
public:
  struct Setup {
    StoreLimits limits;
    std::string secret;
  };
  explicit TcpService(Setup setup) : setup_(std::move(setup)), data_(setup_.limits) {}

  using Session = uint64_t;
  void connect(Session session) { sessions_[session]; }
  void disconnect(Session session);
  void receive(Session session, llvm::StringRef bytes);

  /// Bytes to send; the caller clears it when all are sent.
  [[nodiscard]] std::string &output(Session session) { return sessions_.at(session).output; }
  /// Empty for a session that is not dropped.
  [[nodiscard]] const std::string &dropReason(Session session) const { return sessions_.at(session).dropped; }
  [[nodiscard]] std::vector<Session> takeTouched();

  [[nodiscard]] const StoreData &data() const { return data_; }
  /// Sessions that have sent a hello with the secret.
  [[nodiscard]] size_t numGreeted() const;

private:
  struct State {
    std::string input;
    std::string output;
    bool validated = false;
    /// has sent a hello, so it understands reasons
    bool greeted = false;
    /// keys that it waits for; not empty while it waits
    std::vector<std::string> awaited;
    std::string dropped;
  };

  void drop(Session session, State &state, std::string why);
  void execute(Session session, State &state, const Query &query);
  [[nodiscard]] ParsedQuery parseNext(const State &state, llvm::StringRef bytes) const;
  [[nodiscard]] std::string whyNotAllowed(const State &state, QueryKind kind) const;
  void greet(Session session, State &state, const Query &query);
  void answer(Session session, State &state, const Query &query);
  void answerRead(State &state, const Query &query) const;
  [[nodiscard]] std::string read(const Query &query) const;
  [[nodiscard]] llvm::Expected<std::string> change(const Query &query);
  void answerWrite(Session session, State &state, const Query &query);
  void beginWait(Session session, State &state, const Query &query);
  void endWait(Session session, State &state);
  [[nodiscard]] bool hasAll(llvm::ArrayRef<std::string> keys) const;
  void wake(llvm::StringRef key);
  [[nodiscard]] llvm::Error setPairs(const Query &query);

  Setup setup_;
  StoreData data_;
  std::map<Session, State> sessions_;
  /// by key: the sessions that wait for it
  std::map<std::string, std::set<Session>, std::less<>> waiters_;
  std::set<Session> touched_;
};

} // namespace ccgraph::runtime
