/* Tests the C ABI from C, as docs/c-api.md describes it. Argument: the folder of tests/data. Each failed check prints
 * its line. */
#include "capi_checks.h"

int failures = 0;

int fine(ccgraph_error *error) {
  if (!error)
    return 1;
  fprintf(stderr, "unexpected: %s", ccgraph_error_text(error));
  ccgraph_error_free(error);
  ++failures;
  return 0;
}

int refused(ccgraph_error *error, int32_t kind, const char *words) {
  int ok = error && ccgraph_error_kind(error) == kind && strstr(ccgraph_error_text(error), words);
  if (!ok)
    fprintf(stderr, "expected '%s', got: %s\n", words, error ? ccgraph_error_text(error) : "no error");
  ccgraph_error_free(error);
  return ok;
}

int main(int argc, char **argv) {
  char path[4096];
  if (argc != 2)
    return 2;
  CHECK(ccgraph_abi_version() >> 16 == CCGRAPH_ABI_MAJOR && ccgraph_version()[0] != 0);
  snprintf(path, sizeof path, "%s/small/transformer_step_w4/readable.py.gz", argv[1]);
  checkGraphs(path);
  checkArrays();
  checkNull(path);
  checkJobs();
  return failures != 0;
}
