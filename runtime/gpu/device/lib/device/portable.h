// Marks of functions that a device's compiler makes for the device, too; nothing for every other compiler.
//
// What is computed on a device stands in headers of this folder, which need nothing but the standard library. The module of the engine
// compiles them for devices, and the runtime for the CPU (run_on_host.h): so tests hold the very arithmetic and indexing that devices
// run to our kernels of the host, and only how a launch spreads it over blocks and threads is left to try on a device.
#pragma once

#ifdef __CUDACC__
/// Plain functions of values.
#define CCGRAPH_ANYWHERE __host__ __device__
/// What a team computes (team.h).
#define CCGRAPH_BY_TEAM __device__
#else
#define CCGRAPH_ANYWHERE
#define CCGRAPH_BY_TEAM
#endif
