#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/memory_format.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {
namespace {

/// An in-place change of shape, and the view that the tensor becomes.
struct ShapeChange {
  llvm::StringLiteral target;
  llvm::StringLiteral view;
};

constexpr ShapeChange shapeChanges[] = {
    {"aten.as_strided_.default", "aten.as_strided.default"},
    {"aten.squeeze_.default", "aten.squeeze.default"},
    {"aten.squeeze_.dim", "aten.squeeze.dim"},
    {"aten.squeeze_.dims", "aten.squeeze.dims"},
    {"aten.swapaxes_.default", "aten.transpose.int"},
    {"aten.swapdims_.default", "aten.transpose.int"},
    {"aten.t_.default", "aten.t.default"},
    {"aten.transpose_.default", "aten.transpose.int"},
    {"aten.unsqueeze_.default", "aten.unsqueeze.default"},
};

Value becomeView(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  const auto *change = llvm::find_if(shapeChanges, [&](const ShapeChange &c) { return c.target == args.target(); });
  Value::List positional;
  for (unsigned i = 0; i < args.count(); ++i)
    positional.push_back(args.at(i));
  Tensor view = callForTensor(args, change->view, std::move(positional));
  if (args.failed())
    return {};
  self.become(view);
  return self;
}

bool checkSizes(KernelArgs &args, IntListRef sizes) {
  return args.check(llvm::none_of(sizes, [](int64_t size) { return size < 0; }),
                    "got sizes " + dimsOf(sizes) + ", expected none negative");
}

/// Equal sizes change nothing, unless a memory format is requested.
Value resizeTo(KernelArgs &args, const Tensor &self, IntListRef sizes, llvm::StringRef format) {
  format.consume_front("torch.");
  bool channelsLast = format == "channels_last" && sizes.size() == 4;
  if (args.failed() || !checkSizes(args, sizes) ||
      !args.check(channelsLast || format.empty() || format == "contiguous_format",
                  "got memory format '" + format + "', expected contiguous_format, or channels_last of 4 dimensions"))
    return {};
  if (self.sizes() != sizes || !format.empty())
    self.resize(sizes, channelsLast ? channelsLastStrides(sizes) : contiguousStrides(sizes));
  return self;
}

Value resize(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  IntList sizes = args.integers(1);
  return resizeTo(args, self, sizes, args.text(2, ""));
}

/// (self, size, device): what an `out` argument of other sizes goes through.
Value resizeOutput(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  IntList sizes = args.integers(1);
  return resizeTo(args, self, sizes, "");
}

Value resizeAs(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  const Tensor &like = args.tensor(1);
  llvm::StringRef format = args.text(2, "");
  if (llvm::StringRef(format).endswith("preserve_format"))
    format =
        isChannelsLast(like.sizes(), like.strides()) && !like.isContiguous() ? "channels_last" : "contiguous_format";
  return resizeTo(args, self, toIntList(like.sizes()), format);
}

Value setToNothing(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  if (!args.failed())
    self.become(Tensor::zeros(self.dtype(), {0}));
  return self;
}

/// The dtype does not change: PyTorch rejects a source of another dtype.
bool checkSource(KernelArgs &args, const Tensor &self, const Tensor &source) {
  return !args.failed() && args.check(self.dtype() == source.dtype(), "got a source " + typeOf(source) + " for " +
                                                                          typeOf(self) + ", expected an equal dtype");
}

Value setToTensor(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  const Tensor &source = args.tensor(1);
  if (!checkSource(args, self, source))
    return {};
  self.become(source);
  return self;
}

/// (self, source, storage_offset, size, stride = contiguous): a window onto the source's storage, which grows where it
/// is too small.
Value setToWindow(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  const Tensor &source = args.tensor(1);
  int64_t offset = args.integer(2);
  IntList sizes = args.integers(3);
  IntList strides = args.has(4) ? args.integers(4) : IntList();
  if (!checkSource(args, self, source) || !checkSizes(args, sizes) ||
      !args.check(offset >= 0 && (strides.empty() || strides.size() == sizes.size()),
                  "got storage_offset " + llvm::Twine(offset) + " and strides " + dimsOf(strides) + " for sizes " +
                      dimsOf(sizes) + ", expected no negative offset and as many strides as sizes"))
    return {};
  Tensor window = source.reinterpret(source.dtype(), {{0}, {1}, offset});
  window.resize(sizes, strides.empty() ? contiguousStrides(sizes) : strides);
  self.become(window);
  return self;
}

/// torch.Tensor.data = ...: any dtype will do.
Value setData(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  const Tensor &data = args.tensor(1);
  if (!args.failed())
    self.become(data);
  return {};
}

/// (variable, new_size): sets the size of a tensor's storage; the tensors in it are not changed. Bytes beyond a smaller
/// size read as zeros, as do new bytes, because every element of a tensor must be in its storage here.
Value resizeStorage(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  int64_t size = args.integer(1);
  if (args.failed() || !args.check(size >= 0, "got a size of " + llvm::Twine(size) + " bytes"))
    return {};
  self.resizeStorage(size);
  return {};
}

const Kernel metadataTable[] = {
    {"aten.as_strided_.default", "self,size,stride,storage_offset", becomeView},
    {"aten.squeeze_.default", "self", becomeView},
    {"aten.squeeze_.dim", "self,dim", becomeView},
    {"aten.squeeze_.dims", "self,dim", becomeView},
    {"aten.swapaxes_.default", "self,axis0,axis1", becomeView},
    {"aten.swapdims_.default", "self,dim0,dim1", becomeView},
    {"aten.t_.default", "self", becomeView},
    {"aten.transpose_.default", "self,dim0,dim1", becomeView},
    {"aten.unsqueeze_.default", "self,dim", becomeView},
    {"aten._resize_output_.default", "self,size,device", resizeOutput},
    {"aten.resize_.default", "self,size,memory_format", resize},
    {"aten.resize_as_.default", "self,the_template,memory_format", resizeAs},
    {"aten.set_.default", "self", setToNothing},
    {"aten.set_.source_Tensor", "self,source", setToTensor},
    {"aten.set_.source_Tensor_storage_offset", "self,source,storage_offset,size,stride", setToWindow},
    {"aten.set_data.default", "self,new_data", setData},
    {"inductor.resize_storage_bytes_.default", "variable,new_size", resizeStorage},
};

} // namespace

llvm::ArrayRef<Kernel> metadataKernels() { return metadataTable; }

} // namespace ccgraph::runtime
