#include "process_groups/call_checks.h"

#include "collectives/reduce.h"
#include "process_groups/group_error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <map>

namespace ccgraph::runtime {
namespace {

using llvm::Twine;

std::string sizesText(const Tensor &tensor) {
  std::string text;
  for (int64_t size : tensor.sizes())
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "(" + text + ")";
}

/// "2 3", as c10d prints a list of sizes.
std::string wordsOf(const Tensor &tensor) {
  std::string text;
  for (int64_t size : tensor.sizes())
    text += (text.empty() ? "" : " ") + std::to_string(size);
  return text;
}

int64_t rowsOf(const Tensor &tensor) { return tensor.rank() == 0 ? 1 : tensor.size(0); }

/// C++'s names of dtypes in c10d's checks.
std::string nativeName(DType dtype) {
  static const std::map<DType, std::string> names = {{DType::U8, "unsigned char"},
                                                     {DType::I8, "signed char"},
                                                     {DType::I16, "short"},
                                                     {DType::I32, "int"},
                                                     {DType::I64, "long"},
                                                     {DType::F16, "c10::Half"},
                                                     {DType::BF16, "c10::BFloat16"},
                                                     {DType::F32, "float"},
                                                     {DType::F64, "double"},
                                                     {DType::Bool, "bool"},
                                                     {DType::C64, "c10::complex<float>"},
                                                     {DType::C128, "c10::complex<double>"}};
  auto found = names.find(dtype);
  return found == names.end() ? torchName(dtype).str() : found->second;
}

class CallCheck {
public:
  CallCheck(const GroupCall &call, const GroupPlace &place) : call_(call), place_(place) {}

  llvm::Error run() {
    checkDTypes();
    if (!isFound() && reduces())
      checkComplexReduction();
    if (!isFound())
      checkShapes();
    return result();
  }

  llvm::Error runReduction() {
    if (reduces())
      checkReduction();
    return result();
  }

private:
  llvm::Error result() {
    if (!isFound())
      return llvm::Error::success();
    return groupError(rule_, groupOpName(call_.op), std::move(message_), std::move(repair_));
  }
  [[nodiscard]] bool isFound() const { return !message_.empty(); }
  [[nodiscard]] bool isRoot() const { return call_.root == place_.rank; }

  void find(std::string message, std::string repair = "") {
    if (isFound())
      return;
    rule_ = "group.argument";
    message_ = std::move(message);
    repair_ = std::move(repair);
  }
  void findDType(std::string message, std::string repair = "") {
    if (isFound())
      return;
    find(std::move(message), std::move(repair));
    rule_ = "group.dtype";
  }

  // --- Dtypes ---------------------------------------------------------------------------------------------------
  /// The order in which torch.distributed compares the tensors of a call.
  [[nodiscard]] llvm::SmallVector<const Tensor *, 8> comparedTensors() const {
    bool inputsFirst = call_.op == GroupOp::Gather;
    llvm::SmallVector<const Tensor *, 8> all;
    for (const std::vector<Tensor> *list :
         {inputsFirst ? &call_.inputs : &call_.outputs, inputsFirst ? &call_.outputs : &call_.inputs})
      for (const Tensor &tensor : *list)
        all.push_back(&tensor);
    return all;
  }

  void checkDTypes() {
    llvm::SmallVector<const Tensor *, 8> all = comparedTensors();
    for (size_t i = 1; i < all.size(); ++i) {
      DType before = dtypeInCalls(all[i - 1]->dtype()), dtype = dtypeInCalls(all[i]->dtype());
      if (before == dtype)
        continue;
      if (call_.op == GroupOp::ReduceScatterTensor)
        return;
      std::string found = "torch." + torchName(before).str() + " and torch." + torchName(dtype).str();
      return findDType(call_.op == GroupOp::AllGatherIntoTensor
                           ? "invalid tensor type at index 0: Found " + found
                           : "Invalid usage of tensors with different dtypes: Found " + found,
                       "convert the tensors of a call to one dtype");
    }
  }

  // --- Reductions -----------------------------------------------------------------------------------------------
  [[nodiscard]] bool reduces() const {
    switch (call_.op) {
    case GroupOp::AllReduce:
    case GroupOp::AllReduceCoalesced:
    case GroupOp::Reduce:
    case GroupOp::ReduceScatter:
    case GroupOp::ReduceScatterTensor:
    case GroupOp::ReduceScatterTensorCoalesced:
      return !call_.inputs.empty();
    case GroupOp::Broadcast:
    case GroupOp::AllGather:
    case GroupOp::AllGatherIntoTensor:
    case GroupOp::AllGatherCoalesced:
    case GroupOp::AllGatherIntoTensorCoalesced:
    case GroupOp::Gather:
    case GroupOp::Scatter:
    case GroupOp::AllToAll:
    case GroupOp::AllToAllSingle:
    case GroupOp::Barrier:
    case GroupOp::Send:
    case GroupOp::Recv:
    case GroupOp::RecvAnySource:
      return false;
    }
    return false;
  }

  void checkComplexReduction() {
    DType dtype = call_.inputs.front().dtype();
    if (isComplex(dtype) && !isDefinedOn(call_.reduction.op(), dtype))
      findDType(groupOpName(call_.op).str() + " does not support " + call_.reduction.str() + " on complex tensors");
  }

  void checkReduction() {
    DType dtype = call_.inputs.front().dtype();
    ReduceOp op = call_.reduction.op();
    bool isBitwise = op == ReduceOp::Band || op == ReduceOp::Bor || op == ReduceOp::Bxor;
    bool isInteger = classOf(dtype) == DTypeClass::Integer || dtype == DType::Bool;
    if (isBitwise && !isInteger)
      return findDType("Cannot use ReduceOp." + reduceOpName(op).upper() + " with non-integral dtype " +
                       torchName(dtype).str());
    if (op == ReduceOp::Avg && isInteger)
      return findDType("result type Float can't be cast to the desired output type " + scalarTypeName(dtype).str(),
                       "an average of integers is no integer: sum them, and divide");
    if (call_.reduction.factor() && !isFloat(dtype))
      return findDType("premul_sum multiplies floating-point tensors, got torch." + torchName(dtype).str());
    if (llvm::Error error = checkReducible(op, dtype))
      findDType(llvm::toString(std::move(error)));
  }

  // --- Lists and sizes ------------------------------------------------------------------------------------------
  void checkShapes() {
    switch (call_.op) {
    case GroupOp::Broadcast:
    case GroupOp::Reduce:
      return checkRoot();
    case GroupOp::AllGather:
      return checkAllGather();
    case GroupOp::AllGatherIntoTensor:
    case GroupOp::AllGatherIntoTensorCoalesced:
      return checkIntoTensors(/*gathers=*/true);
    case GroupOp::ReduceScatterTensor:
    case GroupOp::ReduceScatterTensorCoalesced:
      return checkIntoTensors(/*gathers=*/false);
    case GroupOp::AllGatherCoalesced:
      return checkAllGatherCoalesced();
    case GroupOp::Gather:
      return checkGather();
    case GroupOp::Scatter:
      return checkScatter();
    case GroupOp::ReduceScatter:
      return checkReduceScatter();
    case GroupOp::AllToAll:
      return checkAllToAll();
    case GroupOp::AllToAllSingle:
      return checkSplits();
    case GroupOp::Send:
    case GroupOp::Recv:
      return checkPeer();
    case GroupOp::AllReduce:
    case GroupOp::AllReduceCoalesced:
    case GroupOp::Barrier:
    case GroupOp::RecvAnySource:
      return;
    }
  }

  void checkRoot() {
    if (call_.root < 0 || call_.root >= place_.size)
      find("invalid root rank: " + std::to_string(call_.root),
           "give a rank within the group, 0 to " + std::to_string(place_.size - 1));
  }

  void checkPeer() {
    bool sends = call_.op == GroupOp::Send;
    std::string end = sends ? "destination" : "source";
    if (sends && call_.peer == place_.rank)
      return find(
          "Invalid destination rank: destination rank should not be the same as the rank of the current process.");
    if (call_.peer < 0 || call_.peer >= place_.size)
      find("Invalid " + end + " rank: " + std::to_string(call_.peer),
           "give a rank within the group, 0 to " + std::to_string(place_.size - 1));
  }

  /// All tensors of a list have the sizes of `like`, where complex numbers are pairs.
  void checkSizes(llvm::ArrayRef<Tensor> list, const Tensor &like) {
    Tensor expected = viewAsReal(like);
    for (size_t i = 0; i < list.size(); ++i)
      if (Tensor got = viewAsReal(list[i]); got.sizes() != expected.sizes())
        return find((Twine("invalid tensor size at index ") + Twine(i) + " (expected " + sizesText(expected) +
                     ", got " + sizesText(got) + ")")
                        .str());
  }

  /// A reduction has no pairs of numbers: a call of complex numbers has no tensor of real ones.
  void checkReducedDType(const Tensor &output, const Tensor &input, llvm::StringRef what) {
    if (output.dtype() != input.dtype())
      findDType((Twine("Check failed: ") + what + " (" + nativeName(output.dtype()) + " vs. " +
                 nativeName(input.dtype()) + ").")
                    .str(),
                "convert the tensors of a call to one dtype");
  }

  void checkAllGather() {
    if (static_cast<int64_t>(call_.outputs.size()) != place_.size)
      return find((Twine("invalid output tensor list at index 0 (expected length ") + Twine(place_.size) + ", got " +
                   Twine(call_.outputs.size()) + ")")
                      .str());
    checkSizes(call_.outputs, call_.inputs.front());
  }

  void checkAllGatherCoalesced() {
    if (call_.outputs.size() != call_.inputs.size() * static_cast<size_t>(place_.size))
      return find("output lists should be equal to world size",
                  "give a list of as many tensors as inputs for each rank");
    for (size_t i = 0; i < call_.outputs.size(); ++i)
      checkSizes(call_.outputs[i], call_.inputs[i % call_.inputs.size()]);
  }

  void checkIntoTensors(bool gathers) {
    if (call_.inputs.size() != call_.outputs.size())
      return find((Twine("got ") + Twine(call_.inputs.size()) + " inputs and " + Twine(call_.outputs.size()) +
                   " outputs, expected as many")
                      .str());
    for (size_t i = 0; i < call_.inputs.size(); ++i) {
      const Tensor &small = gathers ? call_.inputs[i] : call_.outputs[i];
      const Tensor &large = gathers ? call_.outputs[i] : call_.inputs[i];
      if (!gathers)
        checkReducedDType(small, large, "outputTensors[i].dtype() == inputTensors[i].dtype()");
      if (isFound())
        return;
      int64_t expected = viewAsReal(small).numElements() * place_.size, got = viewAsReal(large).numElements();
      if (expected == got)
        continue;
      return find(gathers ? (Twine("invalid tensor size at index ") + Twine(i) + " (expected " + Twine(expected) +
                             " elements for " + Twine(place_.size) + " ranks, got " + Twine(got) + ")")
                                .str()
                          : (Twine("Check failed: outputShape[0] * worldSize == inputShape[0] (") + Twine(expected) +
                             " vs. " + Twine(got) + ").")
                                .str());
    }
  }

  void checkGather() {
    checkRoot();
    if (isRoot() && call_.outputs.empty())
      return find("Argument ``gather_list`` must be specified on destination rank.");
    if (!isRoot() && !call_.outputs.empty())
      return find("Argument ``gather_list`` must NOT be specified on non-destination ranks.");
    if (isRoot() && static_cast<int64_t>(call_.outputs.size()) != place_.size)
      return find((Twine("Incorrect output list size ") + Twine(call_.outputs.size()) +
                   ". Output list size should be " + Twine(place_.size) + ", same as size of the process group.")
                      .str());
    checkSizes(call_.outputs, call_.inputs.front());
  }

  void checkScatter() {
    checkRoot();
    if (isRoot() && call_.inputs.empty())
      return find("Argument ``scatter_list`` must be specified on source rank.");
    if (!isRoot() && !call_.inputs.empty())
      return find("Argument ``scatter_list`` must NOT be specified on non-source ranks.");
    if (isRoot() && static_cast<int64_t>(call_.inputs.size()) != place_.size)
      return find((Twine("Incorrect input list size ") + Twine(call_.inputs.size()) + ". Input list size should be " +
                   Twine(place_.size) + ", same as size of the process group.")
                      .str());
    checkSizes(call_.inputs, call_.outputs.front());
  }

  void checkReduceScatter() {
    if (static_cast<int64_t>(call_.inputs.size()) != place_.size)
      return find("invalid input tensor list size, must be world size");
    const Tensor &output = call_.outputs.front();
    for (const Tensor &input : call_.inputs) {
      checkReducedDType(output, input, "outputs[0].dtype() == inputs[0][i].dtype()");
      if (output.sizes() != input.sizes())
        find("Check failed: outputs[0].sizes().vec() == inputs[0][i].sizes().vec() (" + wordsOf(output) + " vs. " +
             wordsOf(input) + ").");
    }
  }

  void checkAllToAll() {
    for (const auto &[what, list] : {std::pair("output", &call_.outputs), std::pair("input", &call_.inputs)})
      if (static_cast<int64_t>(list->size()) != place_.size)
        return find((Twine(what) + " tensor list size " + Twine(list->size()) + " does not match world size " +
                     Twine(place_.size))
                        .str());
  }

  void checkSplits() {
    checkSplit(call_.outputs.front(), call_.outputSplits);
    checkSplit(call_.inputs.front(), call_.inputSplits);
  }

  void checkSplit(const Tensor &tensor, llvm::ArrayRef<int64_t> splits) {
    if (splits.empty()) {
      if (rowsOf(tensor) % place_.size != 0)
        find("Tensor's dim 0 does not divide equally across group size");
      return;
    }
    if (static_cast<int64_t>(splits.size()) != place_.size)
      return find("Number of tensor splits not equal to group size");
    if (llvm::any_of(splits, [](int64_t rows) { return rows < 0; }))
      return find("Split sizes must be non-negative");
    if (saturatingSum(splits) != rowsOf(tensor))
      find("Split sizes doesn't match total dim 0 size");
  }

  const GroupCall &call_;
  GroupPlace place_;
  llvm::StringRef rule_;
  std::string message_;
  std::string repair_;
};

} // namespace

std::optional<CallForm> CallForm::of(const GroupCall &call) {
  bool isInPlace = call.op == GroupOp::AllReduce || call.op == GroupOp::Broadcast || call.op == GroupOp::Reduce;
  if (!isInPlace || call.inputs.size() != 1)
    return std::nullopt;
  return CallForm{call.op, call.inputs.front().dtype(), call.reduction, call.root};
}

DType dtypeInCalls(DType dtype) { return dtype == DType::C64 ? DType::F32 : dtype; }

Tensor viewAsReal(const Tensor &tensor) {
  if (tensor.dtype() != DType::C64)
    return tensor;
  Window window{IntList(tensor.sizes().begin(), tensor.sizes().end()), {}, tensor.offset() * 2};
  for (int64_t stride : tensor.strides())
    window.strides.push_back(stride * 2);
  window.sizes.push_back(2);
  window.strides.push_back(1);
  return tensor.reinterpret(DType::F32, std::move(window));
}

llvm::Error checkCall(const GroupCall &call, const GroupPlace &place) { return CallCheck(call, place).run(); }
llvm::Error checkReductionOf(const GroupCall &call) { return CallCheck(call, {}).runReduction(); }

} // namespace ccgraph::runtime
