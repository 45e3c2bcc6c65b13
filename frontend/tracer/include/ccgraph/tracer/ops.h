// Includes all operators of the tracer: elementwise, linear, reductions, views, networks.
#pragma once

#include "ccgraph/tracer/elementwise.h"
#include "ccgraph/tracer/linear.h"
#include "ccgraph/tracer/networks.h"
#include "ccgraph/tracer/reductions.h"
#include "ccgraph/tracer/views.h"
