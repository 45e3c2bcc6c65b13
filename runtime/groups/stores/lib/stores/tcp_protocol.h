// The protocol of tcp stores: queries of clients, as bytes.
//
// It is the protocol of torch.distributed 2.15, in which numbers are little-endian. A query is one byte for its kind,
// and then its operands; a text is a length of 8 bytes and so many bytes:
//
//    0 validate      u32 magic                       13 ping         u32 nonce -> the nonce
//    1 set           key value                        14 queue_push  queue value
//    2 compare_set   key expected desired -> value    15 queue_pop   queue -> u64 0, or u64 1 and the item
//    3 get           key -> value                     16 queue_len   queue -> i64
//    4 add           key i64 -> i64                   17 list_keys   -> u64 count, keys
//    5 check         u64 count, keys -> u8 0 or 1 (some key is absent)
//    6 wait          u64 count, keys -> u8 0, once all keys are set
//    7 num_keys      -> i64                           10 multi_get   u64 count, keys -> values
//    8 delete        key -> i64 0 or 1                11 multi_set   u64 count, pairs of key and value
//    9 append        key value                        12 cancel_wait -> u8 1
//
// The first query of a connection is validate. Clients of ccgraph use two additions:
//
//   64 hello         secret -> u8 status. It is the second query of a connection; required if the server has a secret
//   kind + 128       the same query, whose answer begins with a status; set, append, multi_set and queue_push, which
//                    have no answer otherwise, then have a status as their answer
//
// Status: 0 done; 1 refused, and a text with the reason follows; 2 the key is absent, or the queue is empty; 3 the
// client is dropped, and a text with the reason follows.
//
// Ownership: a parsed query borrows the bytes. Failure: a reason, for which the client is dropped. Cost: linear in the
// texts of a query; its bytes are not copied.
#pragma once

#include "ccgraph/runtime/store.h"

#include "llvm/ADT/SmallVector.h"

namespace ccgraph::runtime {

enum class QueryKind : uint8_t {
  Validate,
  Set,
  CompareSet,
  Get,
  Add,
  Check,
  Wait,
  NumKeys,
  Delete,
  Append,
  MultiGet,
  MultiSet,
  CancelWait,
  Ping,
  QueuePush,
  QueuePop,
  QueueLength,
  ListKeys,
  Hello = 64
};
enum class QueryStatus : uint8_t { Done, Refused, Absent, Dropped };

inline constexpr uint32_t storeMagic = 0x3C85F7CE;
inline constexpr uint8_t answeredBit = 128;
/// The answers to check and wait.
inline constexpr uint8_t isReady = 0, isNotReady = 1;

struct Query {
  QueryKind kind = QueryKind::Validate;
  /// its answer begins with a status
  bool answered = false;
  llvm::SmallVector<llvm::StringRef, 3> texts;
  /// of add; the magic and the nonce
  int64_t number = 0;
  /// bytes
  size_t size = 0;
};

struct ParsedQuery {
  /// empty where the query is not complete yet
  std::optional<Query> query;
  /// why these bytes cannot begin a query; empty where they can
  std::string wrong;
};
/// The kind of the query that begins with this byte; none if there is no such query.
[[nodiscard]] std::optional<QueryKind> queryKindOf(char first);
/// Reads the query that `bytes` begin with. A key or value beyond the limits is found before its bytes have come.
[[nodiscard]] ParsedQuery parseQuery(llvm::StringRef bytes, const StoreLimits &limits);

/// Of a secret, in bytes.
inline constexpr int64_t mostSecretBytes = 4096;
/// The limits of a hello, whose text is a secret.
inline constexpr StoreLimits helloLimits{.keyBytes = mostSecretBytes, .valueBytes = 0, .totalBytes = mostSecretBytes};

/// The bytes of queries and answers.
class QueryWriter {
public:
  QueryWriter() = default;
  explicit QueryWriter(QueryKind kind, bool answered = false) {
    byte(static_cast<uint8_t>(static_cast<uint8_t>(kind) | (answered ? answeredBit : 0)));
  }
  QueryWriter &byte(uint8_t value) {
    bytes.push_back(static_cast<char>(value));
    return *this;
  }
  QueryWriter &status(QueryStatus status) { return byte(static_cast<uint8_t>(status)); }
  QueryWriter &number(int64_t value);
  QueryWriter &shortNumber(uint32_t value);
  QueryWriter &text(llvm::StringRef text);
  QueryWriter &texts(llvm::ArrayRef<std::string> texts);

  std::string bytes;
};

} // namespace ccgraph::runtime
