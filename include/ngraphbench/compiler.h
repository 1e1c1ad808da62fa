/* SPDX-License-Identifier: Apache-2.0 */
/* The contract between the worker and a compiler plugin: one C table, no C++ type and no exception crosses it.
 *
 * Life of a session, always on one thread:
 *   open -> compile -> [load] -> bind -> run ... run -> read -> close
 * The host owns every clock, every buffer that it hands in and every ngb_error; the plugin owns the session and
 * whatever `read`, `inspect` and `describe` point to. Every function but `describe` and `close` returns ngb_status;
 * on anything but NGB_OK it has filled in `error`, and only `close` may be called next on that session.
 * Strings are UTF-8 and zero-terminated. Pointers handed in are valid during the call unless said otherwise. */
#ifndef NGRAPHBENCH_COMPILER_H
#define NGRAPHBENCH_COMPILER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NGB_ABI 1u
/* The one symbol that a plugin exports: const ngb_compiler* ngb_compiler_table(void). */
#define NGB_ENTRY_SYMBOL "ngb_compiler_table"

typedef enum ngb_status {
  NGB_OK = 0,
  NGB_INVALID_OPTION = 1,       /* an option, thread count, device or precision that this compiler does not take */
  NGB_INVALID_MODEL = 2,        /* the model file is not readable, not ONNX, or not consistent */
  NGB_UNSUPPORTED_OPERATOR = 3, /* a valid model that this compiler cannot compile; the message names the operator */
  NGB_TOOLCHAIN_MISSING = 4,    /* the compiler's library or Python package is not where the settings say */
  NGB_IMPORT_ERROR = 5,         /* the library is there and does not load, or is too old or too new */
  NGB_OUT_OF_MEMORY = 6,
  NGB_FALLBACK = 7, /* work landed on another device, provider or precision than asked for */
  NGB_DEVICE_LOST = 8,
  NGB_INTERNAL = 9,  /* any other failure of the compiler */
  NGB_NO_DEVICE = 10 /* there is no device of the kind that was asked for, such as a GPU */
} ngb_status;

typedef enum ngb_dtype {
  NGB_F32 = 1,
  NGB_F16 = 2,
  NGB_BF16 = 3,
  NGB_F64 = 4,
  NGB_I64 = 5,
  NGB_I32 = 6,
  NGB_I8 = 7,
  NGB_U8 = 8,
  NGB_BOOL = 9
} ngb_dtype;

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
  const char* toolchain_dir; /* where pip has laid out the compiler's packages (a site-packages folder); "" for none */
  const char* device;        /* "cpu", "cuda": what the option `device` says, else the first of its described devices */
  const char* precision;     /* "f32": arithmetic in which inference is to run */
  int32_t threads;           /* >= 1: threads that inference may use, the calling one included */
  const ngb_option* options; /* those that the study gives; the rest have their described defaults */
  uint32_t option_count;
  const char* python;    /* interpreter that can import what is in toolchain_dir; "" for none */
  const char* cache_dir; /* folder where a compiler may keep what it was long in finding, such as records of tuning, for
                            later processes and runs; it may not be there yet; "" for none */
  /* Tells the user what is under way, within `open`, `compile` and `load`, at most a few times a second. NULL: nobody
   * listens. The host copies the text. */
  void (*report)(void* report_context, const char* text);
  void* report_context;
} ngb_settings;

typedef struct ngb_model {
  uint32_t struct_size;
  const char* path; /* ONNX file */
  /* What the file was made from: {"family":…, "parameters":{…}, …} for a built-in recipe, {"module":{…}} for a user's
   * PyTorch module, "" for a user's ONNX file. */
  const char* recipe_json;
  /* Names, types and static shapes of this cell; data is NULL. For a compiler whose description says
   * "dynamic_batch": true, an extent may be -1: to be compiled for any batch, which `bind` then gives. */
  const ngb_tensor* inputs;
  uint32_t input_count;
  const char* artifact_path; /* where a compiler that produces a file writes it, or a folder of them; "" otherwise */
} ngb_model;

typedef struct ngb_session ngb_session;

typedef struct ngb_compiler {
  uint32_t abi;         /* NGB_ABI */
  uint32_t struct_size; /* sizeof(ngb_compiler) as the plugin was built */

  /* The compiler's description (docs/plugin.md): the JSON text of its compiler.json, static storage. */
  const char* (*describe)(void);

  /* Opens the compiler's library and checks settings; no model yet. On success *session is not NULL. */
  ngb_status (*open)(const ngb_settings* settings, ngb_session** session, ngb_error* error);

  /* Model -> executable, cold, without a cache; only what tuning has found may come from settings->cache_dir. A
   * compiler whose description says "produces_file": true writes model->artifact_path and is ready to run only after
   * `load`; any other is ready when this returns. */
  ngb_status (*compile)(ngb_session* session, const ngb_model* model, ngb_error* error);

  /* Opens an artifact that `compile` wrote, in this process or an earlier one. NULL when no file is produced. */
  ngb_status (*load)(ngb_session* session, const ngb_model* model, ngb_error* error);

  /* Takes the inputs (order of ngb_model.inputs) into the compiler's own or the host's buffers. Host buffers stay valid
   * and unchanged until close. Called once or more; whatever can be allocated ahead of `run` is allocated here. */
  ngb_status (*bind)(ngb_session* session, const ngb_tensor* inputs, uint32_t input_count, ngb_error* error);

  /* One inference, complete on return (device synchronised). This is the timed region. */
  ngb_status (*run)(ngb_session* session, ngb_error* error);

  /* Output `index` of the last run, in graph order; *output points into plugin memory, valid until the next call on
   * the session. *output_count is always set; index >= *output_count with output == NULL only asks for the count. */
  ngb_status (*read)(ngb_session* session, uint32_t index, ngb_tensor* output, uint32_t* output_count,
                     ngb_error* error);

  /* Fact `index` about the open session ("version", "device", "precision", "threads", …): sets *key and *value and
   * returns 1, or returns 0 past the last. Valid until close. What the compiler says of itself, read back, not echoed.
   */
  int32_t (*inspect)(ngb_session* session, uint32_t index, const char** key, const char** value);

  /* Frees everything; session may be NULL or in a failed state. */
  void (*close)(ngb_session* session);
} ngb_compiler;

typedef const ngb_compiler* (*ngb_entry)(void);

#ifdef __cplusplus
}
#endif
#endif
