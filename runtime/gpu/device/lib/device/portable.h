// Attributes of functions that a device compiler also compiles for the device; empty for every other compiler.
//
// Device computations are in headers of this folder, which need only the standard library. The module of the engine
// compiles them for devices, and the runtime compiles them for the CPU (run_on_host.h). So tests compare the devices'
// arithmetic and indexing with our host kernels; only the distribution over blocks and threads needs tests on a device.
#pragma once

#ifdef __CUDACC__
/// Plain functions of values.
#define CCGRAPH_ANYWHERE __host__ __device__
/// A function that a team computes (team.h).
#define CCGRAPH_BY_TEAM __device__
#else
#define CCGRAPH_ANYWHERE
#define CCGRAPH_BY_TEAM
#endif
