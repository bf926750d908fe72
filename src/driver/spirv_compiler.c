/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the SPIR-V compiler. Input and output are files in memory: unlike pipes they neither block nor raise
 * signals, whatever the other process does.
 */
#define _GNU_SOURCE
#include "driver/spirv_compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* -- where it is -- */

static char compiler_path[PATH_MAX + sizeof "/" SPIRV_COMPILER_PATH];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* It is installed below the driver's folder, which may be anywhere. */
static void find_compiler(void) {
    Dl_info driver;
    char *path = dladdr((void *)(uintptr_t)find_compiler, &driver) ? realpath(driver.dli_fname, NULL) : NULL;
    char *slash = path ? strrchr(path, '/') : NULL;
    if (slash)
        snprintf(compiler_path, sizeof compiler_path, "%.*s/%s", (int)(slash - path), path,
                 SPIRV_COMPILER_PATH);
    free(path);
}

static const char *compiler(void) {
    pthread_once(&once, find_compiler);
    return compiler_path;
}

bool spirv_compiler_exists(void) {
    return access(compiler(), X_OK) == 0;
}

/* -- files in memory -- */

enum { REQUEST, ANSWER, ERRORS, FILES }; /* in the order of the compiler's standard streams */

static void close_files(const int files[FILES]) {
    for (int i = 0; i < FILES; i++)
        if (files[i] >= 0) close(files[i]);
}

/* Avoids descriptors 0 to 2, even if the program has closed them. */
static int make_file(void) {
    int low = memfd_create("spirv", MFD_CLOEXEC), file = -1;
    if (low >= 0) {
        file = fcntl(low, F_DUPFD_CLOEXEC, FILES);
        close(low);
    }
    return file;
}

static bool make_files(int files[FILES]) {
    bool made = true;
    for (int i = 0; i < FILES; i++)
        made &= (files[i] = make_file()) >= 0;
    return made;
}

static bool write_all(int file, const char *bytes, size_t size) {
    while (size) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes += written;
        size -= (size_t)written;
    }
    return lseek(file, 0, SEEK_SET) == 0;
}

static bool write_request(int file, const struct spirv_recipe *recipe) {
    size_t size = 0;
    void *packed = spirv_recipe_pack(recipe, &size);
    bool written = packed && write_all(file, packed, size);
    free(packed);
    return written;
}

/* Reads a whole file and appends a zero byte. */
static char *read_file(int file, size_t *size) {
    struct stat about;
    if (fstat(file, &about)) return NULL;
    *size = (size_t)about.st_size;
    char *bytes = malloc(*size + 1);
    if (!bytes) return NULL;
    bytes[*size] = 0;
    for (size_t done = 0; done < *size;) {
        ssize_t got = pread(file, bytes + done, *size - done, (off_t)done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            free(bytes);
            return NULL;
        }
        done += (size_t)got;
    }
    return bytes;
}

/* -- the process -- */

/* Signal mask and handlers are reset to their defaults for the compiler. */
static int spawn(const char *library, const int files[FILES], pid_t *pid) {
    char *arguments[] = {compiler_path, (char *)(uintptr_t)library, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    if ((error = posix_spawnattr_init(&attributes))) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    for (int i = 0; !error && i < FILES; i++)
        error = posix_spawn_file_actions_adddup2(&actions, files[i], i);
    if (!error) error = posix_spawn(pid, compiler(), &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Exit status, or 0 if the program itself already reaped the process: then the answer decides. */
static int wait_for(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return 0;
    return status;
}

/* -- the answer -- */

static void log_missing_answer(int status, const struct spirv_recipe *recipe, int errors, struct log *log) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        log_add(log, "the OpenCL runtime's compiler took more than %u seconds\n",
                spirv_compiler_seconds(recipe));
    else if (WIFSIGNALED(status))
        log_add(log, "the OpenCL runtime's compiler crashed (%s); is the module valid?\n",
                strsignal(WTERMSIG(status)));
    else
        log_add(log, "the OpenCL runtime's compiler failed; is the module valid?\n");
    size_t size = 0;
    char *text = read_file(errors, &size);
    if (text && size) log_add(log, "%s\n", text);
    free(text);
}

/* False if there is no answer, or only part of one. */
static bool open_answer(const char *bytes, size_t size, struct spirv_answer *answer) {
    if (!bytes || size < sizeof *answer) return false;
    memcpy(answer, bytes, sizeof *answer);
    size_t left = size - sizeof *answer;
    return answer->magic == SPIRV_ANSWER_MAGIC && answer->log_size <= left
           && answer->code_size == left - answer->log_size;
}

static void keep_code(struct spirv_recipe *recipe, const char *code, size_t size) {
    free(recipe->code);
    recipe->code = malloc(size + 1);
    recipe->code_size = size;
    if (recipe->code) memcpy(recipe->code, code, size);
}

static ze_result_t read_answer(const int files[FILES], int status, struct spirv_recipe *recipe,
                               struct log *log) {
    size_t size = 0;
    char *bytes = read_file(files[ANSWER], &size);
    struct spirv_answer answer;
    if (!open_answer(bytes, size, &answer)) {
        log_missing_answer(status, recipe, files[ERRORS], log);
        free(bytes);
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    const char *text = bytes + sizeof answer;
    if (answer.log_size) log_add(log, "%.*s\n", (int)answer.log_size, text);
    if (answer.error)
        log_add(log, "the OpenCL runtime did not build the module: error %d\n", (int)answer.error);
    else
        keep_code(recipe, text + answer.log_size, answer.code_size);
    free(bytes);
    if (answer.error) return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    return recipe->code ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

ze_result_t spirv_compile(const struct opencl *cl, struct spirv_recipe *recipe, struct log *log) {
    int files[FILES];
    ze_result_t result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (make_files(files) && write_request(files[REQUEST], recipe)) {
        pid_t pid;
        int error = spawn(cl->library, files, &pid);
        if (error) {
            log_add(log, "the OpenCL compiler for SPIR-V, %s, cannot be run: %s\n", compiler(),
                    strerror(error));
            result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
        } else {
            result = read_answer(files, wait_for(pid), recipe, log);
        }
    }
    if (!result) recipe->target = cl->identity;
    close_files(files);
    return result;
}
