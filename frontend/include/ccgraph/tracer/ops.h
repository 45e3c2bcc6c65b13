// All operators of the tracer at once: elementwise, linear, reductions, views, networks.
#pragma once

#include "ccgraph/tracer/elementwise.h"
#include "ccgraph/tracer/linear.h"
#include "ccgraph/tracer/networks.h"
#include "ccgraph/tracer/reductions.h"
#include "ccgraph/tracer/views.h"
