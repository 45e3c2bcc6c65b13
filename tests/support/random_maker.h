// RandomMaker builds one random program; random_program.h describes the result.
//
// It models PyTorch's state: storages, tensors in storages, and names of tensors. An in-place operator and a wait give
// one tensor another name, so all names see a change of its shape; a view is a tensor of its own. Ranges record which
// bytes of a storage are being filled or read, because a collective may fill one slice of a buffer while another
// collective fills the next.
//
// Ownership: owns the graph until make() returns it. Failure: none; a step that finds no suitable value makes no node.
// Cost: each step visits each value once.
#pragma once

#include "support/program_builder.h"
#include "support/random_program.h"

#include <functional>

namespace ccgraph::test {

/// The decisions of a program, one number each.
class Numbers {
public:
  explicit Numbers(std::vector<uint32_t> values) : values_(std::move(values)) {}
  [[nodiscard]] bool done() const { return next_ >= values_.size(); }
  /// Returns a number in 0 .. limit - 1; 0 if the list is exhausted.
  size_t below(size_t limit) { return limit == 0 || done() ? 0 : values_[next_++] % limit; }
  template <typename T>
  const T &pick(const std::vector<T> &from) {
    return from[below(from.size())];
  }

private:
  std::vector<uint32_t> values_;
  size_t next_ = 0;
};

/// A range of bytes of a storage.
struct ByteRange {
  size_t storage = 0;
  int64_t begin = 0;
  int64_t end = 0;
  [[nodiscard]] bool overlaps(const ByteRange &other) const {
    return storage == other.storage && begin < other.end && other.begin < end;
  }
};

/// A storage. No element is larger than `bound`, up to which dtypes represent whole numbers exactly.
struct RandomStorage {
  int64_t bytes = 0;
  DType dtype = DType::F32;
  double bound = 0;
  bool input = false;    ///< belongs to a placeholder: its shape stays
  bool moved = false;    ///< a tensor in it got other elements in place, so its parts are unknown
  bool reshaped = false; ///< a tensor in it was reshaped in place, so types do not show the position of later views
};

/// A tensor: some elements of a storage with a shape, which in-place operators may change.
struct RandomTensor {
  size_t storage = 0;
  const Type *type = nullptr;
  int64_t offset = 0;    ///< bytes
  bool anywhere = false; ///< its position is unknown: only the caller knows where an input's storage begins
};

/// A name of a tensor.
struct RandomValue {
  Node *node = nullptr;
  size_t tensor = 0;
};

/// The ranges that a launch writes and reads until a wait on `result`.
struct RandomAsyncPair {
  RandomValue result;
  std::optional<ByteRange> fills; ///< none if the result has no name yet
  std::vector<ByteRange> reads;
  /// The ranges that the wait copies again: gloo's wait on one result of a reduce_scatter list copies all of them.
  std::vector<ByteRange> copies;
};

/// A functional collective on one tensor, which may be repeated.
struct RandomLaunch {
  Node *node = nullptr;
  RandomValue input;
  /// type of the input at its launch
  const Type *type = nullptr;
  double inputBound = 0;
  /// bound of the result
  double bound = 0;
  /// it reads its input in flight
  bool sends = false;
};

/// The kinds of functional collectives on one tensor.
inline constexpr size_t numCollectives = 6;

/// A group in the form that programs use: a text, or a node.
struct RandomAxis {
  std::string name;
  size_t size = 1;
  Node *node = nullptr;
};

class RandomMaker {
public:
  RandomMaker(Context &context, std::vector<uint32_t> numbers, ProgramFor use);
  RandomProgram make();

private:
  using Sizes = std::vector<int64_t>;
  using Test = std::function<bool(const RandomValue &)>;

  // random_program.cpp: the initial values, and the steps that compute.
  void makeGroups();
  void addGroup(const std::string &name, const std::vector<Sizes> &cells);
  [[nodiscard]] std::vector<Sizes> cells(size_t size, size_t stride) const;
  void makeGroupNodes();
  void makeInputs();
  void takeStep();
  void compute();
  void reduceBound(const RandomValue &value);
  void moveBytes();
  void metadataReader();
  void writeInPlace();
  void finish();

  // random_values.cpp: storages, tensors and names, and queries about them.
  RandomValue define(Node *node, double bound);
  RandomValue defineView(Node *node, const RandomValue &base, const Type *type, int64_t offset);
  RandomValue defineSame(Node *node, const RandomValue &tensor);
  [[nodiscard]] const Type *typeOf(const RandomValue &value) const { return tensors_[value.tensor].type; }
  [[nodiscard]] Sizes sizesOf(const RandomValue &value) const;
  [[nodiscard]] Sizes stridesOf(const RandomValue &value) const;
  [[nodiscard]] DType dtypeOf(const RandomValue &value) const { return typeOf(value)->dtype(); }
  [[nodiscard]] RandomStorage &storageOf(const RandomValue &value) { return storages_[tensors_[value.tensor].storage]; }
  [[nodiscard]] double boundOf(const RandomValue &value) { return storageOf(value).bound; }
  [[nodiscard]] ByteRange rangeOf(const RandomValue &value) const;
  [[nodiscard]] bool readable(const RandomValue &value) const;
  [[nodiscard]] bool writable(const RandomValue &value) const;
  /// Returns true if no later wait copies the value again. Transfers may read or fill only such values; otherwise both
  /// would race.
  [[nodiscard]] bool settled(const RandomValue &value) const;
  [[nodiscard]] bool isContiguous(const RandomValue &value) const { return typeOf(value)->isContiguous(); }
  [[nodiscard]] bool isInput(const RandomValue &value) { return storageOf(value).input; }
  /// Returns a value for which the test is true, later values more often; none if there is none.
  std::optional<RandomValue> choose(const Test &test);
  /// Returns a contiguous value, so that an operator's result is contiguous too.
  std::optional<RandomValue> operand(const Test &also = [](const RandomValue &) { return true; });
  /// Returns a contiguous value of the same sizes and dtype.
  std::optional<RandomValue> partnerOf(const RandomValue &value);
  /// Returns a readable, contiguous value whose first size is a multiple of `rows`.
  std::optional<RandomValue> sendable(
      size_t rows, const Test &also = [](const RandomValue &) { return true; });
  const Type *contiguous(const RandomValue &like, const Sizes &sizes);

  // random_views.cpp: views, pieces, and in-place changes of shape.
  void view();
  void transposeView(const RandomValue &base);
  void sliceView(const RandomValue &base);
  void selectView(const RandomValue &base);
  void shapeView(const RandomValue &base);
  void piece();
  void stridedPiece(const RandomValue &base);
  void dtypePiece(const RandomValue &base);
  void complexPiece(const RandomValue &base);
  void realPiece(const RandomValue &base);
  void reshapeInPlace();
  void turnInPlace(const RandomValue &value);
  void setShape(const RandomValue &value, Node *node, const Type *type, int64_t offset);
  void giveOtherElements(const RandomValue &value);
  void resize(const RandomValue &value);
  void giveStorage(const RandomValue &value);
  [[nodiscard]] int64_t itemSize(const RandomValue &value) const;

  // random_lists.cpp: lists of views and of new tensors; repeated collectives.
  void takeApart();
  void takeRows(const RandomValue &base, size_t dim, Node *list);
  void takeParts(const RandomValue &base, size_t dim, Node *list, int64_t rows);
  void computeList();
  void twin();

  // random_collectives.cpp
  llvm::StringRef reduction(const RandomValue &input, const RandomAxis &axis);
  llvm::StringRef listReduction(const std::vector<RandomValue> &members, const RandomValue &largest,
                                const RandomAxis &axis);
  Actual groupOf(const RandomAxis &axis) const;
  void launch(Node *node, double bound, std::vector<ByteRange> reads);
  void collective(size_t kind, const RandomAxis &axis);
  Node *makeCollective(size_t kind, const RandomAxis &axis, const RandomValue &input, Sizes &sizes);
  void shardDim(const RandomAxis &axis);
  void burst();
  void inPlaceCollective();
  void intoBuffer();
  void intoSlices();
  void fill(const RandomValue &input, const RandomValue &buffer, bool gather, const RandomAxis &axis);
  void coalesced();
  void launchList(size_t kind, const RandomAxis &axis, const std::vector<RandomValue> &members);
  void takeElements(Node *list, size_t kind, const RandomAxis &axis, const std::vector<RandomValue> &members);
  void shareCopies(size_t count);
  void wrapped();
  void wait();

  // random_pairs.cpp: collectives that a pass may simplify.
  void simplifiable();
  void pairOf(const RandomValue &input, const RandomAxis &axis, const RandomAxis &other);
  void castWithGather(const RandomValue &input, const RandomAxis &axis, const Sizes &whole);
  Node *between(Node *value, double bound);
  Node *waited(llvm::StringRef target, const Type *type, const std::vector<Actual> &arguments);

  // random_products.cpp: products of matrices beside collectives, which a pass may cut into pieces.
  void chunkable();
  Node *transposed(Node *matrix, const RandomValue &like, const Sizes &sizes);
  Node *bySequence(Node *gathered, const RandomValue &like, const Sizes &whole, int64_t ranks);
  Node *byRank(Node *product, const RandomValue &like, const Sizes &whole, int64_t ranks);
  void productOfGathered(const RandomValue &input, const RandomAxis &axis);
  void sumOfProduct(const RandomValue &input, const RandomAxis &axis);

  Numbers numbers_;
  ProgramFor use_;
  std::unique_ptr<Graph> graph_;
  ProgramBuilder builder_;
  size_t ranks_ = 2;
  std::vector<RandomAxis> axes_;
  std::vector<RandomStorage> storages_;
  std::vector<RandomTensor> tensors_;
  std::vector<RandomValue> values_;
  std::vector<RandomAsyncPair> asyncPairs_;
  std::vector<RandomLaunch> launched_;
};

inline constexpr int64_t mostRandomElements = 4096;
/// A larger value is reduced first, so that sums of it are exact in every dtype used.
inline constexpr double mostRandomBound = 1 << 18;

} // namespace ccgraph::test
