// Tests the choice of buckets against the records of PyTorch, and what it refuses.
#include "records.h"

#include "ccgraph/ir/device.h"
#include "ccgraph/ir/gradient_buckets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ccgraph::test {
namespace {

std::string errorText(llvm::Error error) { return llvm::toString(std::move(error)); }

/// Returns a tensor of a record: its dtype, device and sizes.
BucketTensor bucketTensor(Context &context, const Json &json) {
  uint64_t elements = 1;
  for (const Json &size : json[2])
    elements *= size.get<uint64_t>();
  return {*parseTorchDType(json[0].get<std::string>()), *parseDevice(context, json[1].get<std::string>()), elements};
}

BucketRules rulesOf(const Json &record) {
  return {record["limits"].get<std::vector<uint64_t>>(), record.value("sparse", std::vector<bool>()),
          record.value("indices", std::vector<size_t>())};
}

/// Sorts the last buckets, whose order PyTorch leaves open.
void sortLeftover(Buckets &buckets, size_t leftover) {
  std::sort(buckets.end() - static_cast<std::ptrdiff_t>(leftover), buckets.end());
}

/// Returns the difference to a record; "" if there is none.
std::string differenceTo(const Json &record) {
  Context context;
  std::vector<BucketTensor> tensors;
  for (const Json &tensor : record["tensors"]) {
    if (tensor[1] == "sparse")
      return ""; // a graph has no tensors of sparse layout, which PyTorch refuses here
    tensors.push_back(bucketTensor(context, tensor));
  }
  llvm::Expected<BucketAssignment> assigned = assignBuckets(tensors, rulesOf(record));
  if (record.contains("error") || record.contains("note"))
    return assigned ? "accepted, expected an error" : (llvm::consumeError(assigned.takeError()), "");
  if (!assigned)
    return errorText(assigned.takeError());
  Buckets expected = record["buckets"].get<Buckets>();
  size_t leftover = record.value("leftover", size_t{0});
  sortLeftover(expected, leftover);
  sortLeftover(assigned->buckets, leftover);
  if (assigned->buckets != expected)
    return "got " + Json(assigned->buckets).dump() + ", expected " + Json(expected).dump();
  bool sameLimits = leftover > 1 || assigned->limits == record["per_bucket_limits"].get<std::vector<uint64_t>>();
  return sameLimits ? "" : "the limits are " + Json(assigned->limits).dump();
}

TEST(BucketRecords, AssignmentBySize) {
  std::vector<Json> records = readRecordLines("buckets/cases.jsonl");
  ASSERT_GE(records.size(), 50U);
  int differ = 0;
  for (const Json &record : records)
    if (std::string difference = differenceTo(record); !difference.empty()) {
      ++differ;
      ADD_FAILURE() << record["id"] << ": " << difference;
    }
  testing::Test::RecordProperty("records", static_cast<int>(records.size()));
  testing::Test::RecordProperty("differ", differ);
}

// --- Buckets of DistributedDataParallel ------------------------------------------------------------------------------

GradientBucketOptions optionsOf(const Json &record) {
  const Json &ddp = record["ddp"];
  GradientBucketOptions options;
  if (ddp.contains("bucket_cap_mb"))
    options.capMegabytes = ddp["bucket_cap_mb"].get<double>();
  options.capList = ddp.value("bucket_cap_mb_list", std::vector<double>());
  options.findUnused = ddp.value("find_unused_parameters", false);
  options.staticGraph = ddp.value("static_graph", false);
  options.firstLimitLast = record.contains("env") && record["env"].contains("DDP_SET_LAST_BUCKET_CAP");
  return options;
}

GradientParameters parametersOf(Context &context, const Json &record) {
  GradientParameters parameters;
  for (const Json &parameter : record["params"])
    if (parameter["requires_grad"])
      parameters.tensors.push_back(bucketTensor(context, Json::array({parameter["dtype"], "cpu", parameter["shape"]})));
  parameters.sparse = record["assignment"][0].value("sparse", std::vector<bool>());
  return parameters;
}

/// Returns the slices that the record has of each bucket; none for a sparse one.
std::vector<BucketSlice> slicesOf(const Json &call) {
  std::vector<BucketSlice> slices;
  for (size_t i = 0; i != call.value("offsets", Json::array()).size(); ++i)
    slices.push_back({call["offsets"][i], call["lengths"][i]});
  return slices;
}

/// Compares the buckets of one iteration with those that a hook was called with.
std::string differenceOfCalls(const GradientParameters &parameters, Buckets buckets, const Json &calls) {
  for (const Json &call : calls) {
    std::vector<int64_t> elements;
    for (size_t parameter : call["params"])
      elements.push_back(static_cast<int64_t>(parameters.tensors[parameter].elements));
    if (!call.value("sparse", false) && bucketSlices(elements) != slicesOf(call))
      return "other offsets or lengths";
  }
  Buckets expected;
  for (const Json &call : calls)
    expected.push_back(call["params"].get<std::vector<size_t>>());
  // The order of open buckets of different dtypes comes from a hash map.
  bool oneDType = std::all_of(parameters.tensors.begin(), parameters.tensors.end(), [&](const BucketTensor &tensor) {
    return tensor.dtype == parameters.tensors.front().dtype;
  });
  if (!oneDType) {
    sortLeftover(buckets, buckets.size());
    sortLeftover(expected, expected.size());
  }
  return buckets == expected ? "" : "got " + Json(buckets).dump() + ", expected " + Json(expected).dump();
}

std::string differenceOfDdp(const Json &record) {
  Context context;
  GradientParameters parameters = parametersOf(context, record);
  GradientBucketOptions options = optionsOf(record);
  std::optional<int64_t> rebuild = iterationOfRebuild(options);
  llvm::Expected<Buckets> initial = initialBuckets(parameters, options);
  if (!initial)
    return errorText(initial.takeError());
  Buckets atConstruction = record["assignment"][0]["buckets"].get<Buckets>();
  std::reverse(atConstruction.begin(), atConstruction.end());
  if (*initial != atConstruction)
    return "at construction: got " + Json(*initial).dump() + ", expected " + Json(atConstruction).dump();
  const Json iterations = record["hook_calls"].is_null() ? Json::array() : record["hook_calls"];
  for (size_t iteration = 0; iteration != iterations.size(); ++iteration) {
    bool rebuilt = rebuild && static_cast<int64_t>(iteration) >= *rebuild;
    // The rebuild uses the order of the iteration before it.
    std::vector<size_t> order =
        rebuilt ? record["gradient_ready_order"][static_cast<size_t>(*rebuild) - 1].get<std::vector<size_t>>()
                : std::vector<size_t>();
    llvm::Expected<Buckets> buckets =
        rebuilt ? rebuiltBuckets(parameters, order, options) : llvm::Expected<Buckets>(*initial);
    std::string difference =
        buckets ? differenceOfCalls(parameters, *buckets, iterations[iteration]) : errorText(buckets.takeError());
    if (!difference.empty())
      return "iteration " + std::to_string(iteration) + ": " + difference;
  }
  return "";
}

TEST(BucketRecords, DistributedDataParallel) {
  std::vector<Json> records = readRecordLines("ddp_buckets/cases.jsonl");
  ASSERT_GE(records.size(), 20U);
  int differ = 0;
  for (const Json &record : records)
    if (std::string difference = differenceOfDdp(record); !difference.empty()) {
      ++differ;
      ADD_FAILURE() << record["id"] << ": " << difference;
    }
  testing::Test::RecordProperty("records", static_cast<int>(records.size()));
  testing::Test::RecordProperty("differ", differ);
}

// --- Rules -----------------------------------------------------------------------------------------------------------

constexpr uint64_t mebibyte = 1 << 20;

TEST(BucketOptions, TheFirstBucketIsSmallUnlessALimitIsGiven) {
  EXPECT_EQ(bucketLimits({}), (std::vector<uint64_t>{mebibyte, 25 * mebibyte}));
  EXPECT_EQ(bucketLimits({.capMegabytes = 4}), (std::vector<uint64_t>{4 * mebibyte, 4 * mebibyte}));
  EXPECT_EQ(bucketLimits({.capMegabytes = 0.001}), (std::vector<uint64_t>{1048, 1048}));
  EXPECT_EQ(bucketLimits({.capList = {1, 2}}), (std::vector<uint64_t>{mebibyte, 2 * mebibyte}));
}

TEST(BucketOptions, LimitsThatNoIntegerHasAreLarge) {
  for (double megabytes : {1e300, -1e300, static_cast<double>(NAN), 1e13})
    EXPECT_EQ(bucketLimits({.capMegabytes = megabytes})[0], static_cast<uint64_t>(INT64_MAX)) << megabytes;
  EXPECT_EQ(bucketLimits({.capMegabytes = -1})[0], UINT64_MAX - mebibyte + 1);
}

TEST(BucketOptions, TheRebuildIsAfterTheFirstStepThatKnowsTheOrder) {
  EXPECT_EQ(iterationOfRebuild({}), 1);
  EXPECT_EQ(iterationOfRebuild({.staticGraph = true}), 2);
  EXPECT_EQ(iterationOfRebuild({.findUnused = true}), std::nullopt);
  EXPECT_EQ(iterationOfRebuild({.findUnused = true, .staticGraph = true}), 2);
}

std::vector<BucketTensor> floats(size_t count) { return std::vector<BucketTensor>(count, {DType::F32, {}, 4}); }

TEST(BucketErrors, SayWhatIsWrongAndWhatToDo) {
  EXPECT_EQ(errorText(assignBuckets({}, {{16}}).takeError()),
            "error: gradient buckets: got no tensors, expected at least one [buckets]\n"
            "  note: leave out a model without trained parameters\n");
  EXPECT_EQ(errorText(assignBuckets(floats(1), {}).takeError()),
            "error: gradient buckets: got no limits, expected at least one [buckets]\n"
            "  note: give the limit of a bucket in bytes; the last one repeats\n");
  EXPECT_EQ(errorText(assignBuckets(floats(2), {{16}, {true}}).takeError()),
            "error: gradient buckets: got 1 flags of sparse gradients for 2 tensors [buckets]\n"
            "  note: give one flag for each tensor, or none\n");
  EXPECT_EQ(errorText(assignBuckets(floats(2), {{16}, {}, {5}}).takeError()),
            "error: gradient buckets: got 1 indices for 2 tensors [buckets]\n"
            "  note: give one index for each tensor, or none\n");
  EXPECT_EQ(errorText(assignBuckets(floats(2), {{16}, {true, false}, {1, 2}}).takeError()),
            "error: gradient buckets: got index 2 with flags for 2 tensors [buckets]\n"
            "  note: an index is less than the number of tensors\n");
}

TEST(BucketErrors, OfReadyOrders) {
  GradientParameters parameters{floats(3)};
  EXPECT_EQ(
      errorText(rebuiltBuckets(parameters, {2, 0}, {}).takeError()),
      "error: gradient buckets: the ready order lacks parameter 1, whose gradient was not computed [buckets]\n"
      "  note: use findUnused where a step may leave out parameters, or staticGraph where each step leaves out the "
      "same ones\n");
  EXPECT_EQ(errorText(rebuiltBuckets(parameters, {2, 2, 0}, {}).takeError()),
            "error: gradient buckets: got parameter 2 twice in the order of 3 parameters [buckets]\n"
            "  note: the ready order lists each parameter once, by its position\n");
  EXPECT_EQ(errorText(rebuiltBuckets(parameters, {2, 3, 0}, {}).takeError()),
            "error: gradient buckets: got parameter 3 of 3 parameters [buckets]\n"
            "  note: the ready order lists each parameter once, by its position\n");
  EXPECT_EQ(llvm::cantFail(rebuiltBuckets(parameters, {2, 0}, {.staticGraph = true})), (Buckets{{2, 0, 1}}));
}

} // namespace
} // namespace ccgraph::test
