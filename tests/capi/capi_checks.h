/* Checks that the tests of the C ABI share. */
#ifndef CCGRAPH_TESTS_CAPI_CHECKS_H
#define CCGRAPH_TESTS_CAPI_CHECKS_H

#include "ccgraph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of failed checks. */
extern int failures;

/* Prints the line of a failed check, and counts the failure. */
#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                          \
      ++failures;                                                                                                      \
    }                                                                                                                  \
  } while (0)

/* Returns whether there is no error; otherwise prints and counts the error. */
int fine(ccgraph_error *error);

/* Returns whether there is an error of this kind that contains the words; otherwise prints the difference. */
int refused(ccgraph_error *error, int32_t kind, const char *words);

/* Reads, verifies, prints and optimizes graphs: a file, texts with errors, options. Argument: a graph file. */
void checkGraphs(const char *path);
/* Imports graphs as arrays, right and wrong ones. */
void checkArrays(void);
/* Passes NULL for each handle and result pointer. Argument: a graph file. */
void checkNull(const char *path);
/* Checks, compares and rewrites the graphs of several ranks. */
void checkJobs(void);

#endif
