#include "process_groups/device_call.h"

#include "llvm/Support/MathExtras.h"

namespace ccgraph::runtime {
namespace {

constexpr int64_t smallest = 256;

int64_t bytesOf(const Buffer &row) { return row.numElements() * static_cast<int64_t>(sizeInBytes(row.dtype())); }
std::byte *dataOf(const Buffer &row) { return row.pieces().empty() ? nullptr : row.pieces().front().data(); }

} // namespace

DevicePool::~DevicePool() {
  for (const auto &[memory, bytes] : sizes_)
    (void)calls_.release(memory);
  for (GpuEvent event : events_)
    (void)calls_.destroyEvent(event);
}

int DevicePool::take(int64_t bytes, std::byte *&memory) {
  auto size = static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(std::max(bytes, smallest))));
  std::vector<std::byte *> &free = free_[size];
  if (!free.empty()) {
    memory = free.back();
    free.pop_back();
    return 0;
  }
  if (int code = calls_.allocate(GpuPurpose::Communication, size, memory))
    return code;
  sizes_[memory] = size;
  return 0;
}

void DevicePool::give(std::byte *memory) { free_[sizes_.at(memory)].push_back(memory); }

int DevicePool::takeEvent(GpuEvent &event) {
  if (events_.empty())
    return calls_.createEvent("call", event);
  event = events_.back();
  events_.pop_back();
  return 0;
}

DeviceCall::~DeviceCall() { release(); }

void DeviceCall::release() {
  for (std::byte *memory : memory_)
    pool_.give(memory);
  memory_.clear();
  if (ended_)
    pool_.giveEvent(*ended_);
  ended_.reset();
}

std::byte *DeviceCall::scratch(int64_t bytes) {
  std::byte *memory = nullptr;
  if (pool_.take(bytes, memory) != 0)
    return nullptr;
  memory_.push_back(memory);
  return memory;
}

int DeviceCall::onDevice(const Buffer &row, Buffer &made) {
  made = {};
  if (row.pieces().empty())
    return 0;
  int64_t bytes = bytesOf(row);
  std::byte *memory = nullptr;
  if (int code = pool_.take(bytes, memory))
    return code;
  memory_.push_back(memory);
  auto storage = std::make_shared<Storage>(0);
  storage->lookAt(memory, bytes);
  made = Buffer(Tensor::over(std::move(storage), row.dtype(), {{row.numElements()}, {1}}));
  return 0;
}

int DeviceCall::copy(GpuCopy way, const Buffer &host, const Buffer &device, GpuStream stream) {
  bool in = way == GpuCopy::ToDevice;
  if (bytesOf(host) == 0)
    return 0;
  return pool_.calls().copy(way, dataOf(in ? device : host), dataOf(in ? host : device), bytesOf(host), stream);
}

// A row that is filled in place has one place on the device too.
int DeviceCall::copyIn(GpuStream stream) {
  const Launch &host = launch_->launch();
  rows_ = host;
  for (size_t i = 0; i < host.send.size(); ++i) {
    if (int code = onDevice(host.send[i], rows_.send[i]))
      return code;
    if (int code = copy(GpuCopy::ToDevice, host.send[i], rows_.send[i], stream))
      return code;
    bool inPlace = dataOf(host.send[i]) == dataOf(host.receive[i]) && bytesOf(host.send[i]) == bytesOf(host.receive[i]);
    if (inPlace)
      rows_.receive[i] = rows_.send[i];
    else if (int code = onDevice(host.receive[i], rows_.receive[i]))
      return code;
  }
  return 0;
}

int DeviceCall::copyOut(GpuStream stream) {
  const Launch &host = launch_->launch();
  for (size_t i = 0; i < host.receive.size(); ++i)
    if (int code = copy(GpuCopy::ToHost, host.receive[i], rows_.receive[i], stream))
      return code;
  GpuEvent event;
  if (int code = pool_.takeEvent(event))
    return code;
  ended_ = event;
  return pool_.calls().record(event, stream);
}

int DeviceCall::query(bool &ended) { return pool_.calls().query(*ended_, ended); }

void DeviceCall::complete() {
  launch_->takeResults();
  complete_ = true;
  release();
}

} // namespace ccgraph::runtime
