// Calls kernels in bulk, so that their results can be compared with PyTorch's results for the same calls.
//
//   ccgraph_kernel_calls --list                          every kernel's operator, one a line
//   ccgraph_kernel_calls CALLS VALUES RESULTS OUTPUTS    one JSON object a line in CALLS gives one in RESULTS
//   ccgraph_kernel_calls --provider NAME ...             the same, of a provider's kernels; listed are those that
//                                                        builtin has, too
//   ccgraph_kernel_calls --provider NAME --in-windows ...   its results are those that it puts into windows
//
// A call holds its target, the storages of its tensors (offset and length in VALUES), the tensors (dtype, sizes,
// strides, offset, storage), and arguments. A result holds the kernel's result, every tensor of the call after it, and
// all storages (offset and length in OUTPUTS). A result that is a tensor of the call has its number, so that identity
// and aliasing can be compared, too. tests/torch/opinfo.py reads the results.
//
// Each call is made twice, the second time into windows as engines offer them: a difference is an error. A provider's
// results in windows may differ within a tolerance, since the order of additions in some of its kernels depends on the
// alignment of memory. These are separate results, and only values that it writes over an operand must be equal.
//
// One process serves all calls, since a process for each call would take longer than the calls.
#include "ccgraph/runtime/kernel_provider.h"
#include "ccgraph/runtime/kernels.h"
#include "support/offered_windows.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <new>

namespace ccgraph::runtime {
namespace {

namespace json = llvm::json;

IntList dimsOf(const json::Value &list) {
  IntList dims;
  for (const json::Value &value : *list.getAsArray())
    dims.push_back(*value.getAsInteger());
  return dims;
}

/// Returns the arguments by parameter, as providers take them.
llvm::Expected<std::vector<Value>> byParameter(const ProvidedKernel &kernel, KernelCall call) {
  llvm::SmallVector<llvm::StringRef, 8> names;
  kernel.parameters().split(names, ',', -1, false);
  std::vector<Value> values(call.positional.begin(), call.positional.end());
  for (auto &[name, value] : call.keywords) {
    auto at = static_cast<size_t>(llvm::find(names, name) - names.begin());
    if (at == names.size())
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "has no parameter '" + name + "'");
    values.resize(std::max(values.size(), at + 1));
    values[at] = std::move(value);
  }
  return values;
}

std::optional<test::KernelUnderTest> kernelOf(const KernelProvider *provider, const std::string &target) {
  if (provider) {
    const ProvidedKernel *kernel = provider->find(target);
    if (!kernel)
      return std::nullopt;
    return test::KernelUnderTest{target, [kernel](KernelCall call, Destinations windows) -> llvm::Expected<Value> {
                                   auto values = byParameter(*kernel, std::move(call));
                                   return values ? kernel->compute(*values, windows) : values.takeError();
                                 }};
  }
  const Kernel *kernel = findKernel(target);
  if (!kernel)
    return std::nullopt;
  return test::underTest(*kernel);
}

/// The provider of the kernels, and where their results go.
struct Subject {
  /// null: ccgraph's own kernels
  const KernelProvider *provider = nullptr;
  bool inWindows = false;
};

/// One call, from its line to its result.
class Call {
public:
  Call(const json::Object &line, llvm::StringRef values) : line_(line), values_(values) {
    for (const json::Value &range : *line.getArray("storages"))
      addStorage(values.substr(static_cast<size_t>(*(*range.getAsArray())[0].getAsInteger()),
                               static_cast<size_t>(*(*range.getAsArray())[1].getAsInteger())));
    for (const json::Value &tensor : *line.getArray("tensors"))
      addTensor(*tensor.getAsArray());
  }

  json::Value run(const Subject &subject, llvm::raw_ostream &outputs) {
    std::optional<test::KernelUnderTest> kernel = kernelOf(subject.provider, line_.getString("target")->str());
    if (!kernel)
      return json::Object{{"error", "no kernel"}};
    KernelCall call = given();
    test::TwinCall twin(call);
    llvm::Expected<Value> result = kernel->call(std::move(call), {});
    if (!result)
      return json::Object{{"error", llvm::toString(result.takeError())}};
    if (subject.inWindows)
      return Call(line_, values_).runIn(twin.windowsFor(*result), *kernel, outputs);
    std::string difference =
        subject.provider ? twin.differenceOverOperands(*kernel, *result) : twin.differenceInWindows(*kernel, *result);
    return difference.empty() ? answer(*result, outputs) : json::Object{{"error", difference}};
  }

private:
  json::Value runIn(Destinations windows, const test::KernelUnderTest &kernel, llvm::raw_ostream &outputs) {
    llvm::Expected<Value> result = kernel.call(given(), windows);
    return result ? answer(*result, outputs) : json::Object{{"error", llvm::toString(result.takeError())}};
  }

  KernelCall given() {
    KernelCall call;
    for (const json::Value &argument : *line_.getArray("args"))
      call.positional.push_back(decode(argument));
    for (const auto &[name, argument] : *line_.getObject("kwargs"))
      call.keywords.emplace_back(name.str(), decode(argument));
    return call;
  }

  json::Value answer(const Value &result, llvm::raw_ostream &outputs) {
    json::Value encoded = encode(result);
    return json::Object{{"result", std::move(encoded)}, {"tensors", tensorsNow()}, {"storages", store(outputs)}};
  }

  void addStorage(llvm::StringRef bytes) {
    Tensor tensor = Tensor::zeros(DType::U8, {static_cast<int64_t>(bytes.size())});
    if (!bytes.empty())
      std::memcpy(tensor.data(), bytes.data(), bytes.size());
    storages_.push_back(tensor);
  }

  void addTensor(const json::Array &spec) {
    Window window{dimsOf(spec[1]), dimsOf(spec[2]), *spec[3].getAsInteger()};
    const Tensor &storage = storages_[static_cast<size_t>(*spec[4].getAsInteger())];
    tensors_.push_back(storage.reinterpret(*parseShortDType(*spec[0].getAsString()), std::move(window)));
  }

  Value decode(const json::Value &value) {
    if (value.kind() == json::Value::Null)
      return {};
    if (std::optional<bool> truth = asOptional(value.getAsBoolean()))
      return Value::boolean(*truth);
    const auto &[kind, inner] = *value.getAsObject()->begin();
    llvm::StringRef name = kind;
    if (name == "i")
      return Value::integer(*inner.getAsInteger());
    if (name == "f")
      return Value::floating(std::strtod(inner.getAsString()->str().c_str(), nullptr));
    if (name == "c")
      return Value::complex({std::strtod((*inner.getAsArray())[0].getAsString()->str().c_str(), nullptr),
                             std::strtod((*inner.getAsArray())[1].getAsString()->str().c_str(), nullptr)});
    if (name == "s")
      return Value::string(inner.getAsString()->str());
    if (name == "d")
      return Value::dtype(*parseShortDType(*inner.getAsString()));
    if (name == "t")
      return tensors_[static_cast<size_t>(*inner.getAsInteger())];
    if (name == "device")
      return Value::device(Device());
    Value::List list;
    for (const json::Value &element : *inner.getAsArray())
      list.push_back(decode(element));
    return Value::list(std::move(list));
  }

  template <typename T>
  static std::optional<T> asOptional(const llvm::Optional<T> &value) {
    return value ? std::optional<T>(*value) : std::nullopt;
  }

  json::Value encode(const Value &value) {
    switch (value.kind()) {
    case Value::Kind::None:
      return nullptr;
    case Value::Kind::Bool:
      return value.boolean();
    case Value::Kind::Int:
      return json::Object{{"i", value.integer()}};
    case Value::Kind::Float: {
      std::string text;
      llvm::raw_string_ostream(text) << llvm::format("%.17g", value.floating());
      return json::Object{{"f", text}};
    }
    case Value::Kind::Complex:
      return json::Object{{"c", json::Array{value.complex().real(), value.complex().imag()}}};
    case Value::Kind::Tensor:
      return json::Object{{"t", static_cast<int64_t>(numberOf(value.tensor()))}};
    case Value::Kind::List: {
      json::Array list;
      for (const Value &element : value.list())
        list.push_back(encode(element));
      return json::Object{{"l", std::move(list)}};
    }
    case Value::Kind::String:
    case Value::Kind::DType:
    case Value::Kind::Device:
    case Value::Kind::Slice:
    case Value::Kind::Opaque:
      return json::Object{{"s", value.describe()}};
    }
    return nullptr;
  }

  size_t numberOf(const Tensor &tensor) {
    for (size_t i = 0; i < tensors_.size(); ++i)
      if (tensors_[i].isSameObject(tensor))
        return i;
    tensors_.push_back(tensor);
    return tensors_.size() - 1;
  }

  size_t storageOf(const Tensor &tensor) {
    for (size_t i = 0; i < storages_.size(); ++i)
      if (storages_[i].storage() == tensor.storage())
        return i;
    storages_.push_back(tensor);
    return storages_.size() - 1;
  }

  json::Array tensorsNow() {
    json::Array list;
    for (const Tensor &tensor : tensors_)
      list.push_back(json::Array{shortName(tensor.dtype()), json::Array(tensor.sizes()), json::Array(tensor.strides()),
                                 tensor.offset(), static_cast<int64_t>(storageOf(tensor))});
    return list;
  }

  json::Array store(llvm::raw_ostream &outputs) {
    json::Array list;
    for (const Tensor &tensor : storages_) {
      llvm::ArrayRef<std::byte> bytes;
      if (const Storage *storage = tensor.storage())
        bytes = {storage->data(), static_cast<size_t>(storage->size())};
      list.push_back(json::Array{static_cast<int64_t>(outputs.tell()), static_cast<int64_t>(bytes.size())});
      outputs.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    }
    return list;
  }

  const json::Object &line_;
  llvm::StringRef values_;
  /// one tensor for each storage
  std::vector<Tensor> storages_;
  std::vector<Tensor> tensors_;
};

int runCalls(const Subject &subject, char *const *paths) {
  auto calls = llvm::MemoryBuffer::getFile(paths[0]), values = llvm::MemoryBuffer::getFile(paths[1]);
  std::error_code failure;
  llvm::raw_fd_ostream results(paths[2], failure), outputs(paths[3], failure);
  if (!calls || !values || failure) {
    llvm::errs() << "cannot open the files\n";
    return 1;
  }
  for (llvm::line_iterator line(**calls); !line.is_at_eof(); ++line) {
    llvm::Expected<json::Value> parsed = json::parse(*line);
    if (!parsed) {
      llvm::errs() << "line " << line.line_number() << ": " << llvm::toString(parsed.takeError()) << '\n';
      return 1;
    }
    results << Call(*parsed->getAsObject(), (*values)->getBuffer()).run(subject, outputs) << '\n';
  }
  return 0;
}

} // namespace
} // namespace ccgraph::runtime

int main(int argc, char **argv) {
  using namespace ccgraph::runtime; // NOLINT(google-build-using-namespace): a program
  Subject subject;
  llvm::ArrayRef<char *> arguments(argv + 1, argv + argc);
  if (arguments.size() > 1 && llvm::StringRef(arguments[0]) == "--provider") {
    subject.provider = findKernelProvider(arguments[1]);
    llvm::Error error = subject.provider
                            ? subject.provider->checkAvailable()
                            : llvm::createStringError(llvm::inconvertibleErrorCode(), "no provider of this name");
    if (error) {
      llvm::errs() << llvm::toString(std::move(error)) << '\n';
      return 1;
    }
    arguments = arguments.drop_front(2);
  }
  if (subject.provider && !arguments.empty() && llvm::StringRef(arguments[0]) == "--in-windows") {
    subject.inWindows = true;
    arguments = arguments.drop_front();
  }
  if (arguments.size() == 1 && llvm::StringRef(arguments[0]) == "--list") {
    for (const Kernel &kernel : allKernels())
      if (!subject.provider || subject.provider->find(kernel.target))
        llvm::outs() << kernel.target << '\n';
    return 0;
  }
  if (arguments.size() != 4) {
    llvm::errs()
        << "usage: ccgraph_kernel_calls [--provider NAME [--in-windows]] --list | CALLS VALUES RESULTS OUTPUTS\n";
    return 2;
  }
  return runCalls(subject, arguments.data());
}
