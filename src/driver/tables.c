/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library's entry: the tables that loaders ask for, the dispatch tables in handles, look-up by name, and
 * the exported names of unsupported entry points. All generated from entries.def.
 */
#include "driver/driver.h"
#include "driver/object.h"
#include "driver/threads.h"

#include <level_zero/zes_api.h>
#include <level_zero/zet_api.h>
#include <string.h>

typedef void (*entry)(void);

/* Every entry point that this driver does not support, whatever its arguments. */
static ze_result_t ZE_APICALL refuse(void) {
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

/* Every query for objects that a CPU does not have. */
static ze_result_t ZE_APICALL return_none(void *handle, uint32_t *count, void *things) {
    (void)things;
    if (!is_device(handle)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *count = 0;
    return ZE_RESULT_SUCCESS;
}

#define TABLE(prefix, name)
#define END(prefix, name)
#define HAVE(function, minor)
#define NEWER(function, minor)
#define REFUSE(function, minor)                                                                              \
    ZE_DLLEXPORT ze_result_t refused_##function(void) __asm__(#function) __attribute__((alias("refuse")));
#define EMPTY(function, minor)                                                                               \
    ZE_DLLEXPORT ze_result_t empty_##function(void *, uint32_t *, void *) __asm__(#function)                 \
            __attribute__((alias("return_none")));
#include "driver/entries.def"
#undef EMPTY
#undef TABLE
#undef END
#undef HAVE
#undef NEWER
#undef REFUSE

/* The functions of each table, in the order of its slots. */
#define TABLE(prefix, name) static const entry prefix##name##Functions[] = {
#define END(prefix, name)                                                                                    \
    }                                                                                                        \
    ;
#define HAVE(function, minor) (entry) function,
#define NEWER(function, minor) (entry) NEW(function),
#define REFUSE(function, minor) (entry) refuse,
#define EMPTY(function, minor) (entry) return_none,
#include "driver/entries.def"
#undef EMPTY
#undef TABLE
#undef HAVE
#undef NEWER
#undef REFUSE

/* The minor version from which each slot exists. */
#define TABLE(prefix, name) static const uint8_t prefix##name##Since[] = {
#define HAVE(function, minor) minor,
#define NEWER(function, minor) minor,
#define REFUSE(function, minor) minor,
#define EMPTY(function, minor) minor,
#include "driver/entries.def"
#undef EMPTY
#undef TABLE
#undef END
#undef HAVE
#undef NEWER
#undef REFUSE

static _Atomic uint32_t newest_requested;

bool loader_reads_handles(void) {
    uint32_t newest = atomic_load(&newest_requested);
    return newest == 0 || newest >= ZE_MAKE_VERSION(1, 13);
}

static void note_version(uint32_t version) {
    uint32_t newest = atomic_load(&newest_requested);
    while (newest < version && !atomic_compare_exchange_weak(&newest_requested, &newest, version))
        continue;
}

/* The caller's table may end at its version, so later slots are not written. */
static ze_result_t fill(uint32_t version, entry *table, const entry *functions, const uint8_t *since,
                        size_t n) {
    if (!table) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (ZE_MAJOR_VERSION(version) != 1) return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
    note_version(version);
    for (size_t i = 0; i < n; i++)
        if (since[i] <= ZE_MINOR_VERSION(version)) table[i] = functions[i];
    return ZE_RESULT_SUCCESS;
}

#define HAVE(function, minor)
#define NEWER(function, minor)
#define REFUSE(function, minor)
#define EMPTY(function, minor)
#define END(prefix, name)
#define TABLE(prefix, name)                                                                                  \
    ZE_DLLEXPORT ze_result_t ZE_APICALL prefix##Get##name##ProcAddrTable(uint32_t version, void *table) {    \
        return fill(version, table, prefix##name##Functions, prefix##name##Since,                            \
                    sizeof prefix##name##Since);                                                             \
    }
#include "driver/entries.def"
#undef TABLE

/* Dispatch table in a handle, one per prefix: ze_dditable_driver_t and its siblings. */
struct dispatch {
    uint32_t version;
    uint8_t valid;
    const entry *tables[];
};
#define DISPATCH_VERSION ZE_MAKE_VERSION(1, 17)

#define TABLE(prefix, name) prefix##name##Functions,
/* clang-format off */
static const struct dispatch core_dispatch = {DISPATCH_VERSION, 1, {
#include "driver/entries/ze.def"
}};
static const struct dispatch tools_dispatch = {DISPATCH_VERSION, 1, {
#include "driver/entries/zet.def"
}};
static const struct dispatch sysman_dispatch = {DISPATCH_VERSION, 1, {
#include "driver/entries/zes.def"
}};
static const struct dispatch runtime_dispatch = {DISPATCH_VERSION, 1, {
#include "driver/entries/zer.def"
}};
/* clang-format on */
#undef TABLE
#undef HAVE
#undef NEWER

const struct dispatch *const object_dispatch[4] = {&core_dispatch, &tools_dispatch, &sysman_dispatch,
                                                   &runtime_dispatch};

/* All memory can be copied from and to, so there is nothing to import. */
static ze_result_t ZE_APICALL vendor_import_pointer(ze_driver_handle_t driver, void *pointer, size_t size) {
    if (!is_driver(driver)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    return pointer && size ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

static ze_result_t ZE_APICALL vendor_release_pointer(ze_driver_handle_t driver, void *pointer) {
    if (!is_driver(driver)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    return pointer ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

static const struct {
    const char *name;
    entry function;
} named[] = {
#define TABLE(prefix, name)
#define HAVE(function, minor) {#function, (entry)function},
#define NEWER(function, minor) {#function, (entry)NEW(function)},
#define VENDOR(name, function) {#name, (entry)function},
#include "driver/entries.def"
#include "driver/vendor_entries.def"
};

void *entry_by_name(const char *name) {
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (strcmp(named[i].name, name) == 0) return (void *)named[i].function;
    return NULL;
}
