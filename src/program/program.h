/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program: a list of kernel launches of any length with nothing left to decide but where the buffers are.
 * It knows kernels and nothing else: not what is computed, not which runtime runs it. A plan owns one; a
 * graph partition can own one that was appended from several.
 *
 * Buffers are named by slots. Slots are bound once per execution; launches refer to them by number. Buffers
 * are passed whole: offsets are in the parameter block, because some runtimes' buffers have no address that
 * the host could add to.
 *
 * Parameter blocks of all launches are one image (program->params), which a runtime uploads at once.
 *
 * Launches can form loops. What changes from one iteration to the next is the step, a number that kernels get
 * by value in their block of scalars.
 *
 * A program is built by one thread, then finished; from then on it is immutable and counted by references.
 */
#ifndef LODE_PROGRAM_PROGRAM_H
#define LODE_PROGRAM_PROGRAM_H

#include "base/arena.h"
#include "kernels/kernel.h"
#include "kernels/params.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LAUNCH_MAX_BUFFERS = 20,
    PARAMS_ALIGNMENT = 512, /* of every block in the image: enough for sub-buffers of most OpenCL devices */
};

struct range {
    size_t groups[3];
    size_t group_size[3];
};

/* The source of a buffer. Slot 0 is SLOT_NOTHING, slot 1 is SLOT_SCRATCHPAD, the others are execution
 * arguments. */
typedef uint16_t slot_t;
enum { SLOT_NOTHING = 0, SLOT_SCRATCHPAD = 1, SLOT_FIRST_ARGUMENT = 2, SLOT_MAX = UINT16_MAX };
struct argument_slot {
    int arg;    /* number of the execution argument */
    int handle; /* which of its buffers: sparse tensors have several */
};

/* A host scalar: read once per execution, passed to kernels by value. */
enum scalar_form { SCALAR_F32, SCALAR_LOW, SCALAR_HIGH }; /* the last two: one half of a 64-bit integer */
struct scalar {
    slot_t slot;
    uint16_t form; /* enum scalar_form: how the kernel reads it */
};

struct program;
struct launch {
    struct program *program;
    const struct kernel *kernel;
    struct range range;
    void *params;  /* the block, until the program is finished */
    size_t offset; /* of the block in the program's image */
    int nbuffers, nscalars;
    slot_t buffers[LAUNCH_MAX_BUFFERS];
    uint16_t scalars[EPILOGUE_SCALARS]; /* indices into program->scalars */
    /* A buffer that is written once, and not read, by stores that may bypass the caches, and where the block
     * says whether they do: an i32. SLOT_NOTHING: there is none. */
    slot_t streamed;
    uint16_t streams;
    /* In the last launch of a loop: how many launches the loop has, and how often they run. Elsewhere 0. */
    uint32_t loop_length, loop_count;
};

struct program {
    _Atomic int references;
    bool failed; /* a table could not grow; program_finish reports it */
    int nlaunches, nslots, nscalars;
    size_t nruns; /* number of launches, counting those of a loop once per iteration */
    struct launch **launches;
    struct argument_slot *slots;
    struct scalar *scalars;
    size_t scratchpad_size;
    uint8_t *params; /* the image of all blocks */
    size_t params_size;

    int launches_room, slots_room, scalars_room;
    struct arena records, blocks; /* launches; parameter blocks */
};

/* Building. */

struct program *program_new(void); /* NULL: out of memory */
/* True if at most scratchpad was added. */
bool program_is_empty(const struct program *program);
/* Adds a launch; launch->params is its parameter block, zeroed. Both stay where they are until the program is
 * finished. NULL: out of memory. */
struct launch *program_launch(struct program *program, const struct kernel *kernel, struct range range);
/* The slot of an execution argument. */
slot_t program_slot(struct program *program, int arg, int handle);
/* Binds the next buffer of the launch. */
void launch_bind_slot(struct launch *launch, slot_t slot);
/* Tells that stores to the buffer, which the launch writes once and does not read, may bypass the caches:
 * *streams, in its block and 0 so far, says whether they do. */
void launch_may_stream(struct launch *launch, slot_t slot, i32 *streams);
/* Adds a scalar to the launch's block of scalars. */
void launch_add_scalar(struct launch *launch, int arg, enum scalar_form form);
/* Reserves scratchpad; returns the slice's offset in bytes, a multiple of 128. */
size_t program_scratchpad(struct program *program, size_t size);
/* Makes the last `length` launches run `count` times, step 0 to count - 1. Loops do not nest. */
void program_repeat(struct program *program, int length, size_t count);
/* Moves the launches of `part`, which must not be finished, to the end of this program; `part` is then empty.
 * slots[i] is the slot of this program that replaces slot i of `part`. Offsets in blocks do not change. */
void program_append(struct program *program, struct program *part, const slot_t *slots);
/* Lets launches bypass the caches that may do so to the slot, unless another launch uses what they write. */
void program_stream(struct program *program, slot_t slot);
/* Removes empty launches and lays out the image. False: out of memory, now or earlier. */
bool program_finish(struct program *program);

struct program *program_retain(struct program *program);
void program_release(struct program *program);
/* The program's size in memory, for benchmarks. */
size_t program_bytes(const struct program *program);

/* Running: for (struct cursor c = {0}; c.launch < program->nlaunches; cursor_next(program, &c)) … */
struct cursor {
    int launch;
    uint32_t step;
};

static inline void cursor_next(const struct program *program, struct cursor *cursor) {
    const struct launch *launch = program->launches[cursor->launch];
    bool again = launch->loop_count > 0 && cursor->step + 1 < launch->loop_count;
    if (launch->loop_count > 0) cursor->step = again ? cursor->step + 1 : 0;
    cursor->launch += again ? 1 - (int)launch->loop_length : 1;
}

/* The block of scalars of one launch, from the values of all scalars of the program. */
static inline void launch_scalars(const struct launch *launch, uint32_t step, const uint32_t *values,
                                  struct scalars *scalars) {
    *scalars = (struct scalars){.step = step};
    for (int i = 0; i < launch->nscalars; i++)
        scalars->values[i] = values[launch->scalars[i]];
}

#endif
