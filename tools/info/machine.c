/* SPDX-License-Identifier: Apache-2.0 */
/* The library, the processor, the disk cache and the embedded driver. */
#include "info.h"

#include "oneapi/dnnl/dnnl.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void read_processor(struct machine *machine) {
    char line[256] = "";
    bool found = false;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !found && fgets(line, sizeof(line), file))
        found = !strncmp(line, "model name", 10);
    if (file) fclose(file);
    const char *name = found ? strchr(line, ':') : NULL;
    snprintf(machine->processor, sizeof(machine->processor), "%s", name ? name + 2 : "unknown");
    machine->processor[strcspn(machine->processor, "\n")] = '\0';
    machine->cores = sysconf(_SC_NPROCESSORS_ONLN);
    machine->threads = getenv("OMP_NUM_THREADS");
}

static const char *isa_name(dnnl_cpu_isa_t isa) {
    static const struct {
        dnnl_cpu_isa_t isa;
        const char *name;
    } names[] = {
            {dnnl_cpu_isa_default, "baseline"},
            {dnnl_cpu_isa_sse41, "SSE4.1"},
            {dnnl_cpu_isa_avx, "AVX"},
            {dnnl_cpu_isa_avx2, "AVX2"},
            {dnnl_cpu_isa_avx2_vnni, "AVX2 with VNNI"},
            {dnnl_cpu_isa_avx2_vnni_2, "AVX2 with VNNI, float16 and bfloat16"},
            {dnnl_cpu_isa_avx512_core, "AVX-512"},
            {dnnl_cpu_isa_avx512_core_vnni, "AVX-512 with VNNI"},
            {dnnl_cpu_isa_avx512_core_bf16, "AVX-512 with VNNI and bfloat16"},
            {dnnl_cpu_isa_avx512_core_fp16, "AVX-512 with VNNI, bfloat16 and float16"},
            {dnnl_cpu_isa_avx512_core_amx, "AVX-512 with AMX"},
            {dnnl_cpu_isa_avx512_core_amx_fp16, "AVX-512 with AMX and AMX-FP16"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].isa == isa) return names[i].name;
    return "unknown, newer than this program";
}

/* The file that the library's functions are in: this program, if it is linked statically. */
static void read_library_path(struct machine *machine) {
    Dl_info info;
    const dnnl_version_t *(*function)(void) = dnnl_version;
    void *address;
    memcpy(&address, &function, sizeof(address));
    if (!dladdr(address, &info) || !realpath(info.dli_fname, machine->library)) machine->library[0] = '\0';
}

/* The folder of the disk cache: docs/environment.md. */
static void read_cache(struct machine *machine) {
    const char *off = getenv("LODE_CACHE"), *own = getenv("LODE_CACHE_DIR");
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    size_t size = sizeof(machine->cache);
    if (own && *own)
        snprintf(machine->cache, size, "%s", own);
    else if (cache && *cache == '/')
        snprintf(machine->cache, size, "%s/lode", cache);
    else if (home && *home == '/')
        snprintf(machine->cache, size, "%s/.cache/lode", home);
    machine->cache_on = machine->cache[0] && !(off && !strcmp(off, "0"));
    DIR *folder = machine->cache[0] ? opendir(machine->cache) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat info;
        if (fstatat(dirfd(folder), entry->d_name, &info, 0) || !S_ISREG(info.st_mode)) continue;
        machine->cache_files++;
        machine->cache_bytes += (long long)info.st_size;
    }
    if (folder) closedir(folder);
}

/* `name` in a folder; empty if it is not there. */
static void find_file(const char *folder, const char *name, char path[PATH_MAX]) {
    char real[PATH_MAX];
    const int length = realpath(folder, real) ? snprintf(path, PATH_MAX, "%s/%s", real, name) : PATH_MAX;
    if (length >= PATH_MAX || access(path, R_OK)) path[0] = '\0';
}

/* Beside the library, or where programs have libraries. */
void machine_find_driver(struct machine *machine) {
    static const char *const places[] = {".", LODE_LIBRARY_FOLDER, "../lib"};
    char from[PATH_MAX], folder[PATH_MAX + 64];
    read_library_path(machine);
    snprintf(from, sizeof(from), "%s", machine->library);
    char *slash = strrchr(from, '/');
    if (slash) *slash = '\0';
    for (size_t i = 0; slash && !machine->driver[0] && i < sizeof(places) / sizeof(places[0]); i++) {
        snprintf(folder, sizeof(folder), "%s/%s", from, places[i]);
        find_file(folder, "libze_lode_cpu.so.1", machine->driver);
        find_file(folder, "lode-loader", machine->loader);
    }
}

void machine_read(struct machine *machine) {
    const dnnl_version_t *version = dnnl_version();
    snprintf(machine->version, sizeof(machine->version), "%d.%d.%d", version->major, version->minor,
             version->patch);
    snprintf(machine->hash, sizeof(machine->hash), "%s", version->hash);
    snprintf(machine->isa, sizeof(machine->isa), "%s", isa_name(dnnl_get_effective_cpu_isa()));
    read_processor(machine);
    read_cache(machine);
    machine_find_driver(machine);
}
