#include "capi_checks.h"

/* Every function accepts NULL for each handle and result pointer, and returns a usage error or nothing. */
void checkNull(const char *path) {
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
