/* ccgraph.h: ccgraph for C, and for every language that calls C. docs/c-api.md has an example.
 *
 * Handles: each is opaque, made by a function here and given back to its _free, which takes NULL too. A graph handle
 * holds one graph with all that belongs to it.
 * NULL in place of a handle or of a place for a result is an error of usage; of a function that returns no error, nothing: 0, or "".
 * Errors: functions that can fail return NULL, or an error that the caller frees; it holds the diagnostics that the tools
 * print. What a failed call was to make is not made; a graph whose optimization failed is good for nothing but to be freed, and says so.
 * Threads: every function may be called from any thread. Calls on one graph handle wait for one another; an options
 * handle is not changed while another thread uses it.
 * Texts: char pointers are UTF-8, end in a zero byte and belong to the handle that they come from.
 * Versions: ccgraph_abi_version() is major << 16 | minor of this header. Another major version changes or removes something,
 * a newer minor one only adds. Structs begin with their size, so that they can grow at the end.
 * Nothing here prints, exits, aborts on bad input, or reads the environment. */
#ifndef CCGRAPH_H
#define CCGRAPH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CCGRAPH_ABI_MAJOR 1u
#define CCGRAPH_ABI_MINOR 2u

typedef struct ccgraph_error ccgraph_error;
typedef struct ccgraph_options ccgraph_options;
typedef struct ccgraph_graph ccgraph_graph;
typedef struct ccgraph_text ccgraph_text;
typedef struct ccgraph_edits ccgraph_edits;

/* Of the library that is loaded: compare the upper half with CCGRAPH_ABI_MAJOR before anything else. */
uint32_t ccgraph_abi_version(void);
/* "0.1.0": what decides which result a pipeline gives. */
const char *ccgraph_version(void);

/* --- Errors --------------------------------------------------------------------------------------------------------- */

/* As the tools' exit codes: bad input, bad options, a check that failed, a defect of ccgraph. */
enum { CCGRAPH_INPUT = 1, CCGRAPH_USAGE = 2, CCGRAPH_CHECK = 3, CCGRAPH_DEFECT = 4 };
enum { CCGRAPH_SEVERITY_ERROR = 0, CCGRAPH_SEVERITY_WARNING = 1 };

typedef struct ccgraph_diagnostic {
  size_t struct_size; /* set by the caller: sizeof(ccgraph_diagnostic) */
  int32_t severity;
  uint32_t line, column; /* from 1; 0 where unknown */
  const char *rule;      /* id, e.g. "async.read-in-flight"; "" where there is none, as below */
  const char *file;
  const char *where;   /* node, or JSON pointer */
  const char *message; /* what was found and what was expected */
  const char *notes;   /* repairs, one a line */
} ccgraph_diagnostic;

int32_t ccgraph_error_kind(const ccgraph_error *error);
/* All of it, as the tools print it. */
const char *ccgraph_error_text(const ccgraph_error *error);
size_t ccgraph_error_count(const ccgraph_error *error);
/* The index-th diagnostic; 0 where there is none, and `out` is as it was. */
int32_t ccgraph_error_at(const ccgraph_error *error, size_t index, ccgraph_diagnostic *out);
void ccgraph_error_free(ccgraph_error *error);

/* --- Texts ---------------------------------------------------------------------------------------------------------- */

const char *ccgraph_text_data(const ccgraph_text *text);
size_t ccgraph_text_size(const ccgraph_text *text);
void ccgraph_text_free(ccgraph_text *text);

/* --- Options -------------------------------------------------------------------------------------------------------- */

ccgraph_options *ccgraph_options_new(void);
/* By the names of the tool's flags, with their texts:
 *   pipeline       "-O2" (which holds where none is set) or passes: "sink-waits,coalesce-collectives{layout=flat}"
 *   schedule       path of a schedule to apply in place of a pipeline
 *   machine        name or path
 *   durations      path
 *   groups         path
 *   memory-budget  bytes, such as "40GiB", "24.6GiB" or "80GB", or "unlimited"
 *   bitwise, ranks-differ   "true" or "false"; ranks differ, whatever is set, where the logs of several ranks show it,
 *                  or where the graph cannot be the program of every rank (unequal splits, fixed peers). The report says
 *                  why ("ranks_differ").
 *   views          "true" or "false" (the default): keep what the forms page and trace and ccgraph_advise need, and list
 *                  every exposed collective in the report. Since 1.2
 * Files are read when the options are used. */
ccgraph_error *ccgraph_options_set(ccgraph_options *options, const char *name, const char *value);
/* Reads the pipeline and the files that the options name, and returns what is wrong with them. A graph is not needed, so
 * this does not check whether a schedule or durations fit a graph. Since 1.2. */
ccgraph_error *ccgraph_options_check(const ccgraph_options *options);
void ccgraph_options_free(ccgraph_options *options);

/* --- Graphs --------------------------------------------------------------------------------------------------------- */

/* The graph of a file, log or folder; `selector` as --graph takes it, NULL where there is one or the usual one is meant. */
ccgraph_error *ccgraph_read(const char *path, const char *selector, ccgraph_graph **graph);
/* The same of bytes in memory (not compressed, no log of many graphs); `name` stands in diagnostics. */
ccgraph_error *ccgraph_read_bytes(const char *name, const void *bytes, size_t size, const char *selector,
                                  ccgraph_graph **graph);
void ccgraph_graph_free(ccgraph_graph *graph);
/* Warnings of the reader and the verifier so far, as the tools print them; "" where there are none. */
const char *ccgraph_graph_warnings(const ccgraph_graph *graph);

/* `form`: "json", "fx", or "schedule" after an optimization; "page" (HTML) or "trace" (JSON of a trace viewer) after one with
 * the option views. */
ccgraph_error *ccgraph_print(ccgraph_graph *graph, const char *form, ccgraph_text **text);
/* The same into a file, which appears whole or not at all. */
ccgraph_error *ccgraph_write(ccgraph_graph *graph, const char *path, const char *form);
/* 64 hexadecimal digits, equal on every rank that runs this program. */
ccgraph_error *ccgraph_digest(ccgraph_graph *graph, ccgraph_text **text);
/* An error with every finding where the graph is not well formed. */
ccgraph_error *ccgraph_verify(ccgraph_graph *graph);
/* Rewrites the graph and proves it, as ccgraph-opt does. `options` NULL: -O2. A graph is optimized once. */
ccgraph_error *ccgraph_optimize(ccgraph_graph *graph, const ccgraph_options *options);
/* What the optimization did, as ccgraph-opt --json says it. */
ccgraph_error *ccgraph_report(ccgraph_graph *graph, ccgraph_text **text);
/* Tries what else would make the step shorter, and adds it to the report as "advice". It needs the option views, and runs
 * the pipeline some ten times. Since 1.2. */
ccgraph_error *ccgraph_advise(ccgraph_graph *graph);

/* --- Flat exchange ---------------------------------------------------------------------------------------------------
 * For callers that hold a graph in memory: arrays, with every text once. Node i is what stands at index i of each array; a definition
 * stands before its uses.
 *
 * A type is a text as print_readable spells it, "f32[4, 4][4, 1]cuda:0", "Sym(s0)", "None"; several results are "(" the types
 * with ';' between them ")", "-" where one is unknown.
 *
 * `code` holds the arguments of node i at code_begin[i] .. code_begin[i + 1]: how many positional ones, these, how many
 * keyword ones, these, each a text for its name and a value. A value is a kind and
 *   CCGRAPH_NONE                      nothing
 *   CCGRAPH_NODE CCGRAPH_INT          the node, the number
 *   CCGRAPH_BOOL                      0 or 1
 *   CCGRAPH_FLOAT                     the bits of the double
 *   CCGRAPH_STRING ... CCGRAPH_PYTHON a text
 *   CCGRAPH_LIST CCGRAPH_TUPLE CCGRAPH_SLICE   how many, and the values (a slice has three)
 *   CCGRAPH_DICT                      how many, and for each a text and a value */
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
  const uint32_t *types;      /* texts, or CCGRAPH_NO_TEXT where unknown */
  const uint64_t *code_begin; /* node_count + 1 */
  const int64_t *code;
} ccgraph_flat;

/* Copies everything; `name` is the graph's. */
ccgraph_error *ccgraph_import(const ccgraph_flat *flat, const char *name, ccgraph_graph **graph);

/* What stands around the nodes of a flat graph, whose texts it names; where a count is 0 its arrays may be NULL. Since 1.1. */
typedef struct ccgraph_around {
  size_t struct_size;
  uint32_t frame_count, symbol_count, subgraph_count;
  const uint32_t *node_frames; /* of each node, which frame it came from, from 1; 0 where unknown */
  const uint32_t
      *frame_texts; /* of each frame its file, its function and its line of source, CCGRAPH_NO_TEXT where unknown */
  const int64_t *frame_lines;
  const uint32_t *symbols;        /* "s0" and the like */
  const int64_t *hints;           /* the value of each when the graph was traced */
  const uint32_t *subgraph_names; /* as the targets of CCGRAPH_GET_ATTR name them */
  const ccgraph_flat *const *subgraphs;
  const struct ccgraph_around *const *subgraph_arounds; /* NULL, and each may be */
} ccgraph_around;

/* As ccgraph_import, with what stands around the nodes; `around` NULL: nothing. Since 1.1. */
ccgraph_error *ccgraph_import_with(const ccgraph_flat *flat, const ccgraph_around *around, const char *name,
                                   ccgraph_graph **graph);

/* What an optimization has changed of a graph that was imported with n nodes. Node i < n is node i of the import, node
 * n + k is made[k]. */
typedef struct ccgraph_edit_view {
  size_t struct_size;   /* set by the caller */
  uint32_t order_count; /* every node that is there now, in its order; an imported one that is missing is gone */
  uint32_t operand_count;
  const uint32_t *order;
  const uint32_t *
      operands; /* for each: a node, which of its mentions of nodes (arguments, then keywords), the node that is meant now */
  ccgraph_flat made;
  const uint32_t *like_begin; /* made.node_count + 1 */
  const uint32_t *likes;      /* for each made node the imported ones that it stands for */
} ccgraph_edit_view;

ccgraph_error *ccgraph_edits_of(ccgraph_graph *graph, ccgraph_edits **edits);
/* 0 where struct_size is none that is known. The view is valid as long as the edits. */
int32_t ccgraph_edits_view(const ccgraph_edits *edits, ccgraph_edit_view *view);
void ccgraph_edits_free(ccgraph_edits *edits);

#ifdef __cplusplus
}
#endif
#endif
