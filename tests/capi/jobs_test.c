/* Checks, compares and rewrites the graphs of several ranks. */
#include "capi_checks.h"

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

/* Checks the answer of a comparison and a word in each of its forms, and frees it. A wrong one has one finding. */
static void checkAnswer(ccgraph_checked *checked, int32_t verdict, const char *inText, const char *inJson) {
  const char *const forms[] = {"text", "json", NULL};
  const char *const words[] = {inText, inJson};
  CHECK(ccgraph_checked_verdict(checked) == verdict);
  CHECK(ccgraph_checked_count(checked) == (verdict == CCGRAPH_WRONG));
  checkForms(checked, forms, words);
  ccgraph_checked_free(checked);
}

/* Two ranks that reduce in different ways, and a contract that one of them does not satisfy. */
static void checkTwoRanks(void) {
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
  CHECK(fine(ccgraph_options_set(options, "groups", "capi_groups.json")));
  CHECK(fine(ccgraph_options_set(options, "engine", "local")));
  if (fine(ccgraph_numerics(step, step, options, &checked)))
    checkAnswer(checked, CCGRAPH_RIGHT, "bitwise equal, 2 outputs", "\"bitwise_equal\": true");
  CHECK(fine(ccgraph_options_set(options, "placements", "capi_sum.json")));
  if (fine(ccgraph_numerics(single, step, options, &checked)))
    checkAnswer(checked, CCGRAPH_RIGHT, "is made outside of the step", "\"order\": \"ranks\"");
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
  if (fine(ccgraph_same_as(&single, &step, options, &checked)))
    checkAnswer(checked, CCGRAPH_WRONG, "not the same", "\"equal\": false");
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

/* A schedule without graphs, and the graphs of all ranks rewritten together; checkTwoRanks has written the graphs. */
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

void checkJobs(void) {
  checkTwoRanks();
  checkSteps();
  checkSchedulesAndRewrites();
}
