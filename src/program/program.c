/* SPDX-License-Identifier: Apache-2.0 */
/* Building programs: see program.h. */
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

struct program *program_new(void) {
    struct program *program = calloc(1, sizeof *program);
    if (!program) return NULL;
    program->references = 1;
    program->nslots = SLOT_FIRST_ARGUMENT;
    return program;
}

static void program_free(struct program *program) {
    arena_free(&program->records);
    arena_free(&program->blocks);
    free(program->launches);
    free(program->slots);
    free(program->scalars);
    free(program);
}

struct program *program_retain(struct program *program) {
    atomic_fetch_add_explicit(&program->references, 1, memory_order_relaxed);
    return program;
}

void program_release(struct program *program) {
    if (program && atomic_fetch_sub(&program->references, 1) == 1) program_free(program);
}

bool program_is_empty(const struct program *program) {
    return !program->failed && !program->launches && !program->slots && !program->scalars;
}

/* Makes room for one more element at index `count`. On failure sets program->failed. */
static bool grow(struct program *program, void **array, int *room, int count, size_t element, int first) {
    if (count < *room) return true;
    int more = *room ? 2 * *room : first;
    if (more <= count) more = count + 1;
    void *grown = realloc(*array, (size_t)more * element);
    if (!grown) {
        program->failed = true;
        return false;
    }
    *array = grown;
    *room = more;
    return true;
}

static bool add_launch(struct program *program, struct launch *launch) {
    if (!grow(program, (void **)&program->launches, &program->launches_room, program->nlaunches,
              sizeof(struct launch *), 2))
        return false;
    launch->program = program;
    program->launches[program->nlaunches++] = launch;
    return true;
}

struct launch *program_launch(struct program *program, const struct kernel *kernel, struct range range) {
    struct launch *launch = arena_alloc(&program->records, sizeof *launch);
    void *params = arena_alloc(&program->blocks, kernel->params_size);
    if (!launch || !params || !add_launch(program, launch)) return NULL;
    launch->kernel = kernel;
    launch->range = range;
    launch->params = params;
    return launch;
}

slot_t program_slot(struct program *program, int arg, int handle) {
    for (int i = SLOT_FIRST_ARGUMENT; i < program->nslots; i++)
        if (program->slots[i].arg == arg && program->slots[i].handle == handle) return (slot_t)i;
    if (program->nslots > SLOT_MAX) program->failed = true;
    if (program->failed
        || !grow(program, (void **)&program->slots, &program->slots_room, program->nslots,
                 sizeof(struct argument_slot), 8))
        return SLOT_NOTHING;
    program->slots[program->nslots] = (struct argument_slot){.arg = arg, .handle = handle};
    return (slot_t)program->nslots++;
}

void launch_bind_slot(struct launch *launch, slot_t slot) {
    launch->buffers[launch->nbuffers++] = slot;
}

void launch_may_stream(struct launch *launch, slot_t slot, i32 *streams) {
    launch->streamed = slot;
    launch->streams = (uint16_t)((uint8_t *)streams - (uint8_t *)launch->params);
}

static bool uses(const struct launch *launch, slot_t slot) {
    for (int i = 0; i < launch->nbuffers; i++)
        if (launch->buffers[i] == slot) return true;
    return false;
}

void program_stream(struct program *program, slot_t slot) {
    for (int i = 0; i < program->nlaunches; i++)
        if (program->launches[i]->streamed != slot && uses(program->launches[i], slot)) return;
    for (int i = 0; i < program->nlaunches; i++) {
        struct launch *launch = program->launches[i];
        if (launch->streamed == slot && uses(launch, slot))
            *(i32 *)((uint8_t *)launch->params + launch->streams) = 1;
    }
}

static int find_scalar(struct program *program, struct scalar scalar) {
    for (int i = 0; i < program->nscalars; i++)
        if (program->scalars[i].slot == scalar.slot && program->scalars[i].form == scalar.form) return i;
    if (!grow(program, (void **)&program->scalars, &program->scalars_room, program->nscalars, sizeof scalar,
              4))
        return 0;
    program->scalars[program->nscalars] = scalar;
    return program->nscalars++;
}

void launch_add_scalar(struct launch *launch, int arg, enum scalar_form form) {
    struct scalar scalar = {.slot = program_slot(launch->program, arg, 0), .form = (uint16_t)form};
    launch->scalars[launch->nscalars++] = (uint16_t)find_scalar(launch->program, scalar);
}

size_t program_scratchpad(struct program *program, size_t size) {
    size_t offset = program->scratchpad_size;
    program->scratchpad_size = offset + (size + 127) / 128 * 128;
    return offset;
}

void program_repeat(struct program *program, int length, size_t count) {
    if (count == 0) {
        program->nlaunches -= length;
        return;
    }
    struct launch *last = program->launches[program->nlaunches - 1];
    last->loop_length = (uint32_t)length;
    last->loop_count = (uint32_t)count;
}

static void translate(struct program *program, struct launch *launch, const struct program *part,
                      const slot_t *slots) {
    for (int i = 0; i < launch->nbuffers; i++)
        launch->buffers[i] = slots[launch->buffers[i]];
    launch->streamed = slots[launch->streamed];
    for (int i = 0; i < launch->nscalars; i++) {
        struct scalar scalar = part->scalars[launch->scalars[i]];
        scalar.slot = slots[scalar.slot];
        launch->scalars[i] = (uint16_t)find_scalar(program, scalar);
    }
}

void program_append(struct program *program, struct program *part, const slot_t *slots) {
    for (int i = 0; i < part->nlaunches && !program->failed; i++) {
        translate(program, part->launches[i], part, slots);
        add_launch(program, part->launches[i]);
    }
    arena_splice(&program->records, &part->records);
    arena_splice(&program->blocks, &part->blocks);
    program->failed |= part->failed;
    part->nlaunches = 0;
}

/* Finishing. */

static bool does_nothing(const struct launch *launch) {
    const size_t *groups = launch->range.groups;
    return groups[0] == 0 || groups[1] == 0 || groups[2] == 0;
}

/* Leaves empty launches out of the loop of launches `first` to `last`. */
static void shorten_loop(struct program *program, int first, int last) {
    uint32_t count = program->launches[last]->loop_count, length = 0;
    struct launch *end = NULL;
    program->launches[last]->loop_length = program->launches[last]->loop_count = 0;
    for (int i = first; i <= last; i++) {
        if (does_nothing(program->launches[i])) continue;
        end = program->launches[i];
        length++;
    }
    if (!end) return;
    end->loop_length = length;
    end->loop_count = count;
}

static void remove_empty(struct program *program) {
    for (int i = 0; i < program->nlaunches; i++)
        if (program->launches[i]->loop_count > 0)
            shorten_loop(program, i + 1 - (int)program->launches[i]->loop_length, i);
    int kept = 0;
    for (int i = 0; i < program->nlaunches; i++)
        if (!does_nothing(program->launches[i])) program->launches[kept++] = program->launches[i];
    program->nlaunches = kept;
}

static size_t count_runs(const struct program *program) {
    size_t runs = 0;
    for (int i = 0; i < program->nlaunches; i++) {
        const struct launch *launch = program->launches[i];
        runs++;
        if (launch->loop_count > 0) runs += (size_t)launch->loop_length * (launch->loop_count - 1);
    }
    return runs;
}

static size_t place_blocks(struct program *program) {
    size_t size = 0;
    for (int i = 0; i < program->nlaunches; i++) {
        struct launch *launch = program->launches[i];
        launch->offset = (size + PARAMS_ALIGNMENT - 1) / PARAMS_ALIGNMENT * PARAMS_ALIGNMENT;
        size = launch->offset + launch->kernel->params_size;
    }
    return size;
}

/* A single block is used as the image without a copy. */
static bool make_image(struct program *program) {
    program->params_size = place_blocks(program);
    if (program->nlaunches == 1) program->params = program->launches[0]->params;
    if (program->nlaunches <= 1) return true;
    struct arena image = {0};
    program->params = arena_alloc(&image, program->params_size);
    if (!program->params) return false;
    for (int i = 0; i < program->nlaunches; i++) {
        struct launch *launch = program->launches[i];
        void *block = program->params + launch->offset;
        launch->params = memcpy(block, launch->params, launch->kernel->params_size);
    }
    arena_free(&program->blocks);
    program->blocks = image;
    return true;
}

bool program_finish(struct program *program) {
    if (program->failed) return false;
    remove_empty(program);
    program->nruns = count_runs(program);
    return make_image(program);
}

size_t program_bytes(const struct program *program) {
    return sizeof *program + (size_t)program->nlaunches * (sizeof(struct launch) + sizeof(struct launch *))
           + (size_t)program->nslots * sizeof(struct argument_slot)
           + (size_t)program->nscalars * sizeof(struct scalar) + program->params_size;
}
