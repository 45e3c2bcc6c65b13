// This file is compiled with GROUP as an argument for a group; an argument that is not a group must not compile.
#include "ccgraph/tracer/group.h"

using namespace ccgraph::tracer;

ccgraph::tracer::GroupLike group() { return GroupLike(GROUP); }
