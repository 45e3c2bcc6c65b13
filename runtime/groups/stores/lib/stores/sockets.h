// Sockets: to listen on an address, to connect to one, and to wait for a socket, all without blocking for longer than a
// deadline.
//
// Ownership: the caller closes the sockets, all of which are non-blocking. Failure: an std::error_code with the
// system's reason, or a text for a host that is unknown. Cost: that of the system calls.
#pragma once

#include "llvm/Support/Error.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace ccgraph::runtime {

using SocketClock = std::chrono::steady_clock;

/// Waits until the socket can be read (POLLIN) or written to (POLLOUT). False where the time passes first.
[[nodiscard]] bool awaitSocket(int socket, short events, SocketClock::time_point until);
/// A socket that listens on an address of `host`, which is one of this machine's. Port 0: a free one.
[[nodiscard]] llvm::Expected<int> listenOn(const std::string &host, uint16_t port);
/// Accepts the next caller, if there is one; it does not block. Negative: there is none, and errno has the reason.
[[nodiscard]] int acceptSocket(int listener);
/// Makes one attempt. Returns nothing where no process listens there yet; fails where the host is unknown.
[[nodiscard]] llvm::Expected<std::optional<int>> connectSocket(const std::string &host, uint16_t port,
                                                               SocketClock::time_point until);
/// The port of a socket's own end.
[[nodiscard]] uint16_t portOf(int socket);
/// "127.0.0.1:43210": the other end of a connection.
[[nodiscard]] std::string peerOf(int socket);

} // namespace ccgraph::runtime
