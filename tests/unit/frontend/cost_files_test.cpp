// Tests machine and duration files.
#include "ccgraph/frontend/durations_file.h"
#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/machine_file.h"

#include <gtest/gtest.h>

#include <limits>

using namespace ccgraph;

namespace {

Machine machineOf(llvm::StringRef text) { return llvm::cantFail(readMachineFile({"m.json", text})); }
Durations durationsOf(llvm::StringRef text) { return llvm::cantFail(readDurationsFile({"d.tsv", text})); }

} // namespace

TEST(MachineFile, WhatIsLeftOutIsAsInTheBase) {
  const Machine machine = machineOf(
      R"({"format": "ccgraph.machine", "version": "1.0", "base": "a100x8", "inter": {"gb_per_s": 12.5},
          "slowdown": 0.25, "resident_communicators": 4})");
  const Machine base = *machinePreset("a100x8");
  EXPECT_EQ(machine.inter.bytesPerSecond, 12'500'000'000);
  EXPECT_EQ(machine.inter.channels, base.inter.channels);
  EXPECT_EQ(machine.slowdownPpm, 250'000);
  EXPECT_EQ(machine.residentCommunicators, 4);
  EXPECT_EQ(machine.processor.bytesPerSecond, base.processor.bytesPerSecond);
  EXPECT_EQ(machine.generation, Generation::Ampere);
}

TEST(MachineFile, WithoutABaseTheDefaultHolds) {
  const Machine machine = machineOf(R"({"name": "mine", "format": "ccgraph.machine", "version": "1.0"})");
  EXPECT_EQ(machine.name, "mine");
  EXPECT_EQ(machine.intra.bytesPerSecond, machinePreset(defaultMachine)->intra.bytesPerSecond);
}

TEST(MachineFile, EveryKeyIsRead) {
  auto file = llvm::cantFail(InputFile::open(CCGRAPH_TEST_DATA "/json/every-feature.machine.json"));
  const Machine machine = llvm::cantFail(readMachineFile(file.source()));
  EXPECT_EQ(machine.name, "mine");
  EXPECT_EQ(machine.about, "two nodes in a cellar");
  EXPECT_EQ(machine.processor.flopsPerSecond[static_cast<size_t>(DType::BF16)], 312'500'000'000'000);
  EXPECT_EQ(machine.processor.flopsReachedPpm, 500'000);
  EXPECT_EQ(machine.processor.bytesPerSecond, 2'039'000'000'000);
  EXPECT_EQ(machine.processor.bytesReachedPpm, 750'000);
  EXPECT_EQ(machine.processor.launchPs, 2'500'000);
  EXPECT_EQ(machine.ranksPerNode, 4);
  EXPECT_EQ(machine.intra.kind, LinkKind::Pcie);
  EXPECT_EQ(machine.intra.bytesPerSecond, 24'000'000'000);
  EXPECT_EQ(machine.intra.channels, 2);
  EXPECT_EQ(machine.intra.latencyPs, 1'500'000);
  EXPECT_EQ(machine.inter.bytesPerSecond, 12'500'000'000);
  EXPECT_EQ(machine.hostLink.bytesPerSecond, 12'500'000'000);
  EXPECT_EQ(machine.hostLink.latencyPs, 9'000'000);
  EXPECT_EQ(machine.multicastBytesPerSecond, 0);
  EXPECT_EQ(machine.rules, CollectiveRules::Nccl);
  EXPECT_EQ(machine.generation, Generation::Ampere);
  const std::vector<LinearCollective> linear = {
      {CollectiveKind::AllReduce, 12'500'000, 3'000'000, 2'500'000'000},
      {CollectiveKind::Send, 0, 0, 24'000'000'000},
  };
  EXPECT_EQ(machine.linear, linear);
  EXPECT_FALSE(machine.hostReadsStall);
  EXPECT_EQ(machine.hostReadPs, 7'500'000);
  EXPECT_TRUE(machine.sharedLinks);
  EXPECT_EQ(machine.slowdownPpm, 250'000);
}

TEST(MachinePresets, AreSortedAndFoundByName) {
  EXPECT_TRUE(llvm::is_sorted(machinePresetNames()));
  for (const std::string &name : machinePresetNames())
    EXPECT_EQ(machinePreset(name)->name, name);
  EXPECT_TRUE(machinePreset(defaultMachine).has_value());
  EXPECT_FALSE(machinePreset("h100").has_value());
}

// A default schedule has no copies to the host, because only a file states a link.
TEST(MachinePresets, HaveNoLinkToTheHost) {
  for (const std::string &name : machinePresetNames())
    EXPECT_FALSE(machinePreset(name)->hostLink.exists()) << name;
}

// A peak that a data sheet omits is that of the nearest wider float.
TEST(MachinePresets, PeaksThatAreNotStated) {
  const Processor gpu = machinePreset("a100x8")->processor;
  EXPECT_EQ(gpu.effectiveFlopsPerSecond(DType::F8E5M2), gpu.effectiveFlopsPerSecond(DType::BF16));
  EXPECT_EQ(gpu.effectiveFlopsPerSecond(DType::I8), gpu.effectiveFlopsPerSecond(DType::F32));
  EXPECT_GT(gpu.effectiveFlopsPerSecond(DType::BF16), gpu.effectiveFlopsPerSecond(DType::F32));
  EXPECT_EQ(Processor().effectiveFlopsPerSecond(DType::BF16), 0);
}

TEST(Microseconds, BecomePicosecondsExactly) {
  EXPECT_EQ(parseMicroseconds("0"), 0);
  EXPECT_EQ(parseMicroseconds("463.225"), 463'225'000);
  EXPECT_EQ(parseMicroseconds("0.000001"), 1);
  EXPECT_EQ(parseMicroseconds(".5"), 500'000);
  EXPECT_EQ(parseMicroseconds("5."), 5'000'000);
  EXPECT_EQ(parseMicroseconds("1.5e3"), 1'500'000'000);
  EXPECT_EQ(parseMicroseconds("1.5E+3"), 1'500'000'000);
  EXPECT_EQ(parseMicroseconds("25e-7"), 3);
  EXPECT_EQ(parseMicroseconds("24e-7"), 2);
  EXPECT_EQ(parseMicroseconds("0.0000005"), 1);
  EXPECT_EQ(parseMicroseconds("0.00000049999"), 0);
  EXPECT_EQ(parseMicroseconds("1e-30"), 0);
  EXPECT_EQ(parseMicroseconds("9223372036854.775807"), std::numeric_limits<int64_t>::max());
}

TEST(Microseconds, OtherTextsAreNone) {
  for (const char *text : {"", ".", "-1", "+1", "1 ", "1e", "e5", "1e400", "nan", "inf", "0x1p3", "1,5", "1.5.5",
                           "9223372036854.775808", "1e13", "9999999999999999999999"})
    EXPECT_EQ(parseMicroseconds(text), std::nullopt) << text;
}

TEST(DurationsFile, HeaderAndCommentsAreOptional) {
  const std::string digest(64, 'a');
  const Durations durations = durationsOf("# graph " + digest + "\r\n# made by hand\nname\tus\r\nmm\t1.5\r\n\nadd\t2");
  EXPECT_EQ(durations.size(), 2U);
  EXPECT_EQ(durations.digest, digest);
  EXPECT_EQ(durations.origin, "d.tsv");
  EXPECT_EQ(*durations.find("mm"), (Duration{1'500'000, DurationSource::Measured}));
  EXPECT_EQ(*durations.find("add"), (Duration{2'000'000, DurationSource::Measured}));
  EXPECT_EQ(durations.find("name"), nullptr);
}

// A node may be called "name": the first line is then not a header.
TEST(DurationsFile, ANodeMayBeCalledName) { EXPECT_EQ(durationsOf("name\t3\n").find("name")->picoseconds, 3'000'000); }

TEST(DurationsFile, EstimatesAreLabelled) {
  EXPECT_EQ(durationsOf("# source estimated\nmm\t1\n").find("mm")->source, DurationSource::Estimated);
}
