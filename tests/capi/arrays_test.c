/* Imports graphs as arrays (ccgraph_flat), right and wrong ones. */
#include "capi_checks.h"

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

void checkArrays(void) {
  checkFlat();
  checkBadFlat();
  checkUnreadable();
  checkAround();
}
