// Tests the environment variables of launchers: the names of each launcher, and the default rendezvous.
#include "driver/launcher_place.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>

namespace ccgraph::test {
namespace {

using driver::placeOfLauncher;
using driver::RendezvousPlace;

/// Sets these variables and unsets all others of launchers during its lifetime.
class Launched {
public:
  explicit Launched(const std::map<std::string, std::string> &variables) {
    for (const char *name : all)
      unsetenv(name);
    for (const auto &[name, value] : variables)
      setenv(name.c_str(), value.c_str(), 1);
  }
  ~Launched() {
    for (const char *name : all)
      unsetenv(name);
  }
  Launched(const Launched &) = delete;
  Launched &operator=(const Launched &) = delete;

private:
  static constexpr const char *all[] = {"RANK",           "WORLD_SIZE",           "LOCAL_RANK",
                                        "MASTER_ADDR",    "MASTER_PORT",          "TORCHELASTIC_RUN_ID",
                                        "PMIX_NAMESPACE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                                        "SLURM_PROCID",   "SLURM_NTASKS",         "OMPI_COMM_WORLD_LOCAL_RANK",
                                        "SLURM_LOCALID",  "SLURM_JOB_ID",         "SLURM_STEP_ID"};
};

runtime::JobPlace placeOf(const RendezvousPlace &rendezvous) { return llvm::cantFail(placeOfLauncher(rendezvous)); }

TEST(LauncherPlace, TorchrunSaysWhereToo) {
  Launched launched({{"RANK", "3"},
                     {"WORLD_SIZE", "4"},
                     {"LOCAL_RANK", "1"},
                     {"MASTER_ADDR", "node0"},
                     {"MASTER_PORT", "29500"},
                     {"TORCHELASTIC_RUN_ID", "run7"}});
  runtime::JobPlace place = placeOf({});
  EXPECT_EQ(place.rank, 3U);
  EXPECT_EQ(place.ranks, 4U);
  EXPECT_EQ(place.localRank, 1U);
  EXPECT_EQ(place.address, "node0:29501") << "torchrun itself listens on its port";
  EXPECT_EQ(place.job, "run7");
}

TEST(LauncherPlace, WhatTheUserSaysGoesFirst) {
  Launched launched(
      {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "0"}, {"MASTER_ADDR", "node0"}, {"MASTER_PORT", "29500"}});
  EXPECT_EQ(placeOf({"/shared", ""}).folder, "/shared");
  EXPECT_EQ(placeOf({"/shared", ""}).address, "");
  EXPECT_EQ(placeOf({"", "other:1"}).address, "other:1");
  EXPECT_EQ(llvm::toString(placeOfLauncher({"/shared", "other:1"}).takeError()),
            "--engine nccl: got --job-folder and --job-address, expected one of them");
}

TEST(LauncherPlace, OthersNameTheJobAlone) {
  {
    Launched launched({{"OMPI_COMM_WORLD_RANK", "1"},
                       {"OMPI_COMM_WORLD_SIZE", "2"},
                       {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                       {"PMIX_NAMESPACE", "ompi1"}});
    EXPECT_EQ(placeOf({"", "node0:5"}).job, "ompi1");
    EXPECT_EQ(
        llvm::toString(placeOfLauncher({}).takeError()),
        "--engine nccl: got 2 processes and nowhere to meet\n  note: give --job-folder DIR, which the processes of all "
        "ranks see, or --job-address HOST:PORT, a port of rank 0's host");
  }
  Launched launched({{"SLURM_PROCID", "1"},
                     {"SLURM_NTASKS", "2"},
                     {"SLURM_LOCALID", "0"},
                     {"SLURM_JOB_ID", "70"},
                     {"SLURM_STEP_ID", "1"}});
  EXPECT_EQ(placeOf({"", "node0:5"}).job, "70.1");
}

} // namespace
} // namespace ccgraph::test
