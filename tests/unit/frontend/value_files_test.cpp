// Tests group, tolerance and safetensors files.
#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/group_file.h"
#include "ccgraph/frontend/safetensors.h"
#include "ccgraph/frontend/tolerance_file.h"

#include "llvm/Support/Endian.h"

#include <gtest/gtest.h>
#include <random>

using namespace ccgraph;

namespace {

template <typename T>
std::string errorOf(llvm::Expected<T> result) {
  return result ? std::string("none") : llvm::toString(result.takeError());
}

/// Returns a safetensors file with this header and data.
std::string tensorFile(llvm::StringRef header, llvm::StringRef data) {
  std::string bytes(8, '\0');
  llvm::support::endian::write64le(bytes.data(), header.size());
  return (bytes + header + data).str();
}

std::string tensorError(llvm::StringRef header, llvm::StringRef data = "") {
  return errorOf(readSafetensors({"t.safetensors", tensorFile(header, data)}));
}

HostTensor tensorOf(DType dtype, std::vector<int64_t> sizes) {
  HostTensor tensor{dtype, std::move(sizes), {}};
  tensor.data.resize(static_cast<size_t>(tensor.numElements()) * sizeInBytes(dtype), std::byte(1));
  return tensor;
}

std::string written(const TensorMap &tensors) {
  std::string text;
  llvm::raw_string_ostream os(text);
  EXPECT_FALSE(writeSafetensors(os, tensors));
  return text;
}

} // namespace

TEST(GroupFile, OnlyTheGroupsMatter) {
  auto table = readGroupFile(
      {"facts.json",
       R"({"about": ["groups", {"groups": 3}], "groups": {"0": {"ranks": [2, 0], "desc": "pg"}, "1": {"partition": [[0], [2]]}}, "x": {}})"});
  ASSERT_TRUE(static_cast<bool>(table)) << errorOf(std::move(table));
  ASSERT_EQ(table->groups().size(), 2U);
  EXPECT_EQ(table->find("0")->ranks, (std::vector<int64_t>{2, 0}));
  EXPECT_EQ(table->find("0")->description, "pg");
  EXPECT_EQ(table->find("1")->members(2).size(), 1U);
}

TEST(GroupFile, ErrorsSayWhatIsMissing) {
  EXPECT_EQ(errorOf(readGroupFile({"g.json", R"({"ranks": [0]})"})),
            "g.json:1:1: error: expected an object with a member 'groups'\n  note: e.g. {\"groups\": {\"0\": "
            "{\"ranks\": [0, 1, 2, 3]}}}\n");
  EXPECT_NE(errorOf(readGroupFile({"g.json", R"([{"groups": {}}])"})).find("a member 'groups'"), std::string::npos);
  EXPECT_NE(errorOf(readGroupFile({"g.json", R"({"groups": [0]})"})).find("/groups: expected 'groups' as an object"),
            std::string::npos);
  EXPECT_NE(errorOf(readGroupFile({"g.json", R"({"groups": {"0": {"ranks": ["0"]}}})"}))
                .find("/groups/0/ranks/0: expected a rank"),
            std::string::npos);
  EXPECT_NE(errorOf(readGroupFile({"g.json", R"({"groups": {"0": {"ranks": [0]})"})).find("not JSON"),
            std::string::npos);
}

TEST(ToleranceFile, KindsAndNumbers) {
  auto map = readToleranceFile(
      {"t.json", R"({"tolerance": {"kind": "close", "per_output": [{"output": "out.0", "kind": "bitwise"},
    {"output": "out.1", "kind": "close", "atol": 1e-6, "rtol": 2}, {"output": "after.x", "rtol": 0.5}, {"output": "out.2"}]}})"});
  ASSERT_TRUE(static_cast<bool>(map)) << errorOf(std::move(map));
  EXPECT_TRUE(map->at("out.0").bitwise);
  EXPECT_FALSE(map->at("out.1").bitwise);
  EXPECT_EQ(map->at("out.1").atol, 1e-6);
  EXPECT_EQ(map->at("out.1").rtol, 2.0);
  EXPECT_EQ(map->at("after.x").atol, 0.0);
  EXPECT_TRUE(map->at("out.2").bitwise);
}

TEST(ToleranceFile, MayListNoOutput) {
  auto map = readToleranceFile({"t.json", R"({"tolerance": {"kind": "close", "per_output": null}})"});
  ASSERT_TRUE(static_cast<bool>(map)) << errorOf(std::move(map));
  EXPECT_TRUE(map->empty());
}

TEST(ToleranceFile, ErrorsArePlaced) {
  auto error = [](llvm::StringRef entries) {
    return errorOf(readToleranceFile({"t.json", (R"({"tolerance": {"per_output": )" + entries + "}}").str()}));
  };
  EXPECT_NE(error("{}").find("/tolerance/per_output: expected 'per_output' as an array"), std::string::npos);
  EXPECT_NE(error("[{}]").find("/tolerance/per_output/0: expected an entry with 'output'"), std::string::npos);
  EXPECT_NE(error(R"([{"output": "a", "atol": -1}])").find("not negative"), std::string::npos);
  EXPECT_NE(error(R"([{"output": "a", "atol": "1"}])").find("as a number"), std::string::npos);
  EXPECT_NE(error(R"([{"output": "a", "kind": "near"}])").find("\"bitwise\" or \"close\""), std::string::npos);
  EXPECT_NE(error(R"([{"output": "a"}, {"output": "a"}])").find("occurs twice"), std::string::npos);
  EXPECT_NE(errorOf(readToleranceFile({"t.json", "{}"})).find("a member 'tolerance'"), std::string::npos);
}

TEST(Safetensors, WhatIsWrittenIsRead) {
  TensorMap tensors;
  tensors["in.x"] = tensorOf(DType::F32, {2, 3});
  tensors["in.empty"] = tensorOf(DType::I64, {0, 4});
  tensors["in.scalar"] = tensorOf(DType::Bool, {});
  tensors["out.\"0\""] = tensorOf(DType::BF16, {5});
  tensors["c"] = tensorOf(DType::C64, {2});
  std::string text = written(tensors);
  EXPECT_EQ(llvm::support::endian::read64le(text.data()) % 8, 0U);
  auto read = readSafetensors({"t", text});
  ASSERT_TRUE(static_cast<bool>(read)) << errorOf(std::move(read));
  ASSERT_EQ(read->size(), tensors.size());
  for (const auto &[name, tensor] : tensors) {
    EXPECT_EQ(read->at(name).dtype, tensor.dtype);
    EXPECT_EQ(read->at(name).sizes, tensor.sizes);
    EXPECT_EQ(read->at(name).data, tensor.data);
  }
  EXPECT_EQ(written(*read), text);
  EXPECT_EQ(written({}).size(), 16U);
  EXPECT_EQ(errorOf(readSafetensors({"t", written({})})), "none");
}

TEST(Safetensors, ADtypeWithoutANameIsRefusedBeforeWriting) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto error = llvm::toString(writeSafetensors(os, {{"x", tensorOf(DType::C128, {2})}}));
  EXPECT_NE(error.find("tensor 'x' is c128[2]: safetensors has no such dtype"), std::string::npos) << error;
  EXPECT_EQ(os.str(), "");
}

TEST(Safetensors, EveryBoundIsChecked) {
  EXPECT_NE(errorOf(readSafetensors({"t", "short"})).find("has 5 bytes, expected at least 8"), std::string::npos);
  EXPECT_NE(errorOf(readSafetensors({"t", std::string(8, '\xff')})).find("18446744073709551615 bytes, but 0 are left"),
            std::string::npos);
  EXPECT_NE(tensorError("[]").find("expected an object"), std::string::npos);
  EXPECT_NE(tensorError("{\"x\": 3}").find("a 'dtype'"), std::string::npos);
  EXPECT_NE(tensorError(R"({"x": {"dtype": "F31", "shape": [], "data_offsets": [0, 4]}})", "0000").find("got \"F31\""),
            std::string::npos);
  EXPECT_NE(tensorError(R"({"x": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}})", "0000").find("a 'shape'"),
            std::string::npos);
  EXPECT_NE(tensorError(R"({"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 5]}})", "0000")
                .find("within the 4 bytes"),
            std::string::npos);
  EXPECT_NE(tensorError(R"({"x": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}})", "0000")
                .find("within the 4 bytes"),
            std::string::npos);
  EXPECT_NE(tensorError(R"({"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}})", "0000")
                .find("f32[2], 8 bytes, but its data_offsets hold 4"),
            std::string::npos);
  EXPECT_NE(tensorError(R"({"x": {"dtype": "F32", "shape": [4294967296, 4294967296, 4], "data_offsets": [0, 0]}})")
                .find("more bytes than 64 bits count"),
            std::string::npos);
  EXPECT_NE(
      tensorError(R"({"x": {"dtype": "U8", "shape": [1], "data_offsets": [1, 2]}})", "00").find("starts at byte 1"),
      std::string::npos);
  EXPECT_NE(tensorError(R"({"x": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}})", "00")
                .find("end at byte 1, but the data has 2"),
            std::string::npos);
  EXPECT_NE(
      tensorError(
          R"({"x": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}, "y": {"dtype": "U8", "shape": [1], "data_offsets": [1, 2]}})",
          "00")
          .find("tensor 'y' starts at byte 1"),
      std::string::npos);
  EXPECT_NE(
      tensorError(R"({"x": {"dtype": "BOOL", "shape": [1], "data_offsets": [0, 1]}})", "2").find("neither 0 nor 1"),
      std::string::npos);
}

TEST(Safetensors, NoFlippedByteCrashesTheReader) {
  std::string text = written({{"a", tensorOf(DType::F32, {2, 3})}, {"b", tensorOf(DType::I64, {4})}});
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    std::string changed = text;
    changed[random() % (text.size() - 56)] = static_cast<char>(random());
    if (round % 3 == 0)
      changed.resize(random() % changed.size());
    errorOf(readSafetensors({"t", changed}));
  }
}
