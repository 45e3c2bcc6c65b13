// Compiled with GROUP as something that is given for a group; what is none must not compile.
#include "ccgraph/tracer/group.h"

using namespace ccgraph::tracer;

ccgraph::tracer::GroupLike group() { return GroupLike(GROUP); }
