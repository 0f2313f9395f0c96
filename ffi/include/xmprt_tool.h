/* Hooks of tools: XMP-RT calls a tool before and after each operation of a program.
 *
 * A tool is a shared library that defines xmprt_tool_attach. `xmprun --tool ./libtool.so program`, or XMP_TOOL=./libtool.so,
 * loads it into each image. Programs are neither compiled nor linked again; they have to use libxmprt.so, not libxmprt.a.
 *
 * Hooks are called by the thread that executes the operation. They may call the inquiries xmprt_this_image and
 * xmprt_num_images once an operation has ended, and no other function of XMP-RT. */

#ifndef XMPRT_TOOL_H
#define XMPRT_TOOL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XMPRT_TOOL_VERSION 1

/* An operation. Valid during the call of a hook; the texts are valid always. */
typedef struct {
    const char *operation; /* its name in the language, such as "put" or "sync all" */
    const char *function;  /* the entry of libxmprt.so, such as "_gfortran_caf_send" */
    const void *address;   /* return address in the program */
    uint64_t bytes;        /* bytes that it transfers or allocates; of a get into memory that it allocates, at its end */
    uint64_t begin;        /* when it began, in ns of CLOCK_MONOTONIC */
    uint64_t end;          /* when it ended; 0 in the hook `begin` */
    int32_t partner;       /* index of the other image, or of the root, in the executing team; 0: none, or not known */
    uint32_t thread;       /* number of the thread in its image, from 0 */
} xmprt_tool_operation;

/* The hooks; those that are null are not called. `finish` is called when the process ends by exit. An operation that ends
 * the image, such as error stop, has a `begin` and no `end`. */
typedef struct {
    void (*begin)(const xmprt_tool_operation *operation);
    void (*end)(const xmprt_tool_operation *operation);
    void (*finish)(void);
} xmprt_tool_hooks;

/* Defined by the tool: sets the hooks, which are null before, and returns 0. `version` is XMPRT_TOOL_VERSION of the runtime;
 * a tool that does not know it returns another number, which ends the program with a message. */
int xmprt_tool_attach(unsigned version, xmprt_tool_hooks *hooks);

#ifdef __cplusplus
}
#endif

#endif
