/* Reads, verifies, prints and optimizes graphs. */
#include "capi_checks.h"

static void checkFile(const char *path) {
  ccgraph_graph *graph = NULL;
  ccgraph_text *before = NULL, *digest = NULL, *report = NULL, *schedule = NULL, *after = NULL;
  if (!fine(ccgraph_read(path, NULL, &graph)))
    return;
  CHECK(fine(ccgraph_verify(graph)));
  CHECK(fine(ccgraph_print(graph, "json", &before)) && ccgraph_text_size(before) == strlen(ccgraph_text_data(before)));
  CHECK(fine(ccgraph_digest(graph, &digest)) && ccgraph_text_size(digest) == 64);
  CHECK(refused(ccgraph_report(graph, &report), CCGRAPH_USAGE, "was not optimized"));
  CHECK(refused(ccgraph_print(graph, "schedule", &schedule), CCGRAPH_USAGE, "was not optimized"));
  CHECK(refused(ccgraph_print(graph, "yaml", &schedule), CCGRAPH_USAGE, "expected json, fx, schedule, page or trace"));
  CHECK(fine(ccgraph_optimize(graph, NULL)));
  CHECK(refused(ccgraph_optimize(graph, NULL), CCGRAPH_USAGE, "optimized already"));
  CHECK(fine(ccgraph_report(graph, &report)) && strstr(ccgraph_text_data(report), ccgraph_text_data(digest)));
  CHECK(fine(ccgraph_print(graph, "schedule", &schedule)) && strstr(ccgraph_text_data(schedule), "ccgraph.schedule"));
  CHECK(fine(ccgraph_print(graph, "json", &after)));
  CHECK(strcmp(ccgraph_text_data(before), ccgraph_text_data(after)) != 0);

  /* The printed bytes read back as the same graph. */
  ccgraph_graph *again = NULL;
  ccgraph_text *digestAgain = NULL;
  CHECK(fine(ccgraph_read_bytes("memory", ccgraph_text_data(before), ccgraph_text_size(before), NULL, &again)));
  CHECK(fine(ccgraph_digest(again, &digestAgain)));
  CHECK(strcmp(ccgraph_text_data(digest), ccgraph_text_data(digestAgain)) == 0);
  ccgraph_graph_free(again);
  ccgraph_graph_free(graph);
  ccgraph_text *texts[] = {before, digest, report, schedule, after, digestAgain};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    ccgraph_text_free(texts[i]);
}

static void checkErrors(void) {
  ccgraph_graph *graph = NULL;
  const char *text = "{\"format\": \"ccgraph.graph\", \"version\": \"1.0\", \"nodes\": [7]}";
  ccgraph_error *error = ccgraph_read_bytes("mine.json", text, strlen(text), NULL, &graph);
  CHECK(error && graph == NULL && ccgraph_error_count(error) >= 1);
  ccgraph_diagnostic found;
  found.struct_size = sizeof found;
  CHECK(ccgraph_error_at(error, 0, &found) && strcmp(found.file, "mine.json") == 0 && found.line == 1 &&
        found.column > 1);
  CHECK(!ccgraph_error_at(error, 1000, &found));
  ccgraph_error_free(error);
  CHECK(refused(ccgraph_read("/no/such/file", NULL, &graph), CCGRAPH_INPUT, "No such file"));

  ccgraph_options *options = ccgraph_options_new();
  CHECK(refused(ccgraph_options_set(options, "speed", "9"), CCGRAPH_USAGE, "there is no option 'speed'"));
  CHECK(refused(ccgraph_options_set(options, "bitwise", "yes"), CCGRAPH_USAGE, "expected true or false"));
  CHECK(refused(ccgraph_options_set(options, "memory-budget", "lots"), CCGRAPH_USAGE, "got 'lots'"));
  ccgraph_options_free(options);
}

/* Returns the error of one option, without a graph. */
static int refusesOption(const char *name, const char *value, const char *words) {
  ccgraph_options *options = ccgraph_options_new();
  int result =
      fine(ccgraph_options_set(options, name, value)) && refused(ccgraph_options_check(options), CCGRAPH_INPUT, words);
  ccgraph_options_free(options);
  return result;
}

static void checkOptions(void) {
  ccgraph_options *options = ccgraph_options_new();
  CHECK(fine(ccgraph_options_check(options)));
  CHECK(fine(ccgraph_options_set(options, "machine", "h100x8")));
  CHECK(fine(ccgraph_options_set(options, "pipeline", "sink-waits")));
  CHECK(fine(ccgraph_options_check(options)));
  ccgraph_options_free(options);
  CHECK(refusesOption("machine", "h100", "the machines are"));
  CHECK(refusesOption("pipeline", "sink-wait", "sink-waits"));
  CHECK(refusesOption("schedule", "nope", "No such file"));
  CHECK(refusesOption("durations", "nope", "No such file"));
  CHECK(refusesOption("groups", "nope", "No such file"));
  CHECK(refused(ccgraph_options_check(NULL), CCGRAPH_USAGE, "got NULL"));
}

/* What objects mean is read from the graph's own member `constants`, as the command line does. */
static void checkConstants(void) {
  static const char json[] =
      "{\"format\": \"ccgraph.graph\", \"version\": \"1.0\", \"name\": \"step\", \"groups\": {\"tp\": {\"ranks\": [0, "
      "1]}},"
      "\"constants\": {\"pg\": {\"group\": \"tp\"}, \"op\": {\"reduce_op\": \"sum\"}}, \"nodes\": ["
      "{\"name\": \"x\", \"op\": \"placeholder\", \"target\": \"x\", \"type\": \"f32[4][1]cpu\"},"
      "{\"name\": \"y\", \"op\": \"call_function\", \"target\": \"aten.relu.default\", \"args\": [\"%x\"], \"type\": "
      "\"f32[4][1]cpu\"},"
      "{\"name\": \"g\", \"op\": \"get_attr\", \"target\": \"pg\"}, {\"name\": \"s\", \"op\": \"get_attr\", "
      "\"target\": \"op\"},"
      "{\"name\": \"p\", \"op\": \"call_function\", \"target\": \"c10d.allreduce_.default\", \"args\": [[\"%y\"], "
      "\"%g\", \"%s\", null]},"
      "{\"name\": \"l\", \"op\": \"call_function\", \"target\": \"operator.getitem\", \"args\": [\"%p\", 0]},"
      "{\"name\": \"r\", \"op\": \"call_function\", \"target\": \"operator.getitem\", \"args\": [\"%l\", 0], \"type\": "
      "\"f32[4][1]cpu\"},"
      "{\"name\": \"output\", \"op\": \"output\", \"target\": \"output\", \"args\": [{\"tuple\": [\"%r\"]}]}]}";
  ccgraph_graph *graph = NULL;
  ccgraph_text *text = NULL;
  if (fine(ccgraph_read_bytes("step.json", json, sizeof json - 1, NULL, &graph)) &&
      fine(ccgraph_optimize(graph, NULL)) && fine(ccgraph_print(graph, "fx", &text)))
    CHECK(strstr(ccgraph_text_data(text), "_c10d_functional.all_reduce.default(y, 'sum', 'tp')"));
  ccgraph_text_free(text);
  ccgraph_graph_free(graph);
}

/* These splits cannot be the same on every rank, so ranks differ, and the report gives the reason. */
static void checkRanksDiffer(void) {
  const char *const type = "f32[8, 4][4, 1]cuda:0";
  char text[1024];
  for (int even = 0; even < 2; ++even) {
    snprintf(text, sizeof text,
             "def forward(self, x: \"%s\"):\n"
             "    a: \"%s\" = torch.ops._c10d_functional.all_to_all_single.default(x, %s, [4, 4], 'ep')\n"
             "    w: \"%s\" = torch.ops._c10d_functional.wait_tensor.default(a)\n"
             "    return (w,)\n",
             type, type, even ? "[4, 4]" : "[3, 5]", type);
    ccgraph_graph *graph = NULL;
    ccgraph_text *report = NULL;
    if (!fine(ccgraph_read_bytes("step.py", text, strlen(text), NULL, &graph)))
      return;
    CHECK(fine(ccgraph_optimize(graph, NULL)) && fine(ccgraph_report(graph, &report)));
    CHECK(strstr(ccgraph_text_data(report), even ? "\"spmd\": true" : "\"spmd\": false"));
    CHECK((strstr(ccgraph_text_data(report), "\"ranks_differ\"") == NULL) == even);
    ccgraph_text_free(report);
    ccgraph_graph_free(graph);
  }
}

void checkGraphs(const char *path) {
  checkFile(path);
  checkErrors();
  checkOptions();
  checkConstants();
  checkRanksDiffer();
}
