/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Teams. Asking the system for CPUs costs a microsecond and finding OpenMP more, so each thread does both at
 * most once per tick of the coarse clock (a few milliseconds). Asking OpenMP for its number is a function
 * call.
 */
#define _GNU_SOURCE
#include "base/team.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 1024 };

static int at_most(int n, int most) {
    return n < most ? n : most;
}

/* OpenMP, as far as it is needed here. */
struct openmp {
    int (*max_threads)(void);
    /* Both or none, from version 4.5 on. */
    int (*num_places)(void);
    int (*place_num_procs)(int place);
    void (*place_proc_ids)(int place, int *ids);
};

static bool openmp_read(struct openmp *omp, void *library) {
    *(void **)&omp->max_threads = dlsym(library, "omp_get_max_threads");
    *(void **)&omp->num_places = dlsym(library, "omp_get_num_places");
    *(void **)&omp->place_num_procs = dlsym(library, "omp_get_place_num_procs");
    *(void **)&omp->place_proc_ids = dlsym(library, "omp_get_place_proc_ids");
    if (!omp->place_num_procs || !omp->place_proc_ids) omp->num_places = NULL;
    return omp->max_threads != NULL;
}

struct search {
    unsigned long long adds; /* libraries that the process had loaded at the last search */
    bool began;
    char path[4096]; /* of the runtime that was found */
};

static bool is_openmp(const char *path) {
    static const char *const names[] = {"libgomp", "libiomp5", "libomp"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (strncmp(name, names[i], n) == 0 && (name[n] == '.' || name[n] == '-')) return true;
    }
    return false;
}

/* Ends the search when a runtime is found, or when nothing was loaded since the last search. */
static int look_at_library(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct search *search = context;
    if (!search->began && info->dlpi_adds == search->adds) return 1;
    search->began = true;
    search->adds = info->dlpi_adds;
    if (!is_openmp(info->dlpi_name) || strlen(info->dlpi_name) >= sizeof search->path) return 0;
    strcpy(search->path, info->dlpi_name);
    return 1;
}

/* A runtime that some module loaded for itself is not among the global symbols, but known by its file's name.
 * Called with the lock below. */
static bool openmp_search(struct openmp *omp) {
    static struct search search;
    if (openmp_read(omp, RTLD_DEFAULT)) return true;
    search.began = false;
    search.path[0] = '\0';
    dl_iterate_phdr(look_at_library, &search);
    if (!search.path[0]) return false;
    void *library = dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD);
    return library && openmp_read(omp, library); /* stays open: its functions are called from now on */
}

/* The OpenMP runtime of the process, or NULL. Found once, it stays. */
static const struct openmp *openmp_find(void) {
    static struct openmp found;
    static _Atomic(const struct openmp *) known;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const struct openmp *omp = known;
    if (omp || pthread_mutex_trylock(&lock)) return omp;
    if (!known && openmp_search(&found)) known = &found;
    omp = known;
    pthread_mutex_unlock(&lock);
    return omp;
}

static int stated_threads(void) {
    static _Atomic int stated = -1;
    if (stated < 0) {
        const char *text = getenv("OMP_NUM_THREADS");
        long n = text ? strtol(text, NULL, 10) : 0;
        stated = n < 1 ? 0 : n < MAX_THREADS ? (int)n : MAX_THREADS;
    }
    return stated;
}

/* What a thread knows since its last tick. */
struct view {
    struct team team;
    const struct openmp *omp;
    int most; /* threads that the calling thread's CPUs allow */
    bool valid;
    time_t seconds;
    long nanoseconds;
};
static _Thread_local struct view view;

#ifdef __linux__
/* FNV-1a. */
static uint64_t key_of(const cpu_set_t *cpus) {
    uint64_t key = 14695981039346656037u;
    const unsigned char *bytes = (const unsigned char *)cpus;
    for (size_t i = 0; i < sizeof *cpus; i++)
        key = (key ^ bytes[i]) * 1099511628211u;
    return key;
}

/* The CPUs of all places to which OpenMP binds its threads; false: it does not bind. */
static bool read_places(const struct openmp *omp, cpu_set_t *cpus) {
    int ids[CPU_SETSIZE], places = omp && omp->num_places ? omp->num_places() : 0;
    CPU_ZERO(cpus);
    for (int place = 0; place < places; place++) {
        int n = omp->place_num_procs(place);
        if (n > CPU_SETSIZE) return false;
        omp->place_proc_ids(place, ids);
        for (int i = 0; i < n; i++)
            if (ids[i] >= 0 && ids[i] < CPU_SETSIZE) CPU_SET((size_t)ids[i], cpus);
    }
    return CPU_COUNT(cpus) > 0;
}

static void read_cpus(struct view *v) {
    cpu_set_t process;
    v->most = MAX_THREADS;
    if (!read_places(v->omp, &v->team.cpus)) {
        if (sched_getaffinity(0, sizeof v->team.cpus, &v->team.cpus)) return;
        bool narrowed = sched_getaffinity(getpid(), sizeof process, &process) == 0
                        && CPU_COUNT(&v->team.cpus) < CPU_COUNT(&process);
        if (narrowed) v->most = CPU_COUNT(&v->team.cpus);
    }
    v->team.available = CPU_COUNT(&v->team.cpus);
    v->team.key = key_of(&v->team.cpus);
}

void team_join(const struct team *team) {
    static _Thread_local uint64_t joined;
    if (joined == team->key) return;
    joined = team->key;
    sched_setaffinity(0, sizeof team->cpus, &team->cpus);
}
#else
static void read_cpus(struct view *v) {
    v->most = MAX_THREADS;
}

void team_join(const struct team *team) {
    (void)team;
}
#endif

static void look(struct view *v) {
    v->omp = openmp_find();
    read_cpus(v);
    if (v->team.available < 1) v->team.available = at_most((int)sysconf(_SC_NPROCESSORS_ONLN), MAX_THREADS);
    if (v->team.available < 1) v->team.available = 1;
}

const struct team *team_current(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    struct view *v = &view;
    if (!v->valid || now.tv_nsec != v->nanoseconds || now.tv_sec != v->seconds) {
        look(v);
        v->valid = true;
        v->seconds = now.tv_sec;
        v->nanoseconds = now.tv_nsec;
    }
    int stated = v->omp ? v->omp->max_threads() : stated_threads();
    v->team.threads = at_most(stated > 0 ? stated : v->team.available, v->most);
    return &v->team;
}
