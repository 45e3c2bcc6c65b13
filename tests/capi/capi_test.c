/* Tests the C ABI from C, as docs/c-api.md describes it. Argument: the folder of tests/data. Each failed check prints
 * its line. */
#include "ccgraph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;
#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                          \
      ++failures;                                                                                                      \
    }                                                                                                                  \
  } while (0)

/* Expects NULL; otherwise prints and counts the error. */
static int fine(ccgraph_error *error) {
  if (!error)
    return 1;
  fprintf(stderr, "unexpected: %s", ccgraph_error_text(error));
  ccgraph_error_free(error);
  ++failures;
  return 0;
}

static int refused(ccgraph_error *error, int32_t kind, const char *words) {
  int ok = error && ccgraph_error_kind(error) == kind && strstr(ccgraph_error_text(error), words);
  if (!ok)
    fprintf(stderr, "expected '%s', got: %s\n", words, error ? ccgraph_error_text(error) : "no error");
  ccgraph_error_free(error);
  return ok;
}

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

/* x, y -> two gathers, each awaited immediately, with their results returned. */
enum { X, Y, A, WA, B, WB, OUT, NODES };
static const char texts[] =
    "xyawabwboutput_c10d_functional.all_gather_into_tensor.default_c10d_functional.wait_tensor.default"
    "f32[8][1]cpuf32[16][1]cpudps1";
static const uint64_t textBegin[] = {0, 1, 2, 3, 5, 6, 8, 14, 61, 97, 109, 122, 124, 126};
static const uint8_t opcodes[NODES] = {CCGRAPH_PLACEHOLDER,   CCGRAPH_PLACEHOLDER,   CCGRAPH_CALL_FUNCTION,
                                       CCGRAPH_CALL_FUNCTION, CCGRAPH_CALL_FUNCTION, CCGRAPH_CALL_FUNCTION,
                                       CCGRAPH_OUTPUT};
static const uint32_t names[NODES] = {0, 1, 2, 3, 4, 5, 6};
static const uint32_t targets[NODES] = {0, 1, 7, 8, 7, 8, 6};
static const uint32_t types[NODES] = {9, 9, 10, 10, 10, 10, CCGRAPH_NO_TEXT};
static const int64_t code[] = {0,  0,
                               0,  0, /* x, y */
                               3,  CCGRAPH_NODE,
                               X,  CCGRAPH_INT,
                               2,  CCGRAPH_STRING,
                               11, 0, /* a */
                               1,  CCGRAPH_NODE,
                               A,  0, /* wa */
                               3,  CCGRAPH_NODE,
                               Y,  CCGRAPH_INT,
                               2,  CCGRAPH_STRING,
                               11, 0, /* b */
                               1,  CCGRAPH_NODE,
                               B,  0, /* wb */
                               1,  CCGRAPH_TUPLE,
                               2,  CCGRAPH_NODE,
                               WA, CCGRAPH_NODE,
                               WB, 0}; /* output */
static const uint64_t codeBegin[] = {0, 2, 4, 12, 16, 24, 28, 36};

static ccgraph_flat flatGraph(void) {
  ccgraph_flat flat = {sizeof flat, NODES, 13, texts, textBegin, opcodes, names, targets, types, codeBegin, code};
  return flat;
}

static void checkFlat(void) {
  ccgraph_flat flat = flatGraph();
  ccgraph_graph *graph = NULL;
  ccgraph_edits *edits = NULL;
  if (!fine(ccgraph_import(&flat, "step", &graph)))
    return;
  CHECK(fine(ccgraph_verify(graph)));
  CHECK(refused(ccgraph_edits_of(graph, &edits), CCGRAPH_USAGE, "then optimized"));
  ccgraph_options *options = ccgraph_options_new();
  CHECK(fine(ccgraph_options_set(options, "memory-budget", "unlimited")));
  CHECK(fine(ccgraph_optimize(graph, options)));
  ccgraph_options_free(options);
  ccgraph_edit_view view;
  view.struct_size = 1;
  CHECK(fine(ccgraph_edits_of(graph, &edits)) && !ccgraph_edits_view(edits, &view));
  view.struct_size = sizeof view;
  CHECK(ccgraph_edits_view(edits, &view));
  /* One gather on a list, two elements of it, two waits. The four old nodes are removed; the output reads the new
   * waits. */
  CHECK(view.made.node_count == 5 && view.order_count == 8);
  CHECK(view.order[0] == X && view.order[1] == Y && view.order[2] == NODES && view.order[7] == OUT);
  CHECK(view.operand_count == 2 && view.operands[0] == OUT && view.operands[1] == 0 && view.operands[2] >= NODES);
  CHECK(view.like_begin[1] == 2 && view.likes[0] == A && view.likes[1] == B);
  const char *target = view.made.text_bytes + view.made.text_begin[view.made.targets[0]];
  CHECK(strncmp(target, "_c10d_functional.all_gather_into_tensor_coalesced.default", 57) == 0);
  ccgraph_edits_free(edits);
  ccgraph_graph_free(graph);
}

static void checkBadFlat(void) {
  ccgraph_graph *graph = NULL;
  ccgraph_flat flat = flatGraph();
  int64_t bad[sizeof code / sizeof *code];
  flat.code = bad;
  /* Replaces every word of the arguments by wrong numbers: the result is an error or a graph, and never a crash. */
  const int64_t others[] = {-1, 0, 1, 2, 5, 8, 12, 15, 16, 99, INT64_MIN, INT64_MAX};
  for (size_t at = 0; at < sizeof code / sizeof *code; ++at)
    for (size_t other = 0; other < sizeof others / sizeof *others; ++other) {
      memcpy(bad, code, sizeof code);
      bad[at] = others[other];
      ccgraph_error *error = ccgraph_import(&flat, "bad", &graph);
      if (!error)
        ccgraph_graph_free(graph);
      else
        CHECK(strstr(ccgraph_error_text(error), "[api.flat]"));
      ccgraph_error_free(error);
    }
  memcpy(bad, code, sizeof code);
  bad[6] = WB; /* a reads a later node */
  CHECK(refused(ccgraph_import(&flat, "bad", &graph), CCGRAPH_INPUT, "mentions node 5, expected one before it"));
  flat.struct_size = 8;
  CHECK(refused(ccgraph_import(&flat, "bad", &graph), CCGRAPH_USAGE, "set struct_size"));
}

/* Values that the reader of JSON rejects are errors of the writer too: a name, a target, and a call that executes the
 * content of a file. */
static void checkUnreadable(void) {
  char bytes[sizeof texts + 4];
  uint64_t begin[15];
  uint32_t calls[NODES];
  const struct {
    size_t at;
    char byte;
    uint32_t target;
    const char *words;
  } cases[] = {{2, '\n', 7, "JSON cannot hold the name '\\n', expected an identifier"},
               {14, '\n', 7, "JSON cannot hold the target '\\nc10d_functional"},
               {126, 'e', 13, "JSON cannot hold a call of 'eval'"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    memcpy(bytes, texts, sizeof texts);
    strcpy(bytes + 126, "eval");
    bytes[cases[i].at] = cases[i].byte;
    memcpy(begin, textBegin, sizeof textBegin);
    begin[14] = 130;
    memcpy(calls, targets, sizeof targets);
    calls[A] = cases[i].target;
    ccgraph_flat flat = flatGraph();
    flat.text_count = 14, flat.text_bytes = bytes, flat.text_begin = begin, flat.targets = calls;
    ccgraph_graph *graph = NULL;
    ccgraph_text *text = NULL;
    if (!fine(ccgraph_import(&flat, "step", &graph)))
      continue;
    CHECK(refused(ccgraph_print(graph, "json", &text), CCGRAPH_INPUT, cases[i].words));
    CHECK(refused(ccgraph_write(graph, "unreadable.json", "json"), CCGRAPH_INPUT, cases[i].words));
    ccgraph_graph_free(graph);
  }
  CHECK(!fopen("unreadable.json", "r"));
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

/* Text 0 is "x", 2 is "a", 4 is "b": names of a file, a function, a symbol and a subgraph here. */
static ccgraph_around around(void) {
  static const uint32_t nodeFrames[NODES] = {0, 0, 1, 0, 2, 0, 0}, frameTexts[] = {0, 2, CCGRAPH_NO_TEXT, 0, 4, 11},
                        symbols[] = {12}, subgraphNames[] = {4};
  static const int64_t frameLines[] = {12, 34}, hints[] = {16};
  static ccgraph_flat inner;
  static const ccgraph_flat *const subgraphs[] = {&inner};
  inner = flatGraph();
  ccgraph_around made = {sizeof made,   2,         1,   1, nodeFrames, frameTexts, frameLines, symbols, hints,
                         subgraphNames, subgraphs, NULL};
  return made;
}

static void checkAround(void) {
  ccgraph_flat flat = flatGraph();
  ccgraph_around all = around();
  ccgraph_graph *graph = NULL;
  ccgraph_text *text = NULL;
  if (!fine(ccgraph_import_with(&flat, &all, "step", &graph)) || !fine(ccgraph_print(graph, "json", &text)))
    return;
  const char *json = ccgraph_text_data(text);
  CHECK(strstr(json, "{\"file\": \"x\", \"line\": 12, \"function\": \"a\"}"));
  CHECK(strstr(json, "{\"file\": \"x\", \"line\": 34, \"function\": \"b\", \"code\": \"dp\"}"));
  CHECK(strstr(json, "\"symbols\": {\"s1\": 16}"));
  CHECK(strstr(json, "\"subgraphs\": {") && strstr(json, "\"b\": {"));
  ccgraph_text_free(text);
  ccgraph_graph_free(graph);
  const uint32_t far[NODES] = {0, 0, 3, 0, 0, 0, 0};
  all.node_frames = far;
  CHECK(
      refused(ccgraph_import_with(&flat, &all, "bad", &graph), CCGRAPH_INPUT, "comes from frame 3, expected one of 2"));
  all = around();
  const uint32_t twice[] = {4, 4};
  const ccgraph_flat *const two[] = {&flat, &flat};
  all.subgraph_count = 2, all.subgraph_names = twice, all.subgraphs = two;
  CHECK(refused(ccgraph_import_with(&flat, &all, "bad", &graph), CCGRAPH_INPUT, "a second subgraph is called 'b'"));
  const ccgraph_flat *const none[] = {NULL};
  all.subgraph_count = 1, all.subgraphs = none;
  CHECK(refused(ccgraph_import_with(&flat, &all, "bad", &graph), CCGRAPH_INPUT,
                "'b' is NULL, lacks an array or has another size"));
  const ccgraph_around *const itself[] = {&all};
  const ccgraph_flat *const same[] = {&flat};
  all.subgraphs = same, all.subgraph_arounds = itself; /* infinite recursion */
  CHECK(refused(ccgraph_import_with(&flat, &all, "bad", &graph), CCGRAPH_INPUT, "nest deeper than 200"));
  all.struct_size = 8;
  CHECK(refused(ccgraph_import_with(&flat, &all, "bad", &graph), CCGRAPH_USAGE, "sizeof(ccgraph_around)"));
}

/* Every function accepts NULL for each handle and result pointer, and returns a usage error or nothing. */
static void checkNull(const char *path) {
  ccgraph_graph *graph = NULL;
  ccgraph_text *text = NULL;
  ccgraph_edits *edits = NULL;
  ccgraph_options *options = ccgraph_options_new();
  ccgraph_diagnostic diagnostic = {.struct_size = sizeof diagnostic};
  ccgraph_edit_view view = {.struct_size = sizeof view};
  CHECK(ccgraph_error_kind(NULL) == 0 && ccgraph_error_count(NULL) == 0 && ccgraph_error_text(NULL)[0] == 0);
  CHECK(ccgraph_error_at(NULL, 0, &diagnostic) == 0 && ccgraph_error_at(NULL, 0, NULL) == 0);
  CHECK(ccgraph_text_size(NULL) == 0 && ccgraph_text_data(NULL)[0] == 0 && ccgraph_graph_warnings(NULL)[0] == 0);
  CHECK(ccgraph_edits_view(NULL, &view) == 0 && ccgraph_edits_view(NULL, NULL) == 0);
  ccgraph_error_free(NULL), ccgraph_text_free(NULL), ccgraph_options_free(NULL), ccgraph_graph_free(NULL),
      ccgraph_edits_free(NULL);
  CHECK(refused(ccgraph_options_set(NULL, "groups", "x"), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_options_set(options, NULL, "x"), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_options_set(options, "groups", NULL), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_read(NULL, NULL, &graph), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_read(path, NULL, NULL), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_read_bytes(NULL, "", 0, NULL, &graph), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_read_bytes("a", NULL, 1, NULL, &graph), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_read_bytes("a", "", 0, NULL, NULL), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_print(NULL, "json", &text), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_write(NULL, path, "json"), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_digest(NULL, &text), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_verify(NULL), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_optimize(NULL, NULL), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_optimize(NULL, options), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_report(NULL, &text), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_import(NULL, "a", &graph), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_import_with(NULL, NULL, "a", &graph), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_edits_of(NULL, &edits), CCGRAPH_USAGE, "got NULL"));
  ccgraph_flat flat = {.struct_size = sizeof flat};
  CHECK(refused(ccgraph_import(&flat, "a", &graph), CCGRAPH_USAGE, "with its arrays")); /* all arrays are NULL */
  if (!fine(ccgraph_read(path, NULL, &graph)))
    return;
  CHECK(refused(ccgraph_print(graph, "json", NULL), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_print(graph, NULL, &text), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_write(graph, NULL, "json"), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_write(graph, "x", NULL), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_digest(graph, NULL), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_report(graph, NULL), CCGRAPH_USAGE, "got NULL"));
  CHECK(refused(ccgraph_edits_of(graph, NULL), CCGRAPH_USAGE, "got NULL"));
  CHECK(fine(ccgraph_optimize(graph, NULL)));
  CHECK(refused(ccgraph_report(graph, NULL), CCGRAPH_USAGE, "got NULL"));
  ccgraph_graph_free(graph);
  ccgraph_options_free(options);
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

static void writeText(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Prints a result in each form, and checks that a word occurs in it. */
static void checkForms(const ccgraph_checked *checked, const char *const *forms, const char *const *words) {
  for (; *forms; ++forms, ++words) {
    ccgraph_text *text = NULL;
    CHECK(fine(ccgraph_checked_print(checked, *forms, &text)) && strstr(ccgraph_text_data(text), *words));
    ccgraph_text_free(text);
  }
}

/* Two ranks that reduce in different ways, and a contract that one of them does not satisfy. */
static void checkJobs(void) {
  const char *const text = "class f(torch.nn.Module):\n"
                           "    def forward(self, x: \"f32[4][1]cpu\"):\n"
                           "        a: \"f32[4][1]cpu\" = torch.ops._c10d_functional.all_reduce.default(x, '%s', '0')\n"
                           "        w: \"f32[4][1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(a)\n"
                           "        return (w,)\n";
  char rank[512];
  snprintf(rank, sizeof rank, text, "sum");
  writeText("capi_rank0.py", rank);
  snprintf(rank, sizeof rank, text, "max");
  writeText("capi_rank1.py", rank);
  writeText("capi_groups.json", "{\"groups\": {\"0\": {\"ranks\": [0, 1]}}, \"world_size\": 2}");
  const char *const paths[] = {"capi_rank0.py", "capi_rank1.py"};
  ccgraph_checked *checked = NULL;
  ccgraph_options *options = ccgraph_options_new();
  CHECK(fine(ccgraph_options_set(options, "groups", "capi_groups.json")));
  CHECK(fine(ccgraph_options_set(options, "replay", "true")) && fine(ccgraph_options_set(options, "under", "streams")));
  CHECK(refused(ccgraph_options_set(options, "under", "luck"), CCGRAPH_USAGE, "got 'luck'"));
  CHECK(refused(ccgraph_options_set(options, "max-resident", "0"), CCGRAPH_USAGE, "a number from 1"));
  CHECK(refused(ccgraph_check(NULL, 1, options, &checked), CCGRAPH_USAGE, "no path"));
  CHECK(refused(ccgraph_check(paths, 0, options, &checked), CCGRAPH_USAGE, "no path"));
  if (fine(ccgraph_check(paths, 2, options, &checked))) {
    const char *const forms[] = {"text", "json", "sarif", "dot", "page", NULL};
    const char *const words[] = {"[reduction]", "\"ends\": true", "\"ruleId\": \"reduction\"", "digraph", "<svg"};
    CHECK(ccgraph_checked_count(checked) == 1 && ccgraph_checked_warnings(checked)[0] == 0);
    checkForms(checked, forms, words);
  }
  ccgraph_checked_free(checked);
  ccgraph_text *contract = NULL;
  CHECK(fine(ccgraph_contract_of(paths[0], options, &contract)));
  writeText("capi_contract.toml", ccgraph_text_data(contract));
  ccgraph_text_free(contract);
  if (fine(ccgraph_check_contract(paths[1], "capi_contract.toml", options, &checked))) {
    const char *const forms[] = {"text", "json", "sarif", NULL};
    const char *const words[] = {"error", "\"rule\": \"reduction\"", "\"ruleId\": \"reduction\""};
    CHECK(ccgraph_checked_count(checked) == 1);
    checkForms(checked, forms, words);
    CHECK(refused(ccgraph_checked_print(checked, "page", &contract), CCGRAPH_USAGE, "text, json or sarif"));
  }
  ccgraph_checked_free(checked);
  CHECK(ccgraph_checked_count(NULL) == 0 && ccgraph_checked_warnings(NULL)[0] == 0);
  ccgraph_options_free(options);
}

/* A program is bitwise equal to itself. A step whose values differ from those of one device has no numerics. */
static void checkNumerics(const ccgraph_paths *single, const ccgraph_paths *step) {
  ccgraph_checked *checked = NULL;
  ccgraph_options *options = ccgraph_options_new();
  const char *const forms[] = {"text", "json", NULL};
  CHECK(fine(ccgraph_options_set(options, "groups", "capi_groups.json")));
  CHECK(fine(ccgraph_options_set(options, "engine", "local")));
  if (fine(ccgraph_numerics(step, step, options, &checked))) {
    const char *const words[] = {"bitwise equal, 2 outputs", "\"bitwise_equal\": true"};
    CHECK(ccgraph_checked_verdict(checked) == CCGRAPH_RIGHT && ccgraph_checked_count(checked) == 0);
    checkForms(checked, forms, words);
  }
  ccgraph_checked_free(checked);
  CHECK(fine(ccgraph_options_set(options, "placements", "capi_sum.json")));
  if (fine(ccgraph_numerics(single, step, options, &checked))) {
    const char *const words[] = {"is made outside of the step", "\"order\": \"ranks\""};
    CHECK(ccgraph_checked_verdict(checked) == CCGRAPH_RIGHT && ccgraph_checked_count(checked) == 0);
    checkForms(checked, forms, words);
  }
  ccgraph_checked_free(checked);
  CHECK(fine(ccgraph_options_set(options, "placements", "capi_whole.json")));
  CHECK(fine(ccgraph_numerics(single, step, options, &checked)) && ccgraph_checked_verdict(checked) == CCGRAPH_WRONG &&
        ccgraph_checked_count(checked) == 1);
  ccgraph_checked_free(checked);
  const ccgraph_paths none = {step->paths, 0};
  CHECK(refused(ccgraph_numerics(&none, step, options, &checked), CCGRAPH_USAGE, "no path"));
  CHECK(fine(ccgraph_options_set(options, "same-as-ranks", "2")));
  CHECK(refused(ccgraph_numerics(single, step, options, &checked), CCGRAPH_USAGE, "same-as-ranks"));
  CHECK(fine(ccgraph_options_set(options, "engine", "gloo")));
  CHECK(refused(ccgraph_numerics(single, step, options, &checked), CCGRAPH_USAGE, "local or mpi"));
  ccgraph_options_free(options);
}

/* The sum over two ranks is that of one device if it is reduced; else an output differs. */
static void checkSteps(void) {
  writeText("capi_single.py", "class f(torch.nn.Module):\n"
                              "    def forward(self, x: \"f32[4][1]cpu\"):\n"
                              "        s: \"f32[][]cpu\" = torch.ops.aten.sum.default(x)\n"
                              "        return (s,)\n");
  writeText("capi_step.py", "class f(torch.nn.Module):\n"
                            "    def forward(self, x: \"f32[2][1]cpu\"):\n"
                            "        s: \"f32[][]cpu\" = torch.ops.aten.sum.default(x)\n"
                            "        return (s,)\n");
  writeText("capi_groups.json", "{\"groups\": {\"0\": {\"ranks\": [0, 1]}}, \"world_size\": 2}");
  const char *const placements = "{\"mesh\": {\"axes\": [\"dp\"], \"sizes\": [2]}, \"inputs\": [{\"position\": 0, "
                                 "\"single\": 0, \"of\": \"x\", \"placement\": {\"dp\": \"shard(0)\"}}], "
                                 "\"outputs\": [{\"position\": 0, \"single\": 0, \"of\": \"loss\", "
                                 "\"placement\": {\"dp\": \"%s\"}}]}";
  char text[512];
  snprintf(text, sizeof text, placements, "partial(sum)");
  writeText("capi_sum.json", text);
  snprintf(text, sizeof text, placements, "replicate");
  writeText("capi_whole.json", text);
  const char *const singlePath[] = {"capi_single.py"}, *const stepPath[] = {"capi_step.py"};
  const ccgraph_paths single = {singlePath, 1}, step = {stepPath, 1}, none = {stepPath, 0};
  ccgraph_checked *checked = NULL;
  ccgraph_options *options = ccgraph_options_new();
  CHECK(fine(ccgraph_options_set(options, "groups", "capi_groups.json")));
  CHECK(fine(ccgraph_options_set(options, "placements", "capi_sum.json")));
  CHECK(refused(ccgraph_same_as(&single, &none, options, &checked), CCGRAPH_USAGE, "no path"));
  CHECK(refused(ccgraph_infer_placements(&none, options, &checked), CCGRAPH_USAGE, "no path"));
  CHECK(fine(ccgraph_same_as(&single, &step, options, &checked)) && ccgraph_checked_verdict(checked) == CCGRAPH_RIGHT &&
        ccgraph_checked_count(checked) == 0);
  ccgraph_checked_free(checked);
  CHECK(fine(ccgraph_options_set(options, "placements", "capi_whole.json")));
  if (fine(ccgraph_same_as(&single, &step, options, &checked))) {
    const char *const forms[] = {"text", "json", NULL};
    const char *const words[] = {"not the same", "\"equal\": false"};
    CHECK(ccgraph_checked_verdict(checked) == CCGRAPH_WRONG && ccgraph_checked_count(checked) == 1);
    checkForms(checked, forms, words);
  }
  ccgraph_checked_free(checked);
  /* A job whose output is summed is another form of one whose output is not. */
  CHECK(fine(ccgraph_options_set(options, "same-as-placements", "capi_whole.json")));
  CHECK(fine(ccgraph_options_set(options, "same-as-groups", "capi_groups.json")));
  CHECK(fine(ccgraph_same_as(&step, &step, options, &checked)) && ccgraph_checked_verdict(checked) == CCGRAPH_WRONG);
  ccgraph_checked_free(checked);
  CHECK(fine(ccgraph_infer_placements(&step, options, &checked)) && ccgraph_checked_verdict(checked) == CCGRAPH_WRONG &&
        ccgraph_checked_count(checked) == 1);
  ccgraph_checked_free(checked);
  CHECK(ccgraph_checked_verdict(NULL) == CCGRAPH_UNDECIDED);
  ccgraph_options_free(options);
  checkNumerics(&single, &step);
}

/* A schedule without graphs, and the graphs of all ranks rewritten together; checkJobs has written the graphs. */
static void checkSchedulesAndRewrites(void) {
  writeText("capi_schedule.csv", "0F0,0B0\n1F0,1B0\n");
  const char *const paths[] = {"capi_schedule.csv"};
  ccgraph_checked *checked = NULL;
  ccgraph_options *options = ccgraph_options_new();
  CHECK(fine(ccgraph_options_set(options, "stage-sizes", "bf16[4, 8]")));
  if (fine(ccgraph_check(paths, 1, options, &checked))) {
    const char *const forms[] = {"text", "json", "page", NULL};
    const char *const words[] = {"runs to its end", "\"streams\": \"ok\"", "<svg"};
    CHECK(ccgraph_checked_count(checked) == 0);
    checkForms(checked, forms, words);
  }
  ccgraph_checked_free(checked);
  ccgraph_options_free(options);
  writeText("capi_job.json", "{\"graphs\": [{\"graph\": \"capi_rank0.py\", \"ranks\": [0, 1]}],"
                             " \"groups\": \"capi_groups.json\"}");
  ccgraph_text *report = NULL;
  CHECK(refused(ccgraph_optimize_job("capi_job.json", NULL, NULL, &report), CCGRAPH_USAGE, "got NULL"));
  CHECK(fine(ccgraph_optimize_job("capi_job.json", "capi_job_rewritten", NULL, &report)) &&
        strstr(ccgraph_text_data(report), "\"proved\": true"));
  ccgraph_text_free(report);
  options = ccgraph_options_new();
  CHECK(fine(ccgraph_options_set(options, "schedule", "s.json")));
  CHECK(refused(ccgraph_optimize_job("capi_job.json", "capi_job_rewritten", options, &report), CCGRAPH_USAGE,
                "about one graph"));
  ccgraph_options_free(options);
}

int main(int argc, char **argv) {
  char path[4096];
  if (argc != 2)
    return 2;
  CHECK(ccgraph_abi_version() >> 16 == CCGRAPH_ABI_MAJOR && ccgraph_version()[0] != 0);
  snprintf(path, sizeof path, "%s/small/transformer_step_w4/readable.py.gz", argv[1]);
  checkFile(path);
  checkErrors();
  checkOptions();
  checkFlat();
  checkBadFlat();
  checkConstants();
  checkUnreadable();
  checkAround();
  checkNull(path);
  checkRanksDiffer();
  checkJobs();
  checkSteps();
  checkSchedulesAndRewrites();
  return failures != 0;
}
