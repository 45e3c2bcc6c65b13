/* ccgraph.h is the API of ccgraph for C, and for every language that calls C. docs/c-api.md has an example.
 *
 * Handles: each handle is opaque. A function here creates it, and its _free, which accepts NULL, destroys it. A graph
 * handle holds one graph with all its data.
 * NULL in place of a handle or a result pointer is a usage error. A function that returns no error then returns 0 or
 * "". Errors: functions that can fail return NULL, or an error that the caller frees; it holds the diagnostics that the
 * tools print. A failed call creates no result. A graph whose optimization failed can only be freed; other calls return
 * an error that states this.
 * Threads: every function may be called from any thread. Calls on one graph handle wait for one another; an options
 * handle must not be changed while another thread uses it.
 * Texts: char pointers are UTF-8, end in a zero byte and belong to the handle that returned them.
 * Versions: ccgraph_abi_version() is major << 16 | minor of this header. A new major version changes or removes
 * functions, a newer minor version only adds. Structs begin with their size, so that they can grow at the end.
 * No function prints, exits, aborts on bad input, or reads the environment. */
#ifndef CCGRAPH_H
#define CCGRAPH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CCGRAPH_ABI_MAJOR 1u
#define CCGRAPH_ABI_MINOR 5u

typedef struct ccgraph_error ccgraph_error;
typedef struct ccgraph_options ccgraph_options;
typedef struct ccgraph_graph ccgraph_graph;
typedef struct ccgraph_text ccgraph_text;
typedef struct ccgraph_edits ccgraph_edits;
typedef struct ccgraph_checked ccgraph_checked;

/* Returns the version of the loaded library: compare the upper half with CCGRAPH_ABI_MAJOR before any other call. */
uint32_t ccgraph_abi_version(void);
/* Returns the version of the passes, such as "0.1.0"; it determines the result of a pipeline. */
const char *ccgraph_version(void);

/* --- Errors ------------------------------------------------------------------------------------------------------- */

/* The kinds have the numbers of the tools' exit codes: bad input, bad options, a failed check, a defect of ccgraph. */
enum { CCGRAPH_INPUT = 1, CCGRAPH_USAGE = 2, CCGRAPH_CHECK = 3, CCGRAPH_DEFECT = 4 };
enum { CCGRAPH_SEVERITY_ERROR = 0, CCGRAPH_SEVERITY_WARNING = 1 };

typedef struct ccgraph_diagnostic {
  size_t struct_size; /* set by the caller: sizeof(ccgraph_diagnostic) */
  int32_t severity;
  uint32_t line, column; /* from 1; 0 if unknown */
  const char *rule;      /* id, e.g. "async.read-in-flight"; "" if there is none, as below */
  const char *file;
  const char *where;   /* node, or JSON pointer */
  const char *message; /* what was found and what was expected */
  const char *notes;   /* repairs, one a line */
} ccgraph_diagnostic;

int32_t ccgraph_error_kind(const ccgraph_error *error);
/* Returns the whole error, as the tools print it. */
const char *ccgraph_error_text(const ccgraph_error *error);
size_t ccgraph_error_count(const ccgraph_error *error);
/* Writes the index-th diagnostic to `out`; returns 0 and leaves `out` unchanged if there is none. */
int32_t ccgraph_error_at(const ccgraph_error *error, size_t index, ccgraph_diagnostic *out);
void ccgraph_error_free(ccgraph_error *error);

/* --- Texts -------------------------------------------------------------------------------------------------------- */

const char *ccgraph_text_data(const ccgraph_text *text);
size_t ccgraph_text_size(const ccgraph_text *text);
void ccgraph_text_free(ccgraph_text *text);

/* --- Options ------------------------------------------------------------------------------------------------------ */

ccgraph_options *ccgraph_options_new(void);
/* Sets an option, with the name and the text of the tool's flag:
 *   pipeline       "-O2" (the default) or passes: "sink-waits,coalesce-collectives{layout=flat}"
 *   schedule       path of a schedule to apply in place of a pipeline
 *   machine        name or path
 *   durations      path
 *   groups         path
 *   memory-budget  bytes, such as "40GiB", "24.6GiB" or "80GB", "60%" of the input's peak, or "unlimited"
 *   bind           sizes of dynamic dimensions: "s0=4096,s1=8". Times are predicted and the order is chosen for them;
 *                  the graph keeps its symbols. Since 1.3
 *   bitwise, ranks-differ   "true" or "false"; ranks differ, whatever is set, where the logs of several ranks show it,
 *                  or where the graph cannot be the program of every rank (unequal splits, fixed peers). The report
 *                  states why ("ranks_differ").
 *   views          "true" or "false" (the default): keep what the forms page and trace and ccgraph_advise need, and
 *                  list every exposed collective in the report. Since 1.2
 *   under          of a check: semantics, "streams,blocking"; "" (the default) is all of them. Since 1.4
 *   ranks          of a check: number of ranks of a job whose one graph every rank runs. Since 1.4
 *   max-resident   of a check: most communicators of one rank that can be resident at once. Since 1.4
 *   replay         of a check: "true" or "false" (the default): repeat the job on the local engine. Since 1.4
 *   stages         of a check of a schedule: number of stages. Since 1.4
 *   stage-graphs   of a check of a schedule: path of the file with the graphs of its stages. Since 1.4
 *   stage-sizes    of a check of a schedule without graphs: what a stage sends to the next, "bf16[4, 4096]". Since 1.4
 *   placements     of a comparison of steps, and of placements: path of the placements of the ranks. Since 1.5
 *   same-as-groups, same-as-placements, same-as-ranks   of a comparison with another parallel form: its group files
 *                  (separated by commas), the path of its placements, its number of ranks. Since 1.5
 *   trials         of a comparison of steps: evaluations, each with other numbers (2). Since 1.5
 *   engine         of numerics: the engine whose order of sums over ranks counts: "any" (the default), "local", "mpi".
 *                  Since 1.5
 * Files are read when the options are used. */
ccgraph_error *ccgraph_options_set(ccgraph_options *options, const char *name, const char *value);
/* Reads the pipeline and the files that the options name, and returns their errors. It needs no graph, so it does not
 * check whether a schedule or durations match a graph. Since 1.2. */
ccgraph_error *ccgraph_options_check(const ccgraph_options *options);
void ccgraph_options_free(ccgraph_options *options);

/* --- Graphs ------------------------------------------------------------------------------------------------------- */

/* Reads the graph of a file, log or folder. `selector` has the form of --graph; NULL selects the only or the default
 * graph. */
ccgraph_error *ccgraph_read(const char *path, const char *selector, ccgraph_graph **graph);
/* Reads a graph from bytes in memory (not compressed, no log of many graphs); `name` is used in diagnostics. */
ccgraph_error *ccgraph_read_bytes(const char *name, const void *bytes, size_t size, const char *selector,
                                  ccgraph_graph **graph);
void ccgraph_graph_free(ccgraph_graph *graph);
/* Returns the warnings of the reader and the verifier so far, as the tools print them; "" if there are none. */
const char *ccgraph_graph_warnings(const ccgraph_graph *graph);

/* Prints a graph. `form` is "json", "fx", or "schedule" after an optimization; "page" (HTML) or "trace" (JSON for a
 * trace viewer) after an optimization with the option views. */
ccgraph_error *ccgraph_print(ccgraph_graph *graph, const char *form, ccgraph_text **text);
/* Prints a graph to a file, which is either complete or not created. */
ccgraph_error *ccgraph_write(ccgraph_graph *graph, const char *path, const char *form);
/* Returns 64 hexadecimal digits, equal on every rank that runs this program. */
ccgraph_error *ccgraph_digest(ccgraph_graph *graph, ccgraph_text **text);
/* Returns an error with every finding if the graph is not well formed. */
ccgraph_error *ccgraph_verify(ccgraph_graph *graph);
/* Rewrites the graph and proves it, as ccgraph-opt does. `options` NULL: -O2. A graph is optimized once. */
ccgraph_error *ccgraph_optimize(ccgraph_graph *graph, const ccgraph_options *options);
/* Returns the report of the optimization, as ccgraph-opt --json prints it. */
ccgraph_error *ccgraph_report(ccgraph_graph *graph, ccgraph_text **text);
/* Tries other ways to shorten the step, and adds them to the report as "advice". It needs the option views, and runs
 * the pipeline about ten times. Since 1.2. */
ccgraph_error *ccgraph_advise(ccgraph_graph *graph);

/* --- Checks of jobs and contracts, since 1.4 ---------------------------------------------------------------------- */

/* Checks a whole job, as ccgraph-check does: a job file, a graph or plan for each rank in order, one graph for all
 * ranks, logs, or the schedule of a pipeline. It uses the options under, ranks, max-resident, machine, replay and
 * groups (one path, or one for each graph, separated by commas); of a schedule, stages, stage-graphs and stage-sizes in
 * place of ranks and groups. NULL options are the defaults. Findings are no error: ccgraph_checked_count has their
 * number. A schedule in which an action is missing or misplaced has no job, and so only the forms text and json. */
ccgraph_error *ccgraph_check(const char *const *paths, size_t count, const ccgraph_options *options,
                             ccgraph_checked **checked);
/* Compares the step of a log or a graph file with the contract in a TOML file. Of the options, it uses groups and
 * machine. */
ccgraph_error *ccgraph_check_contract(const char *path, const char *contract, const ccgraph_options *options,
                                      ccgraph_checked **checked);
/* Returns a contract (TOML) that the step satisfies with nothing to spare. */
ccgraph_error *ccgraph_contract_of(const char *path, const ccgraph_options *options, ccgraph_text **contract);
/* Returns the number of findings. */
size_t ccgraph_checked_count(const ccgraph_checked *checked);
/* Returns the warnings of the readers, as the tools print them; "" if there are none. */
const char *ccgraph_checked_warnings(const ccgraph_checked *checked);
/* Rewrites the graphs of all ranks together, as ccgraph-opt job.json -o FOLDER does: `path` names a job file, and
 * `folder` receives the rewritten graphs and their job.json. It uses the options pipeline (the default is
 * schedule-overlap{buckets=none}), machine, memory-budget, bitwise and ranks. `report` receives JSON: ranks, graphs,
 * changed, proved, reason (why each rank keeps its order across groups; "" if the rewritten job was proved), safe,
 * warnings (of the readers, as the tools print them). */
ccgraph_error *ccgraph_optimize_job(const char *path, const char *folder, const ccgraph_options *options,
                                    ccgraph_text **report);
/* Files of one step: a job file, one graph for all its ranks, or a graph for each rank in order. Since 1.5. */
typedef struct {
  const char *const *paths;
  size_t count;
} ccgraph_paths;
/* Compares a parallel step with the reference, as ccgraph-check --same-as does: the step of one device, or another
 * parallel form, which several paths, a job file or one of the options same-as-groups, same-as-placements and
 * same-as-ranks state. Of the compared step, it uses the options groups, placements, ranks and trials. Steps that
 * differ are no error: ccgraph_checked_verdict has the answer. Since 1.5. */
ccgraph_error *ccgraph_same_as(const ccgraph_paths *reference, const ccgraph_paths *compared,
                               const ccgraph_options *options, ccgraph_checked **checked);
/* States which outputs of two programs of one job are bitwise equal, and where the others add in another order, as
 * ccgraph-check --same-as --numerics does. It uses the options groups, same-as-groups, ranks and engine; with the
 * option placements, `before` is the step of one device, whose values are compared first, and trials counts too.
 * ccgraph_checked_count has the number of outputs of all ranks that may differ in their bits. Since 1.5. */
ccgraph_error *ccgraph_numerics(const ccgraph_paths *before, const ccgraph_paths *after, const ccgraph_options *options,
                                ccgraph_checked **checked);
/* States how the ranks hold each value of a step, and where that does not fit, as ccgraph-check --infer-placements
 * does. It uses the options groups, placements and ranks. Since 1.5. */
ccgraph_error *ccgraph_infer_placements(const ccgraph_paths *step, const ccgraph_options *options,
                                        ccgraph_checked **checked);
/* What ccgraph_checked_verdict returns. */
enum {
  CCGRAPH_RIGHT = 0,     /* no finding; the same step */
  CCGRAPH_WRONG = 1,     /* a finding; an output differs */
  CCGRAPH_UNDECIDED = 3, /* it cannot be decided; the text states why */
};
/* Returns the answer of a check, as the exit code of ccgraph-check states it. Since 1.5. */
int32_t ccgraph_checked_verdict(const ccgraph_checked *checked);
/* Prints the findings. `form` is "text" or "json"; of a job or contract also "sarif", and of a job "dot" or "page"
 * (HTML). */
ccgraph_error *ccgraph_checked_print(const ccgraph_checked *checked, const char *form, ccgraph_text **text);
void ccgraph_checked_free(ccgraph_checked *checked);

/* --- Flat exchange ---------------------------------------------------------------------------------------------------
 * For callers that hold a graph in memory: arrays, with every text once. Index i of each array belongs to node i; a
 * definition comes before its uses.
 *
 * A type is a text in the form of print_readable: "f32[4, 4][4, 1]cuda:0", "Sym(s0)", "None". The types of several
 * results are separated by ';' in parentheses, with "-" for an unknown type.
 *
 * `code` holds the arguments of node i at code_begin[i] .. code_begin[i + 1]: the number of positional arguments and
 * these arguments, then the number of keyword arguments and these arguments, each a text for its name and a value. A
 * value is a kind and
 *   CCGRAPH_NONE                      nothing
 *   CCGRAPH_NODE CCGRAPH_INT          the node, the number
 *   CCGRAPH_BOOL                      0 or 1
 *   CCGRAPH_FLOAT                     the bits of the double
 *   CCGRAPH_STRING ... CCGRAPH_PYTHON a text
 *   CCGRAPH_LIST CCGRAPH_TUPLE CCGRAPH_SLICE   the number of values, and the values (a slice has three)
 *   CCGRAPH_DICT                      the number of entries, and for each a text and a value */
enum { CCGRAPH_PLACEHOLDER = 0, CCGRAPH_GET_ATTR = 1, CCGRAPH_CALL_FUNCTION = 2, CCGRAPH_OUTPUT = 3 };
enum {
  CCGRAPH_NONE = 0,
  CCGRAPH_NODE = 1,
  CCGRAPH_INT = 2,
  CCGRAPH_BOOL = 3,
  CCGRAPH_FLOAT = 4,
  CCGRAPH_STRING = 5,
  CCGRAPH_SYMBOLIC = 6,
  CCGRAPH_DTYPE = 7, /* "bf16" */
  CCGRAPH_DEVICE = 8,
  CCGRAPH_LAYOUT = 9,
  CCGRAPH_MEMORY_FORMAT = 10,
  CCGRAPH_PYTHON = 11,
  CCGRAPH_LIST = 12,
  CCGRAPH_TUPLE = 13,
  CCGRAPH_SLICE = 14,
  CCGRAPH_DICT = 15
};
#define CCGRAPH_NO_TEXT UINT32_MAX

typedef struct ccgraph_flat {
  size_t struct_size;
  uint32_t node_count;
  uint32_t text_count;
  const char *text_bytes;
  const uint64_t *text_begin; /* text_count + 1; text i is text_bytes[text_begin[i]] .. text_bytes[text_begin[i + 1]] */
  const uint8_t *opcodes;
  const uint32_t *names;      /* texts */
  const uint32_t *targets;    /* texts, "aten.mm.default" */
  const uint32_t *types;      /* texts, or CCGRAPH_NO_TEXT if unknown */
  const uint64_t *code_begin; /* node_count + 1 */
  const int64_t *code;
} ccgraph_flat;

/* Makes a graph from a copy of the arrays; `name` is its name. */
ccgraph_error *ccgraph_import(const ccgraph_flat *flat, const char *name, ccgraph_graph **graph);

/* The data of a flat graph besides its nodes; it refers to the texts of the flat graph. If a count is 0, its arrays may
 * be NULL. Since 1.1. */
typedef struct ccgraph_around {
  size_t struct_size;
  uint32_t frame_count, symbol_count, subgraph_count;
  const uint32_t *node_frames; /* the frame of each node, from 1; 0 if unknown */
  const uint32_t *frame_texts; /* file, function and source line of each frame, CCGRAPH_NO_TEXT if unknown */
  const int64_t *frame_lines;
  const uint32_t *symbols;        /* "s0" and the like */
  const int64_t *hints;           /* the value of each when the graph was traced */
  const uint32_t *subgraph_names; /* the names that targets of CCGRAPH_GET_ATTR use */
  const ccgraph_flat *const *subgraphs;
  const struct ccgraph_around *const *subgraph_arounds; /* may be NULL, and so may each entry */
} ccgraph_around;

/* Does the same as ccgraph_import, with the data of `around`, which may be NULL. Since 1.1. */
ccgraph_error *ccgraph_import_with(const ccgraph_flat *flat, const ccgraph_around *around, const char *name,
                                   ccgraph_graph **graph);

/* The changes that an optimization made to a graph that was imported with n nodes. Node i < n is node i of the import,
 * and node n + k is made[k]. */
typedef struct ccgraph_edit_view {
  size_t struct_size;   /* set by the caller */
  uint32_t order_count; /* all present nodes in their order; an imported node that is missing was removed */
  uint32_t operand_count;
  const uint32_t *order;
  const uint32_t *
      operands; /* triples: a node, the index of one of its node operands (arguments, then keywords), the new operand */
  ccgraph_flat made;
  const uint32_t *like_begin; /* made.node_count + 1 */
  const uint32_t *likes;      /* for each new node, the imported nodes that it replaces */
} ccgraph_edit_view;

ccgraph_error *ccgraph_edits_of(ccgraph_graph *graph, ccgraph_edits **edits);
/* Returns 0 if struct_size is unknown. The view is valid as long as the edits. */
int32_t ccgraph_edits_view(const ccgraph_edits *edits, ccgraph_edit_view *view);
void ccgraph_edits_free(ccgraph_edits *edits);

#ifdef __cplusplus
}
#endif
#endif
