/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file is named after the hash of its key and holds one record, which contains the full key. It is written
 * under a temporary name in the same folder and then renamed, so readers see either a whole file or none.
 */
#define _GNU_SOURCE
#include "base/disk_cache.h"
#include "base/hash.h"
#include "base/record.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_set(const char *value) {
    return value && *value;
}

/* The cache folder; false if the cache is off. */
static bool folder(char path[PATH_MAX]) {
    const char *off = getenv("LODE_CACHE"), *own = getenv("LODE_CACHE_DIR");
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (off && strcmp(off, "0") == 0) return false;
    if (is_set(own))
        n = snprintf(path, PATH_MAX, "%s", own);
    else if (is_set(cache) && cache[0] == '/')
        n = snprintf(path, PATH_MAX, "%s/lode", cache);
    else if (is_set(home) && home[0] == '/')
        n = snprintf(path, PATH_MAX, "%s/.cache/lode", home);
    return n > 0 && n < PATH_MAX - 64;
}

static void name_file(char path[PATH_MAX], const char *key) {
    size_t n = strlen(path);
    snprintf(path + n, PATH_MAX - n, "/%016llx", (unsigned long long)hash_bytes(1, key, strlen(key)));
}

static bool make_folders(char *path) {
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        mkdir(path, 0700);
        *p = '/';
    }
    mkdir(path, 0700);
    return access(path, W_OK | X_OK) == 0;
}

static uint8_t *read_file(const char *path, size_t *size) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    struct stat info;
    uint8_t *bytes = NULL;
    size_t done = 0;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
        bytes = malloc((size_t)info.st_size);
    for (ssize_t n = 1; bytes && n > 0 && done < (size_t)info.st_size; done += n > 0 ? (size_t)n : 0)
        n = read(file, bytes + done, (size_t)info.st_size - done);
    close(file);
    *size = done;
    return bytes;
}

bool disk_cache_find(const char *key, void **data, size_t *size) {
    char path[PATH_MAX];
    if (!folder(path)) return false;
    name_file(path, key);
    size_t length;
    uint8_t *bytes = read_file(path, &length);
    struct record record;
    bool found = bytes && record_read(&record, bytes, length) == length && record.key_size == strlen(key)
                 && memcmp(record.key, key, record.key_size) == 0;
    if (found) {
        *size = record.data_size;
        memmove(bytes, record.data, record.data_size);
        *data = bytes;
    } else {
        free(bytes);
    }
    return found;
}

static bool write_file(const char *path, const uint8_t *bytes, size_t size) {
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= (int)sizeof temporary) return false;
    int file = mkostemp(temporary, O_CLOEXEC);
    if (file < 0) return false;
    bool written = true;
    while (written && size > 0) {
        ssize_t n = write(file, bytes, size);
        written = n > 0;
        if (written) bytes += n, size -= (size_t)n;
    }
    written = close(file) == 0 && written && rename(temporary, path) == 0;
    if (!written) unlink(temporary);
    return written;
}

void disk_cache_store(const char *key, const void *data, size_t size) {
    char path[PATH_MAX];
    if (!folder(path) || !make_folders(path)) return;
    name_file(path, key);
    struct record record = {key, strlen(key), data, size};
    uint8_t *bytes = malloc(record_size(&record));
    if (!bytes) return;
    record_write(&record, bytes);
    write_file(path, bytes, record_size(&record));
    free(bytes);
}
