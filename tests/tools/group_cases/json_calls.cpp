#include "json_calls.h"

namespace ccgraph::runtime {

using nlohmann::json;

std::optional<std::chrono::milliseconds> timeIn(const json &request) {
  if (!request.contains("timeout") || request["timeout"].is_null())
    return std::nullopt;
  return std::chrono::milliseconds(request["timeout"].get<int64_t>());
}

Tensor tensorOf(const json &tensor) {
  Window window;
  int64_t last = 0;
  for (int64_t size : tensor.at("sizes").get<std::vector<int64_t>>())
    window.sizes.push_back(size);
  for (int64_t stride : tensor.at("strides").get<std::vector<int64_t>>())
    window.strides.push_back(stride);
  for (size_t i = 0; i < window.sizes.size(); ++i)
    last += std::max<int64_t>(window.sizes[i] - 1, 0) * window.strides[i];
  DType dtype = parseTorchDType(tensor.at("dtype").get<std::string>()).value();
  auto storage = std::make_shared<Storage>(0);
  storage->lookAt(reinterpret_cast<std::byte *>(tensor.at("data").get<uintptr_t>()),
                  (last + 1) * static_cast<int64_t>(sizeInBytes(dtype)));
  return Tensor::over(storage, dtype, window);
}

std::vector<Tensor> tensorsIn(const json &request, const char *name) {
  std::vector<Tensor> all;
  for (const json &tensor : request.value(name, json::array()))
    all.push_back(tensorOf(tensor));
  return all;
}

llvm::Expected<WorkPtr> beginCall(ProcessGroup &group, const std::string &op, const json &request) {
  std::vector<Tensor> inputs = tensorsIn(request, "inputs"), outputs = tensorsIn(request, "outputs");
  llvm::Expected<Reduction> parsed = Reduction::parse(request.value("reduction", "sum"));
  if (!parsed)
    return parsed.takeError();
  Reduction reduction = *parsed;
  CallOptions options{timeIn(request)};
  int64_t root = request.value("root", int64_t{0}), peer = request.value("peer", int64_t{0});
  TransferOptions transfer{request.value("tag", int64_t{0}), options.timeout};
  if (op == "all_reduce")
    return group.allReduce(inputs.at(0), reduction, options);
  if (op == "all_reduce_coalesced")
    return group.allReduceCoalesced(inputs, reduction, options);
  if (op == "reduce")
    return group.reduce(inputs.at(0), root, reduction, options);
  if (op == "broadcast")
    return group.broadcast(inputs.at(0), root, options);
  if (op == "all_gather")
    return group.allGather(outputs, inputs.at(0), options);
  if (op == "all_gather_into_tensor")
    return group.allGatherIntoTensor(outputs.at(0), inputs.at(0), options);
  if (op == "gather")
    return group.gather(outputs, inputs.at(0), root, options);
  if (op == "scatter")
    return group.scatter(outputs.at(0), inputs, root, options);
  if (op == "reduce_scatter")
    return group.reduceScatter(outputs.at(0), inputs, reduction, options);
  if (op == "reduce_scatter_tensor")
    return group.reduceScatterTensor(outputs.at(0), inputs.at(0), reduction, options);
  if (op == "all_to_all")
    return group.allToAll(outputs, inputs, options);
  if (op == "all_to_all_single")
    return group.allToAllSingle(
        outputs.at(0), inputs.at(0),
        {request.value("output_splits", std::vector<int64_t>()), request.value("input_splits", std::vector<int64_t>())},
        options);
  if (op == "all_gather_coalesced") {
    std::vector<std::vector<Tensor>> lists;
    for (const json &list : request.at("lists"))
      lists.push_back(tensorsIn({{"inputs", list}}, "inputs"));
    return group.allGatherCoalesced(lists, inputs, options);
  }
  if (op == "send")
    return group.send(inputs.at(0), peer, transfer);
  if (op == "recv")
    return group.recv(outputs.at(0), peer, transfer);
  if (op == "recv_any")
    return group.recvAnySource(outputs.at(0), transfer);
  return group.barrier(options);
}

} // namespace ccgraph::runtime
