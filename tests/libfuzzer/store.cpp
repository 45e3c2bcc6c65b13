// Fuzzes the protocol of tcp stores: the bytes of two clients, in parts, at one server.
#include "stores/tcp_service.h"

#include <cstdlib>

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace ccgraph::runtime;
  StoreLimits limits{.keyBytes = 64, .valueBytes = 256, .totalBytes = 4096};
  TcpService service({limits, ""});
  std::string greeting = QueryWriter(QueryKind::Validate).shortNumber(storeMagic).bytes;
  for (TcpService::Session session : {0, 1}) {
    service.connect(session);
    service.receive(session, greeting);
  }
  // The first byte of each part says whose it is, and how long.
  llvm::StringRef rest(reinterpret_cast<const char *>(data), size);
  while (!rest.empty()) {
    auto head = static_cast<uint8_t>(rest.front());
    llvm::StringRef part = rest.drop_front().take_front(head >> 1);
    rest = rest.drop_front(1 + part.size());
    service.receive(head & 1, part);
    if (service.data().bytes() > limits.totalBytes)
      std::abort();
  }
  service.disconnect(0);
  service.disconnect(1);
  return 0;
}
