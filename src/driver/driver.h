/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by all files of the driver: the driver, its one device, contexts, error descriptions. Everything
 * else has its own header.
 */
#ifndef LODE_DRIVER_DRIVER_H
#define LODE_DRIVER_DRIVER_H

#include "driver/object.h"
#include "driver/ze_new.h"

struct driver {
    struct object object;
};

struct device {
    struct object object;
};

struct context {
    struct object object;
};

extern struct driver the_driver;
extern struct device the_device;

/* The type reported to programs: GPU, unless LODE_ZE_DEVICE_TYPE is cpu. */
ze_device_type_t device_type(void);

/* The context of zeDriverGetDefaultContext. */
struct context *default_context(void);

/* Stores why this thread's call failed, for zeDriverGetLastErrorDescription, and returns `result`. The text
 * is not copied. */
ze_result_t explain(ze_result_t result, const char *reason);
/* The same with a formatted text. */
ze_result_t explain_with(ze_result_t result, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For failures that no call can report: the device reports "lost" from now on. */
void device_lose(const char *reason);
ze_result_t device_status(void);

/* Should handles start with dispatch tables? Loaders up to specification 1.12 expect another layout. */
bool loader_reads_handles(void);

/* The address of an implemented entry point, or NULL. */
void *entry_by_name(const char *name);

/* Nanoseconds of the clock behind the device's timestamps, truncated to TIMESTAMP_BITS. */
uint64_t device_clock(void);
enum { TIMESTAMP_BITS = 62 };

/* One link of a pNext chain. */
struct chain {
    ze_structure_type_t stype;
    void *pNext;
};
/* The first link of that type, or NULL. */
const void *chain_find(const void *pNext, uint32_t stype);

/* There is exactly one driver and one device. */
static inline bool is_driver(const void *handle) {
    return handle == &the_driver;
}
static inline bool is_device(const void *handle) {
    return handle == &the_device;
}
static inline struct context *to_context(ze_context_handle_t handle) {
    return object_is(handle, OBJECT_CONTEXT) ? (struct context *)handle : NULL;
}

/* Is `value` 0 or a power of two? */
static inline bool is_alignment(size_t value) {
    return (value & (value - 1)) == 0;
}
static inline size_t round_up(size_t value, size_t alignment) {
    return (value + alignment - 1) & ~(alignment - 1);
}

#endif
