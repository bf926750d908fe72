/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads /proc and /sys. Caches nothing except the struct that machine() returns.
 */
#define _GNU_SOURCE
#include "driver/machine.h"
#include "driver/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct machine the_machine;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Reads the first line of a file, without the newline. Empty if the file cannot be read. */
static void read_line(const char *path, char *text, size_t size) {
    text[0] = 0;
    FILE *file = fopen(path, "re");
    if (!file) return;
    if (!fgets(text, (int)size, file)) text[0] = 0;
    fclose(file);
    text[strcspn(text, "\n")] = 0;
}

static uint64_t read_number(const char *path) {
    char text[64];
    read_line(path, text, sizeof text);
    char *end;
    uint64_t number = strtoull(text, &end, 10);
    if (*end == 'K') return number << 10;
    if (*end == 'M') return number << 20;
    return number;
}

/* If `line` of /proc/cpuinfo or /proc/meminfo has `key`, where its value starts. */
static const char *value_of(const char *line, const char *key) {
    size_t length = strlen(key);
    if (strncmp(line, key, length)) return NULL;
    const char *colon = strchr(line + length, ':');
    if (!colon || strspn(line + length, " \t") != (size_t)(colon - line - length)) return NULL;
    return colon + 1 + strspn(colon + 1, " \t");
}

static uint32_t vendor_number(const char *name) {
    static const struct {
        const char *name;
        uint32_t number;
    } vendors[] = {
            {"GenuineIntel", 0x8086}, {"AuthenticAMD", 0x1022}, {"HygonGenuine", 0x1d94}, {"0x41", 0x13b5}};
    for (size_t i = 0; i < sizeof vendors / sizeof vendors[0]; i++)
        if (!strncmp(name, vendors[i].name, strlen(vendors[i].name))) return vendors[i].number;
    return 0;
}

static int has_flag(const char *flags, const char *flag) {
    size_t length = strlen(flag);
    for (const char *at = flags; (at = strstr(at, flag)); at += length)
        if ((at == flags || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return 1;
    return 0;
}

/* `flags` are those of /proc/cpuinfo on x86-64: features that the operating system supports, too. */
static void read_vectors(struct machine *m, const char *flags) {
    m->vector_bytes = has_flag(flags, "avx512f") ? 64 : has_flag(flags, "avx") ? 32 : 16;
    m->has_half = has_flag(flags, "avx2"); /* every CPU with AVX2 has F16C */
}

static void read_cpu(struct machine *m) {
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[4096];
    uint32_t family = 0, model = 0;
    while (file && fgets(line, sizeof line, file) && line[0] != '\n') {
        line[strcspn(line, "\n")] = 0;
        const char *value;
        if ((value = value_of(line, "model name"))) snprintf(m->name, sizeof m->name, "%s", value);
        if ((value = value_of(line, "vendor_id"))) m->vendor = vendor_number(value);
        if ((value = value_of(line, "CPU implementer"))) m->vendor = vendor_number(value);
        if ((value = value_of(line, "cpu family"))) family = (uint32_t)strtoul(value, NULL, 0);
        if ((value = value_of(line, "model"))) model = (uint32_t)strtoul(value, NULL, 0);
        if ((value = value_of(line, "CPU part"))) model = (uint32_t)strtoul(value, NULL, 0);
        if ((value = value_of(line, "flags"))) read_vectors(m, value);
        if ((value = value_of(line, "cpu MHz"))) m->mhz = (uint32_t)strtod(value, NULL);
    }
    if (file) fclose(file);
    m->model = family << 8 | model;
    uint64_t khz = read_number("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    if (khz) m->mhz = (uint32_t)(khz / 1000);
}

static void read_caches(struct machine *m) {
    for (int index = 0; index < 16 && m->ncaches < MACHINE_MAX_CACHES; index++) {
        char path[128], type[32];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", index);
        read_line(path, type, sizeof type);
        if (!type[0]) return;
        if (!strcmp(type, "Instruction")) continue;
        struct machine_cache *cache = &m->caches[m->ncaches++];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", index);
        cache->level = (uint32_t)read_number(path);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        cache->size = read_number(path);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/coherency_line_size", index);
        m->cache_line = (uint32_t)read_number(path);
    }
}

/* The control group's memory limit. "max" parses as 0, which means none. */
static uint64_t memory_limit(void) {
    uint64_t limit = read_number("/sys/fs/cgroup/memory.max");
    return limit ? limit : UINT64_MAX;
}

static uint32_t usable_cpus(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return (uint32_t)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

static void read_machine(void) {
    struct machine *m = &the_machine;
    snprintf(m->name, sizeof m->name, "CPU");
    m->page = (size_t)sysconf(_SC_PAGESIZE);
    m->cache_line = 64;
    m->vector_bytes = 16;
#if !defined(__x86_64__)
    m->has_half = 1;
#endif
    m->cpus = usable_cpus();
    m->threads = (uint32_t)threads()->threads();
    m->memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * m->page;
    if (m->memory > memory_limit()) m->memory = memory_limit();
    read_cpu(m);
    read_caches(m);
}

const struct machine *machine(void) {
    pthread_once(&once, read_machine);
    return &the_machine;
}

uint64_t machine_free_memory(void) {
    FILE *file = fopen("/proc/meminfo", "re");
    char line[256];
    uint64_t available = 0;
    while (file && fgets(line, sizeof line, file)) {
        const char *value = value_of(line, "MemAvailable");
        if (value) available = strtoull(value, NULL, 10) << 10;
    }
    if (file) fclose(file);
    return available < machine()->memory ? available : machine()->memory;
}
