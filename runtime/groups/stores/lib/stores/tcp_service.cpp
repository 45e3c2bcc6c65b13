#include "stores/tcp_service.h"

#include "stores/store_error.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace ccgraph::runtime {

static constexpr const char *notAClient = "it is no client of a store";

void TcpService::disconnect(Session session) {
  auto found = sessions_.find(session);
  if (found == sessions_.end())
    return;
  endWait(session, found->second);
  sessions_.erase(found);
  touched_.erase(session);
}

std::vector<TcpService::Session> TcpService::takeTouched() {
  std::vector<Session> touched(touched_.begin(), touched_.end());
  touched_.clear();
  return touched;
}

void TcpService::receive(Session session, llvm::StringRef bytes) {
  State &state = sessions_.at(session);
  if (!state.dropped.empty())
    return;
  state.input += bytes;
  size_t used = 0;
  while (state.dropped.empty()) {
    ParsedQuery parsed = parseNext(state, llvm::StringRef(state.input).drop_front(used));
    if (!parsed.wrong.empty())
      drop(session, state, std::move(parsed.wrong));
    if (!parsed.query)
      break;
    execute(session, state, *parsed.query);
    used += parsed.query->size;
  }
  state.input.erase(0, state.dropped.empty() ? used : state.input.size());
  // A client may send queries faster than it reads their answers.
  if (static_cast<int64_t>(state.output.size()) > 2 * setup_.limits.valueBytes + (1 << 20))
    drop(session, state, "it does not read its answers");
}

void TcpService::drop(Session session, State &state, std::string why) {
  endWait(session, state);
  state.dropped = std::move(why);
  touched_.insert(session);
  if (state.greeted)
    state.output += QueryWriter().status(QueryStatus::Dropped).text(state.dropped).bytes;
}

std::string TcpService::whyNotAllowed(const State &state, QueryKind kind) const {
  if (!state.validated)
    return kind == QueryKind::Validate ? "" : notAClient;
  if (kind == QueryKind::Validate)
    return "it sent a second greeting";
  if (!setup_.secret.empty() && !state.greeted && kind != QueryKind::Hello)
    return "it did not send the secret of this store";
  if (!state.awaited.empty() && kind != QueryKind::CancelWait)
    return "it sent a query while it waits for keys";
  return "";
}

// The reason is found before the operands have come, since these may be as large as a value.
ParsedQuery TcpService::parseNext(const State &state, llvm::StringRef bytes) const {
  if (bytes.empty())
    return {};
  std::optional<QueryKind> kind = queryKindOf(bytes.front());
  if (std::string why = kind ? whyNotAllowed(state, *kind) : ""; !why.empty())
    return {std::nullopt, std::move(why)};
  return parseQuery(bytes, kind == QueryKind::Hello ? helloLimits : setup_.limits);
}

void TcpService::execute(Session session, State &state, const Query &query) {
  if (query.kind == QueryKind::Validate && query.number != storeMagic)
    return drop(session, state, notAClient);
  if (query.kind == QueryKind::Validate)
    state.validated = true;
  else if (query.kind == QueryKind::Hello)
    greet(session, state, query);
  else
    answer(session, state, query);
}

void TcpService::greet(Session session, State &state, const Query &query) {
  state.greeted = true;
  if (query.texts[0] != setup_.secret)
    return drop(session, state, "its secret is not that of this store");
  state.output += QueryWriter().status(QueryStatus::Done).bytes;
  touched_.insert(session);
}

size_t TcpService::numGreeted() const {
  return static_cast<size_t>(std::count_if(sessions_.begin(), sessions_.end(), [](const auto &session) {
    return session.second.greeted && session.second.dropped.empty();
  }));
}

void TcpService::answer(Session session, State &state, const Query &query) {
  switch (query.kind) {
  case QueryKind::Wait:
    beginWait(session, state, query);
    break;
  case QueryKind::CancelWait:
    endWait(session, state);
    state.output += QueryWriter().byte(isNotReady).bytes;
    break;
  case QueryKind::Ping:
    state.output += QueryWriter().shortNumber(static_cast<uint32_t>(query.number)).bytes;
    break;
  case QueryKind::Get:
  case QueryKind::Check:
  case QueryKind::NumKeys:
  case QueryKind::MultiGet:
  case QueryKind::QueueLength:
  case QueryKind::ListKeys:
    answerRead(state, query);
    break;
  case QueryKind::Set:
  case QueryKind::CompareSet:
  case QueryKind::Add:
  case QueryKind::Delete:
  case QueryKind::Append:
  case QueryKind::MultiSet:
  case QueryKind::QueuePush:
  case QueryKind::QueuePop:
    answerWrite(session, state, query);
    break;
  case QueryKind::Validate:
  case QueryKind::Hello:
    break;
  }
  touched_.insert(session);
}

std::string TcpService::read(const Query &query) const {
  QueryWriter to;
  std::vector<std::string> keys;
  switch (query.kind) {
  case QueryKind::Get:
  case QueryKind::MultiGet:
    for (llvm::StringRef key : query.texts)
      to.text(data_.find(key) ? llvm::StringRef(*data_.find(key)) : "");
    break;
  case QueryKind::Check:
    to.byte(llvm::all_of(query.texts, [&](llvm::StringRef key) { return data_.has(key); }) ? isReady : isNotReady);
    break;
  case QueryKind::NumKeys:
    to.number(static_cast<int64_t>(data_.numKeys()));
    break;
  case QueryKind::QueueLength:
    to.number(static_cast<int64_t>(data_.length(query.texts[0])));
    break;
  case QueryKind::ListKeys:
    keys = data_.keys();
    llvm::erase_if(keys, [](llvm::StringRef key) { return !key.startswith("/"); });
    to.texts(keys);
    break;
  case QueryKind::Validate:
  case QueryKind::Set:
  case QueryKind::CompareSet:
  case QueryKind::Add:
  case QueryKind::Wait:
  case QueryKind::Delete:
  case QueryKind::Append:
  case QueryKind::MultiSet:
  case QueryKind::CancelWait:
  case QueryKind::Ping:
  case QueryKind::QueuePush:
  case QueryKind::QueuePop:
  case QueryKind::Hello:
    break;
  }
  return to.bytes;
}

// As in torch.distributed, a queue with items reads as an empty value.
void TcpService::answerRead(State &state, const Query &query) const {
  bool absent = (query.kind == QueryKind::Get || query.kind == QueryKind::MultiGet) &&
                llvm::any_of(query.texts, [&](llvm::StringRef key) { return !data_.has(key); });
  if (query.answered)
    state.output += QueryWriter().status(absent ? QueryStatus::Absent : QueryStatus::Done).bytes;
  if (!query.answered || !absent)
    state.output += read(query);
}

namespace {

/// The bytes of a result; that of an operation without one is empty.
llvm::Expected<std::string> bytesOf(llvm::Error error) {
  if (error)
    return error;
  return std::string();
}
llvm::Expected<std::string> bytesOf(llvm::Expected<int64_t> number) {
  if (!number)
    return number.takeError();
  return QueryWriter().number(*number).bytes;
}
llvm::Expected<std::string> bytesOf(llvm::Expected<std::string> text) {
  if (!text)
    return text.takeError();
  return QueryWriter().text(*text).bytes;
}
std::string bytesOfItem(const std::optional<std::string> &item) {
  QueryWriter to;
  to.number(item ? 1 : 0);
  if (item)
    to.text(*item);
  return to.bytes;
}

} // namespace

llvm::Error TcpService::setPairs(const Query &query) {
  for (size_t i = 0; i + 1 < query.texts.size(); i += 2) {
    if (llvm::Error error = data_.set(query.texts[i], query.texts[i + 1]))
      return error;
    wake(query.texts[i]);
  }
  return llvm::Error::success();
}

llvm::Expected<std::string> TcpService::change(const Query &query) {
  llvm::ArrayRef<llvm::StringRef> texts = query.texts;
  switch (query.kind) {
  case QueryKind::Set:
    return bytesOf(data_.set(texts[0], texts[1]));
  case QueryKind::Append:
    return bytesOf(data_.append(texts[0], texts[1]));
  case QueryKind::QueuePush:
    return bytesOf(data_.push(texts[0], texts[1]));
  case QueryKind::MultiSet:
    return bytesOf(setPairs(query));
  case QueryKind::CompareSet:
    return bytesOf(data_.compareSet(texts[0], texts[1], texts[2]));
  case QueryKind::Add:
    return bytesOf(data_.add(texts[0], query.number));
  case QueryKind::Delete:
    return bytesOf(llvm::Expected<int64_t>(data_.erase(texts[0]) ? 1 : 0));
  case QueryKind::QueuePop:
    return bytesOfItem(data_.pop(texts[0]));
  case QueryKind::Validate:
  case QueryKind::Get:
  case QueryKind::Check:
  case QueryKind::Wait:
  case QueryKind::NumKeys:
  case QueryKind::MultiGet:
  case QueryKind::CancelWait:
  case QueryKind::Ping:
  case QueryKind::QueueLength:
  case QueryKind::ListKeys:
  case QueryKind::Hello:
    break;
  }
  return std::string();
}

// A query without a status has no way to refuse, so its client is dropped.
void TcpService::answerWrite(Session session, State &state, const Query &query) {
  llvm::Expected<std::string> result = change(query);
  if (!result) {
    std::string why = messageOf(result.takeError());
    if (!query.answered)
      return drop(session, state, "its query is refused: " + why);
    state.output += QueryWriter().status(QueryStatus::Refused).text(why).bytes;
    return;
  }
  if (query.answered)
    state.output += QueryWriter().status(QueryStatus::Done).bytes;
  state.output += *result;
  if (!query.texts.empty())
    wake(query.texts[0]);
}

// --- Waits -----------------------------------------------------------------------------------------------------------

bool TcpService::hasAll(llvm::ArrayRef<std::string> keys) const {
  return llvm::all_of(keys, [&](const std::string &key) { return data_.has(key); });
}

void TcpService::beginWait(Session session, State &state, const Query &query) {
  std::vector<std::string> keys;
  for (llvm::StringRef key : query.texts)
    keys.push_back(key.str());
  if (hasAll(keys)) {
    state.output += QueryWriter().byte(isReady).bytes;
    return;
  }
  state.awaited = std::move(keys);
  for (const std::string &key : state.awaited)
    waiters_[key].insert(session);
}

void TcpService::endWait(Session session, State &state) {
  for (const std::string &key : state.awaited) {
    auto found = waiters_.find(key);
    if (found == waiters_.end())
      continue;
    found->second.erase(session);
    if (found->second.empty())
      waiters_.erase(found);
  }
  state.awaited.clear();
}

void TcpService::wake(llvm::StringRef key) {
  auto found = waiters_.find(key);
  if (found == waiters_.end())
    return;
  for (Session session : std::vector<Session>(found->second.begin(), found->second.end())) {
    State &state = sessions_.at(session);
    if (!hasAll(state.awaited))
      continue;
    endWait(session, state);
    state.output += QueryWriter().byte(isReady).bytes;
    touched_.insert(session);
  }
}

} // namespace ccgraph::runtime
