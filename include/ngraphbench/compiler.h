/* SPDX-License-Identifier: Apache-2.0 */
/* The contract between the worker and a compiler plugin: one C table. No C++ type and no exception crosses it.
 *
 * Life of a session, always on one thread:
 *   open -> compile -> [load] -> bind -> run ... run -> read -> close
 * and in a process that is not timed for a speed, after bind: begin_profile -> run ... run -> end_profile, repeatedly.
 * A model that feeds outputs back runs in passes, each of which begins with feed_back. If the model
 * keeps a state of its own, three calls come before that: reset_state, and bind and run with a prompt.
 * With several inferences in flight, `start` may also be called on the threads that call `completed`.
 * The host owns every clock, every buffer that it passes and every ngb_error; the plugin owns the session and
 * everything to which `read`, `inspect` and `describe` point. Most functions return ngb_status. If that is not NGB_OK,
 * the plugin has filled in `error`, and only `close` may be called next on that session.
 * Strings are UTF-8 and zero-terminated. Pointers that the host passes are valid during the call, or as stated. */
#ifndef NGRAPHBENCH_COMPILER_H
#define NGRAPHBENCH_COMPILER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 2: settings of the library, inferences in flight. 3: times of kernels. 4: outputs that are fed back. 5: states that
 * the model keeps. */
#define NGB_ABI 5u
/* The one symbol that a plugin exports: const ngb_compiler* ngb_compiler_table(void). */
#define NGB_ENTRY_SYMBOL "ngb_compiler_table"

/* Every failure that a plugin can report, once: ROW(constant, number, word). Results, messages and Python adaptors use
 * the words. */
#define NGB_STATUSES(ROW)                                                                 \
  /* an option, thread count, device or precision that this compiler does not support */  \
  ROW(NGB_INVALID_OPTION, 1, "invalid_option")                                            \
  /* the model file is not readable, not ONNX, or not consistent */                       \
  ROW(NGB_INVALID_MODEL, 2, "invalid_model")                                              \
  /* a valid model that this compiler cannot compile; the message names the operator */   \
  ROW(NGB_UNSUPPORTED_OPERATOR, 3, "unsupported_operator")                                \
  /* the compiler's library or Python package is not where the settings say */            \
  ROW(NGB_TOOLCHAIN_MISSING, 4, "toolchain_missing")                                      \
  /* the library does not load, or is too old or too new */                               \
  ROW(NGB_IMPORT_ERROR, 5, "import_error")                                                \
  ROW(NGB_OUT_OF_MEMORY, 6, "out_of_memory")                                              \
  /* work ran on another device or provider, or in another precision, than requested */   \
  ROW(NGB_FALLBACK, 7, "fallback")                                                        \
  /* the device failed */                                                                 \
  ROW(NGB_DEVICE_LOST, 8, "device_lost")                                                  \
  /* any other failure, of the plugin or adaptor itself */                                \
  ROW(NGB_INTERNAL, 9, "internal")                                                        \
  /* there is no device of the requested kind, such as a GPU */                           \
  ROW(NGB_NO_DEVICE, 10, "no_device")                                                     \
  /* the compiler's library, or the user's module, raised an error without such a kind */ \
  ROW(NGB_COMPILER_FAILED, 11, "compiler_failed")                                         \
  /* the compiler does not tell its kernels' times, or not with these options */          \
  ROW(NGB_NO_PROFILE, 12, "no_profile")

/* Every type of a tensor's elements, once: ROW(constant, C++ name, number, word, bytes of one, NumPy's word). */
#define NGB_DTYPES(ROW)                         \
  ROW(NGB_F32, f32, 1, "f32", 4, "float32")     \
  ROW(NGB_F16, f16, 2, "f16", 2, "float16")     \
  ROW(NGB_BF16, bf16, 3, "bf16", 2, "bfloat16") \
  ROW(NGB_F64, f64, 4, "f64", 8, "float64")     \
  ROW(NGB_I64, i64, 5, "i64", 8, "int64")       \
  ROW(NGB_I32, i32, 6, "i32", 4, "int32")       \
  ROW(NGB_I8, i8, 7, "i8", 1, "int8")           \
  ROW(NGB_U8, u8, 8, "u8", 1, "uint8")          \
  ROW(NGB_BOOL, boolean, 9, "bool", 1, "bool")

#define NGB_CONSTANT(constant, number, word) constant = number, /* NOLINT(bugprone-macro-parentheses) */
typedef enum ngb_status { NGB_OK = 0, NGB_STATUSES(NGB_CONSTANT) } ngb_status;
#undef NGB_CONSTANT

/* NOLINTNEXTLINE(bugprone-macro-parentheses) */
#define NGB_CONSTANT(constant, name, number, word, bytes, numpy) constant = number,
typedef enum ngb_dtype { NGB_DTYPES(NGB_CONSTANT) } ngb_dtype;
#undef NGB_CONSTANT

/* Filled in by the plugin, truncated to fit; owned by the host. */
typedef struct ngb_error {
  char message[4096]; /* what failed and where */
  char advice[1024];  /* what the user can do next; may be empty */
} ngb_error;

typedef struct ngb_tensor {
  const char* name;
  ngb_dtype dtype;
  int32_t rank;
  const int64_t* shape; /* rank extents, all >= 0, row-major, batch first */
  void* data;           /* dense, at least 64-byte aligned when the host owns it */
  uint64_t size_bytes;
} ngb_tensor;

typedef struct ngb_option {
  const char* name;
  const char* value;
} ngb_option;

typedef struct ngb_settings {
  uint32_t struct_size;
  const char* toolchain_dir; /* site-packages folder with the compiler's packages; "" for none */
  const char* device;        /* "cpu", "cuda": the option `device`, else the first device of its description */
  const char* precision;     /* "f32": arithmetic in which inference must run */
  int32_t threads;           /* >= 1: threads that inference may use, the calling one included */
  /* Every described option, the given value or the default. The worker has checked them; words have no quotation marks.
   */
  const ngb_option* options;
  uint32_t option_count;
  const char* python;    /* interpreter that can import from toolchain_dir; "" for none */
  const char* cache_dir; /* folder where a compiler may keep what took long to find, such as records of tuning, for
                            later processes and runs, in a subfolder of its own name; it may not exist yet; "" for none.
                            The names in that subfolder are 32 hexadecimal digits, or "timing-" and then letters, digits
                            and .+!_-. Files of other names are the user's, and are never removed. */
  /* Shows the user progress. It may be called during `open`, `compile` and `load`, at most a few times per second, and
   * copies the text. It may be NULL. */
  void (*report)(void* report_context, const char* text);
  void* report_context;
  /* Properties of the compiler's own library, which the study names as the library does. Only a compiler whose
   * description has "settings" receives any. Values are JSON text: a string in quotation marks, a number, true or
   * false. The library refuses what it does not know: NGB_INVALID_OPTION, with the library's own words. */
  const ngb_option* settings;
  uint32_t setting_count;
  /* How many inferences are in flight at a time: 1, or with a compiler whose description says "in_flight": true also
   * more, or 0: the compiler chooses what is best for throughput on `threads` threads. */
  int32_t in_flight;
  /* 1: this session will be asked for the times of its kernels. What it is asked for is then never a speed. */
  int32_t is_profiled;
  /* 1: the session's model is a file in the compiler's own form, so nothing will be compiled. */
  int32_t has_compiled_file;
  /* 1: the model is run in several shapes by turns. `bind`, which gives a run its shapes, is then a part of what is
   * timed, so it runs no inference by itself. */
  int32_t has_many_shapes;
} ngb_settings;

typedef struct ngb_model {
  uint32_t struct_size;
  const char* path; /* ONNX file, or a file in the compiler's own form (its description's "compiled_files") */
  /* The origin of the file: {"family":…, "parameters":{…}, …} for a built-in recipe, {"module":{…}} for a user's
   * PyTorch module, "" for a user's ONNX file. */
  const char* recipe_json;
  /* Names, types and static shapes of this cell; data is NULL. For a compiler whose description says
   * "dynamic_batch": true, an extent may be -1: the model is compiled for any size, and `bind` gives it. */
  const ngb_tensor* inputs;
  uint32_t input_count;
  /* File or folder that a compiler with "produces_file" writes, or one with "keeps_file" for other processes; ""
   * otherwise. The same as `path`: that file is in the
   * compiler's own form, and is opened as it is. */
  const char* artifact_path;
} ngb_model;

/* One kernel call of an inference. A kernel that is called twice in an inference is two of them. */
typedef struct ngb_kernel {
  const char* name; /* the compiler's own name of it */
  const char* kind; /* what it computes, in the compiler's words ("FusedConv", "reorder"); "" if it does not say */
  double ns;        /* mean over the profiled inferences; >= 0 */
  /* Names of the ONNX nodes, or of a user's PyTorch modules ("layer1.0.conv1"), that it is known to stand for. An ONNX
   * node without a name, or with that of another node, is OP_TYPE:INDEX with its index in the graph ("Conv:17"). */
  const char* const* nodes;
  uint32_t node_count;
  const char* const* outputs; /* names of the ONNX tensors that it is known to write */
  uint32_t output_count;
  /* How nodes and outputs were found: "tensor name", "node name", "location", "module path", "weights", "order"; "" if
   * there are none. */
  const char* found_by;
} ngb_kernel;

#define NGB_LENGTHENED UINT32_MAX
/* An output that a later run reads as an input, such as a decoder's cache of keys and values. */
typedef struct ngb_feedback {
  uint32_t input; /* index among the bound inputs */
  /* In graph order; it has the input's type. NGB_LENGTHENED: no output replaces the input, which is one longer along
   * `axis` in each run of a pass. Its elements are equal, and its buffer has room for those of all runs. */
  uint32_t output;
  /* -1: the output takes the input's place; it has its shape, or is longer along one axis, in every run. Else it has
   * rows along this axis, which go into the input, behind those of earlier runs. */
  int32_t axis;
} ngb_feedback;

/* What `feed_back` reports instead of a number of bytes if it leaves the feeding to the host. */
#define NGB_FED_BY_HOST UINT64_MAX

typedef struct ngb_session ngb_session;

/* Reports the end of an inference that `start` began in this slot. */
typedef void (*ngb_completed)(void* context, uint32_t slot, ngb_status status);

typedef struct ngb_compiler {
  uint32_t abi;         /* NGB_ABI */
  uint32_t struct_size; /* sizeof(ngb_compiler) as the plugin was built */

  /* The compiler's description (docs/plugin.md): the JSON text of its compiler.json, static storage. */
  const char* (*describe)(void);

  /* Opens the compiler's library and checks settings; no model yet. On success *session is not NULL. */
  ngb_status (*open)(const ngb_settings* settings, ngb_session** session, ngb_error* error);

  /* Compiles the model cold, without a cache; only results of tuning may come from settings->cache_dir. A compiler
   * whose description says "produces_file": true writes model->artifact_path and can run only after `load`; any other
   * can run when this returns. */
  ngb_status (*compile)(ngb_session* session, const ngb_model* model, ngb_error* error);

  /* Opens an artifact that `compile` wrote, in this process or an earlier one. NULL if the compiler produces and keeps
   * no file.
   */
  ngb_status (*load)(ngb_session* session, const ngb_model* model, ngb_error* error);

  /* Sets the inputs, in the order of ngb_model.inputs. The compiler may copy them or use the host's buffers, which stay
   * valid and unchanged until close. Called once or more. It allocates whatever can be allocated before `run`. */
  ngb_status (*bind)(ngb_session* session, const ngb_tensor* inputs, uint32_t input_count, ngb_error* error);

  /* Runs one inference, which is complete on return (device synchronised). This is the timed region. */
  ngb_status (*run)(ngb_session* session, ngb_error* error);

  /* Returns output `index` of the last run, in graph order. *output points into plugin memory and is valid until the
   * next call on the session. *output_count is always set; with output == NULL, `index` may be any number. */
  ngb_status (*read)(ngb_session* session, uint32_t index, ngb_tensor* output, uint32_t* output_count,
                     ngb_error* error);

  /* Sets *key and *value to fact `index` about the open session ("version", "device", "precision", "threads", …) and
   * returns 1, or returns 0 past the last. They are valid until close. A fact is read back from the compiler; it never
   * repeats the settings. */
  int32_t (*inspect)(ngb_session* session, uint32_t index, const char** key, const char** value);

  /* Frees everything. `session` may be NULL or in a failed state. */
  void (*close)(ngb_session* session);

  /* The next three are NULL unless the description says "in_flight": true; `run` then runs one inference alone. */

  /* Returns how many inferences the session has in flight at a time: settings->in_flight, or what the compiler chose.
   * Called after `bind`. */
  uint32_t (*slots)(ngb_session* session);

  /* Begins an inference on the bound inputs in slot 0 … slots - 1 and returns at once. If it returns NGB_OK, the plugin
   * calls completed(context, slot, status) once, on any thread but not within `start`. That call may begin the slot's
   * next inference, and does nothing else that takes long. `error` is valid until then. */
  ngb_status (*start)(ngb_session* session, uint32_t slot, ngb_completed completed, void* context, ngb_error* error);

  /* Returns the status of a slot's last inference, for a library that does not report it to `completed`. Called when
   * nothing is in flight. */
  ngb_status (*finish)(ngb_session* session, uint32_t slot, ngb_error* error);

  /* The last two are NULL if the compiler does not tell the times of its kernels. They are called after `bind`, any
   * number of times in turn, in a session with settings->is_profiled. */

  /* From now on `run` also notes its kernels. It is not timed, and may take long: it may open a second session. */
  ngb_status (*begin_profile)(ngb_session* session, ngb_error* error);

  /* Sets *kernels and *count to the kernel calls of one inference, in the order in which they were called, with means
   * over the `inferences` (>= 1) runs since `begin_profile`. They are valid until the next call on the session. From
   * now on `run` costs what it did before `begin_profile`. */
  ngb_status (*end_profile)(ngb_session* session, uint32_t inferences, const ngb_kernel** kernels, uint32_t* count,
                            ngb_error* error);

  /* NULL if the host is to copy outputs to inputs and to bind them again, whatever the model. Called after `bind`, not
   * timed: the next run is the first of a pass. It reads all inputs from the bound buffers, which the host has written
   * anew. Every run of the pass reads inputs that no output replaces from these buffers, which the host may write
   * between runs, and includes what feeds its outputs back. `row` is where the first run's rows belong. Buffers of
   * inputs that are replaced belong to the plugin until the pass ends: with the next call of `feed_back` or `bind`.
   * *copied_bytes is what a run copies for this beside what the graph does, or NGB_FED_BY_HOST. */
  ngb_status (*feed_back)(ngb_session* session, const ngb_feedback* pairs, uint32_t count, int64_t row,
                          uint64_t* copied_bytes, ngb_error* error);

  /* NULL if no model of this compiler keeps anything from one run to the next. Empties what the model keeps (OpenVINO's
   * states), as in a session that has not run yet. Called after `bind`, not timed; the host binds again before it runs.
   */
  ngb_status (*reset_state)(ngb_session* session, ngb_error* error);
} ngb_compiler;

typedef const ngb_compiler* (*ngb_entry)(void);

#ifdef __cplusplus
}
#endif
#endif
