#include "region_program.h"

#include "support/program_builder.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>
#include <random>

namespace ccgraph::test {

namespace {

using Sizes = std::vector<int64_t>;
using llvm::StringRef;

/// Builds one program. `rows_` rows of `width_` numbers are one rank's share.
class RegionMaker {
public:
  RegionMaker(Context &context, uint32_t number)
      : random_(number), program_{std::make_unique<Graph>(context, "regions"), 2 + below(3), {}},
        builder_(*program_.graph), rows_(static_cast<int64_t>(1 + below(6))),
        width_(static_cast<int64_t>(2 + below(3))) {}
  RegionProgram make();

private:
  size_t below(size_t limit) { return random_() % limit; }
  [[nodiscard]] int64_t ranks() const { return static_cast<int64_t>(program_.ranks); }
  void addGroup(StringRef name, const Sizes &members);
  void addRegion();

  // Calls.
  [[nodiscard]] const Type *matrix(int64_t rows) const { return builder_.f32({rows, width_}); }
  Node *product(Node *rows, Node *columns);
  Node *pointwise(Node *value);
  Node *randomly(Node *value);
  Node *waited(StringRef collective, const Type *type, const std::vector<Actual> &arguments);
  Node *gathered(Node *share, StringRef group = "0");
  Node *reduced(Node *whole);
  Node *small(Node *value);
  Node *joined(Node *value, int64_t times);
  void write(Node *value);
  void writeAlias(Node *value);
  void result(Node *value) { results_.push_back(value); }
  [[nodiscard]] int64_t rowsOf(Node *value) const { return value->type()->sizes()[0].value(); }

  // Forms.
  void gatherProduct(RegionBait bait);
  void productReduce(RegionBait bait);
  void chain(RegionBait bait);
  void gatheredTwice(RegionBait bait);
  void lateReader(RegionBait bait);

  std::mt19937 random_;
  RegionProgram program_;
  ProgramBuilder builder_;
  int64_t rows_, width_;
  Node *share_ = nullptr, *whole_ = nullptr, *square_ = nullptr, *other_ = nullptr;
  ProgramBuilder::Nodes results_;
};

RegionProgram RegionMaker::make() {
  Sizes all(program_.ranks);
  std::iota(all.begin(), all.end(), 0);
  program_.graph->worldSize = ranks();
  addGroup("0", all);
  addGroup("other", Sizes(all.rbegin(), all.rend()));
  share_ = builder_.input("share", matrix(rows_));
  whole_ = builder_.input("whole", matrix(rows_ * ranks()));
  square_ = builder_.input("square", matrix(width_));
  other_ = builder_.input("other", matrix(width_));
  const size_t regions = 2 + below(3);
  for (size_t i = 0; i != regions; ++i)
    addRegion();
  builder_.output(results_);
  return std::move(program_);
}

void RegionMaker::addGroup(StringRef name, const Sizes &members) {
  Group group;
  group.name = name.str();
  group.ranks = members;
  program_.graph->groups().set(std::move(group));
}

void RegionMaker::addRegion() {
  const Region region{static_cast<RegionForm>(below(numRegionForms)),
                      // Half of the regions have none, so that rewrites take place.
                      below(2) == 0 ? RegionBait::None : static_cast<RegionBait>(1 + below(numRegionBaits - 1))};
  program_.regions.push_back(region);
  switch (region.form) {
  case RegionForm::GatherProduct:
    return gatherProduct(region.bait);
  case RegionForm::ProductReduce:
    return productReduce(region.bait);
  case RegionForm::Chain:
    return chain(region.bait);
  case RegionForm::GatheredTwice:
    return gatheredTwice(region.bait);
  case RegionForm::LateReader:
    return lateReader(region.bait);
  }
}

// --- Calls -----------------------------------------------------------------------------------------------------------

Node *RegionMaker::product(Node *rows, Node *columns) {
  return builder_.call("aten.mm.default", matrix(rowsOf(rows)), {rows, columns});
}

Node *RegionMaker::pointwise(Node *value) {
  switch (below(3)) {
  case 0:
    return builder_.call("aten.relu.default", value->type(), {value});
  case 1:
    return builder_.call("aten.neg.default", value->type(), {value});
  default:
    return builder_.call("aten.mul.Tensor", value->type(), {value, 2});
  }
}

Node *RegionMaker::randomly(Node *value) {
  Node *drawn = builder_.call("aten.bernoulli.p", value->type(), {value, 0.5});
  return builder_.call("aten.mul.Tensor", value->type(), {value, drawn});
}

Node *RegionMaker::waited(StringRef collective, const Type *type, const std::vector<Actual> &arguments) {
  Node *launch = builder_.call(("_c10d_functional." + collective + ".default").str(), type, arguments);
  return builder_.call("_c10d_functional.wait_tensor.default", type, {launch});
}

Node *RegionMaker::gathered(Node *share, StringRef group) {
  return waited("all_gather_into_tensor", builder_.tensor(share->type()->dtype(), {rowsOf(share) * ranks(), width_}),
                {share, ranks(), group});
}

Node *RegionMaker::reduced(Node *whole) {
  return waited("reduce_scatter_tensor", matrix(rowsOf(whole) / ranks()), {whole, "sum", ranks(), "0"});
}

/// Returns numbers from 0 to 12, so that later products are exact.
Node *RegionMaker::small(Node *value) { return builder_.call("aten.remainder.Scalar", value->type(), {value, 13}); }

/// Returns the value joined with itself, which needs much memory.
Node *RegionMaker::joined(Node *value, int64_t times) {
  return builder_.call("aten.cat.default", matrix(rowsOf(value) * times),
                       {std::vector<Node *>(static_cast<size_t>(times), value)});
}

void RegionMaker::write(Node *value) { result(builder_.call("aten.add_.Tensor", value->type(), {value, 1})); }

void RegionMaker::writeAlias(Node *value) {
  write(builder_.call("aten.view.default", builder_.f32({rowsOf(value) * width_}), {value, Sizes{-1}}));
}

// --- Forms -----------------------------------------------------------------------------------------------------------

void RegionMaker::gatherProduct(RegionBait bait) {
  Node *all = gathered(bait == RegionBait::Random ? randomly(share_) : share_);
  Node *factor =
      bait == RegionBait::NotParallel
          ? builder_.call("aten.permute.default", builder_.strided(all->type(), {width_, rowsOf(all)}, {1, width_}),
                          {all, Sizes{1, 0}})
          : all;
  Node *first = builder_.call("aten.mm.default", matrix(rowsOf(factor)),
                              {factor, bait == RegionBait::NotParallel ? all : square_});
  if (bait == RegionBait::OperandWritten)
    write(square_);
  if (bait == RegionBait::AliasWritten)
    writeAlias(all);
  if (bait == RegionBait::ResultWritten)
    write(first);
  Node *second = product(all, square_);
  result(small(first));
  result(small(second));
  if (bait == RegionBait::ReadLater)
    result(pointwise(all));
}

void RegionMaker::productReduce(RegionBait bait) {
  Node *rows = product(whole_, square_);
  if (bait == RegionBait::ResultWritten)
    write(rows);
  if (bait == RegionBait::AliasWritten)
    writeAlias(rows);
  Node *link = bait == RegionBait::Random ? randomly(rows) : below(2) == 0 ? pointwise(rows) : rows;
  if (bait == RegionBait::NotParallel)
    link = builder_.call("aten.cumsum.default", link->type(), {link, 0});
  if (bait == RegionBait::OperandWritten)
    write(below(2) == 0 ? whole_ : square_);
  result(small(below(2) == 0 ? reduced(link) : waited("all_reduce", link->type(), {link, "sum", "0"})));
  if (bait == RegionBait::ReadLater)
    result(pointwise(rows));
}

void RegionMaker::chain(RegionBait bait) {
  Node *own = reduced(product(whole_, square_));
  Node *sum = builder_.call("aten.add.Tensor", own->type(), {own, share_});
  if (bait == RegionBait::ResultWritten)
    write(sum);
  if (bait == RegionBait::AliasWritten)
    writeAlias(own);
  Node *link = small(bait == RegionBait::Random ? randomly(sum) : sum);
  if (bait == RegionBait::NotParallel)
    link = small(builder_.call("aten.cumsum.default", link->type(), {link, 0}));
  if (bait == RegionBait::OperandWritten)
    write(below(2) == 0 ? other_ : share_);
  Node *last = product(gathered(link), other_);
  result(small(below(2) == 0 ? reduced(last) : last));
  if (bait == RegionBait::ReadLater)
    result(pointwise(link));
}

void RegionMaker::gatheredTwice(RegionBait bait) {
  const bool casts = below(2) == 0;
  auto sent = [&](DType dtype) {
    return casts ? builder_.call("prims.convert_element_type.default", builder_.tensor(dtype, {rows_, width_}),
                                 {share_, dtype})
                 : builder_.call("aten.clone.default", share_->type(), {share_});
  };
  auto read = [&](Node *all) {
    Node *numbers = all->type()->dtype() == DType::F32
                        ? all
                        : builder_.call("prims.convert_element_type.default", matrix(rowsOf(all)), {all, DType::F32});
    result(small(product(numbers, square_)));
  };
  Node *first = gathered(sent(DType::F64));
  read(first);
  result(small(joined(bait == RegionBait::Random ? randomly(whole_) : whole_, 4)));
  if (bait == RegionBait::OperandWritten)
    write(share_);
  if (bait == RegionBait::ResultWritten)
    write(first);
  if (bait == RegionBait::AliasWritten && !casts)
    writeAlias(first);
  const bool isOther = bait == RegionBait::NotParallel;
  Node *second = gathered(sent(isOther && casts ? DType::F32 : DType::F64), isOther && !casts ? "other" : "0");
  read(second);
  if (bait == RegionBait::ReadLater)
    result(below(2) == 0 ? first : second);
}

void RegionMaker::lateReader(RegionBait bait) {
  Node *value = pointwise(whole_);
  for (size_t more = below(3); more > 0; --more)
    value = pointwise(value);
  if (bait == RegionBait::Random)
    value = randomly(value);
  if (bait == RegionBait::NotParallel)
    value = waited("all_reduce", value->type(), {value, "max", "0"});
  result(small(product(value, square_)));
  result(small(joined(other_, 8)));
  if (bait == RegionBait::OperandWritten)
    write(whole_);
  if (bait == RegionBait::ResultWritten)
    write(value);
  if (bait == RegionBait::AliasWritten)
    writeAlias(value);
  result(small(builder_.call("aten.add.Tensor", value->type(), {value, whole_})));
  if (bait == RegionBait::ReadLater)
    result(small(joined(value, 2)));
}

} // namespace

RegionProgram makeRegionProgram(Context &context, uint32_t number) { return RegionMaker(context, number).make(); }

} // namespace ccgraph::test
