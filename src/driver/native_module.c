/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native modules: a reference to code that is already in this process, or an ELF image that exports a kernel
 * table. An image ends with a seal, a checksum of everything before it: the dynamic linker trusts what it
 * loads, so damaged images must not get there.
 */
#define _GNU_SOURCE
#include "driver/limits.h"
#include "driver/machine.h"
#include "driver/module.h"
#include "driver/native_launch.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* -- the kernel table -- */

/* Where a module's table may point: the loaded segments of its image. Without program headers, anywhere. */
struct extent {
    uintptr_t base;
    const ElfW(Phdr) * headers;
    size_t nheaders;
};

static bool holds(const struct extent *extent, const void *pointer, uint64_t length, uint32_t flags) {
    if (!pointer) return false;
    if (!extent->headers) return true;
    uint64_t address = (uintptr_t)pointer - extent->base;
    for (size_t i = 0; i < extent->nheaders; i++) {
        const ElfW(Phdr) *header = &extent->headers[i];
        if (header->p_type != PT_LOAD || (header->p_flags & flags) != flags || address < header->p_vaddr)
            continue;
        uint64_t start = address - header->p_vaddr;
        if (start <= header->p_memsz && length <= header->p_memsz - start) return true;
    }
    return false;
}

#define HOLDS_ARRAY(extent, pointer, count)                                                                  \
    ((uintptr_t)(pointer) % _Alignof(__typeof__(*(pointer))) == 0                                            \
     && holds(extent, pointer, (uint64_t)(count) * sizeof *(pointer), PF_R))

static bool holds_text(const struct extent *extent, const char *text) {
    do {
        if (!holds(extent, text, 1, PF_R)) return false;
    } while (*text++);
    return true;
}

static const char *check_arguments(const struct native_kernel *kernel) {
    uint64_t block = 0;
    for (uint32_t i = 0; i < kernel->nargs; i++) {
        if (kernel->args[i].kind > NATIVE_ARG_LOCAL) return "a kernel with an argument of unknown kind";
        if (kernel->args[i].kind != NATIVE_ARG_VALUE && kernel->args[i].size != sizeof(void *))
            return "a kernel with a pointer argument of the wrong size";
        if (kernel->args[i].size == 0) return "a kernel with an argument of size zero";
        block += kernel->args[i].size;
    }
    return block > MAX_ARGUMENTS_SIZE ? "a kernel with too many bytes of arguments" : NULL;
}

/* Zeros, or a valid group size. */
static bool is_group_size(const uint32_t size[3]) {
    if (!size[0] && !size[1] && !size[2]) return true;
    uint64_t items = 1;
    for (int i = 0; i < 3; i++) {
        if (size[i] == 0 || size[i] > MAX_GROUP_SIZE) return false;
        items *= size[i];
    }
    return items <= MAX_GROUP_SIZE;
}

static const char *check_kernel(const struct native_kernel *kernel, const struct extent *extent) {
    if (!holds_text(extent, kernel->name)) return "a kernel without a name";
    if (kernel->nargs && !HOLDS_ARRAY(extent, kernel->args, kernel->nargs))
        return "a kernel without an argument table";
    if (kernel->flags & ~(uint32_t)NATIVE_USES_BARRIER) return "a kernel with unknown flags";
    const void *code =
            kernel->flags & NATIVE_USES_BARRIER ? (void *)kernel->run_item : (void *)kernel->run_group;
    if (!holds(extent, code, 1, PF_X)) return "a kernel without code";
    if (!is_group_size(kernel->group_size)) return "a kernel with an invalid group size";
    return check_arguments(kernel);
}

static const char *check_table(const struct native_module *table, const struct extent *extent) {
    if (!HOLDS_ARRAY(extent, table, 1) || table->magic != NATIVE_MAGIC) return "no kernel table";
    if (table->version != NATIVE_VERSION) return "a kernel table of another version";
    if (table->nkernels && !HOLDS_ARRAY(extent, table->kernels, table->nkernels))
        return "an empty kernel table";
    const char *why = NULL;
    for (uint32_t i = 0; !why && i < table->nkernels; i++)
        why = check_kernel(&table->kernels[i], extent);
    return why;
}

static ze_result_t adopt_table(struct module *module, const struct native_module *table) {
    module->codes = calloc(table->nkernels ? table->nkernels : 1, sizeof *module->codes);
    if (!module->codes) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    module->ncodes = table->nkernels;
    for (uint32_t i = 0; i < table->nkernels; i++) {
        const struct native_kernel *kernel = &table->kernels[i];
        module->codes[i] = (struct kernel_code){
                .name = kernel->name,
                .args = kernel->args,
                .nargs = kernel->nargs,
                .required_size = {kernel->group_size[0], kernel->group_size[1], kernel->group_size[2]},
                .local_size = kernel->local_size,
                .max_group_size = MAX_GROUP_SIZE,
                .max_sub_group_size = 1,
                .max_concurrent = machine()->threads,
                .launch = native_launch,
                .backend = kernel,
        };
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t refuse_module(struct log *log, const char *why) {
    log_add(log, "not a native module: %s\n", why);
    return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
}

/* -- references -- */

static void *reference_function(const struct module *module, const char *name) {
    for (uint32_t i = 0; i < module->ncodes; i++) {
        const struct native_kernel *kernel = module->codes[i].backend;
        if (strcmp(kernel->name, name) == 0)
            return kernel->run_group ? (void *)kernel->run_group : (void *)kernel->run_item;
    }
    return NULL;
}

static void reference_destroy(struct module *module) {
    (void)module;
}

static const struct module_backend reference_backend = {
        .destroy = reference_destroy,
        .function = reference_function,
};

static ze_result_t build_reference(struct module *module, const struct native_reference *reference,
                                   struct log *log) {
    if (reference->process != (uint64_t)getpid())
        return refuse_module(log, "a reference from another process");
    const char *why = check_table(reference->module, &(struct extent){0});
    if (why) return refuse_module(log, why);
    module->backend = &reference_backend;
    if (!module_keep_binary(module, reference, sizeof *reference)) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    return adopt_table(module, reference->module);
}

/* -- ELF images -- */

/* The dynamic linker identifies libraries by path, and the path contains the descriptor's number. The
 * descriptor stays open while the image is loaded, so that no other image gets the same path. */
struct elf {
    void *handle;
    int file;
};

static void elf_free(struct elf *elf) {
    if (elf->handle) dlclose(elf->handle);
    if (elf->file >= 0) close(elf->file);
    free(elf);
}

static void elf_destroy(struct module *module) {
    elf_free(module->data);
}

static void *handle_of(const struct module *module) {
    return ((const struct elf *)module->data)->handle;
}

/* The dynamic linker has loaded the image, so its headers are right; it also says where the image is. */
static struct extent extent_of(const struct module *module) {
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)module->binary;
    const struct link_map *map = NULL;
    dlinfo(handle_of(module), RTLD_DI_LINKMAP, &map);
    return (struct extent){map ? map->l_addr : 0, (const ElfW(Phdr) *)(module->binary + header->e_phoff),
                           header->e_phnum};
}

/* A symbol of the image itself: dlsym would also search the libraries it needs. */
static void *elf_symbol(const struct module *module, const char *name, uint32_t flags) {
    const struct extent extent = extent_of(module);
    void *address = dlsym(handle_of(module), name);
    return holds(&extent, address, 1, flags) ? address : NULL;
}

static void *elf_global(const struct module *module, const char *name, size_t *size) {
    void *address = elf_symbol(module, name, PF_R);
    Dl_info info;
    const ElfW(Sym) * symbol;
    if (!address || !dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return NULL;
    if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || info.dli_saddr != address) return NULL;
    *size = symbol->st_size;
    return address;
}

static void *elf_function(const struct module *module, const char *name) {
    void *kernel = reference_function(module, name);
    return kernel ? kernel : elf_symbol(module, name, PF_X);
}

static const struct module_backend elf_backend = {
        .destroy = elf_destroy,
        .global = elf_global,
        .function = elf_function,
};

static const char *check_seal(const unsigned char *image, size_t size) {
    struct native_seal seal = {0};
    if (size > sizeof seal) memcpy(&seal, image + size - sizeof seal, sizeof seal);
    if (seal.magic != NATIVE_SEAL_MAGIC) return "no checksum at its end";
    return native_checksum(image, size - sizeof seal) == seal.checksum ? NULL : "wrong checksum";
}

/* Writes the image to a file in memory. Returns the descriptor or -1. */
static int image_file(const unsigned char *image, size_t size) {
    int file = memfd_create("lode-module", MFD_CLOEXEC);
    void *copy = MAP_FAILED;
    if (file >= 0 && !ftruncate(file, (off_t)size))
        copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (copy == MAP_FAILED) {
        if (file >= 0) close(file);
        return -1;
    }
    memcpy(copy, image, size);
    munmap(copy, size);
    return file;
}

enum { PATH_SIZE = 64 };

static void name_image(int file, char path[PATH_SIZE]) {
    snprintf(path, PATH_SIZE, "/proc/%ld/fd/%d", (long)getpid(), file); /* also readable by debuggers */
}

/* Moves the file to a descriptor whose path the dynamic linker has not loaded: images that cannot be unloaded
 * keep their path. */
static int move_to_unloaded_path(int file) {
    char path[PATH_SIZE];
    name_image(file, path);
    void *known = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!known) return file;
    dlclose(known);
    int other = fcntl(file, F_DUPFD_CLOEXEC, file + 1);
    int found = other < 0 ? -1 : move_to_unloaded_path(other);
    close(file);
    return found;
}

/* dlopen needs a file. */
static struct elf *load_image(const unsigned char *image, size_t size, struct log *log) {
    struct elf *elf = malloc(sizeof *elf);
    if (!elf) return NULL;
    *elf = (struct elf){.file = image_file(image, size)};
    if (elf->file >= 0) elf->file = move_to_unloaded_path(elf->file);
    if (elf->file >= 0) {
        char path[PATH_SIZE];
        name_image(elf->file, path);
        elf->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!elf->handle) log_add(log, "%s\n", dlerror());
    }
    if (elf->handle) return elf;
    elf_free(elf);
    return NULL;
}

static ze_result_t build_elf(struct module *module, const struct module_input *input, struct log *log) {
    const char *why = check_seal(module->binary, module->binary_size);
    if (why) return refuse_module(log, why);
    module->data = load_image(module->binary, input->size, log);
    if (!module->data) return refuse_module(log, "the dynamic linker cannot load it");
    module->backend = &elf_backend;
    const struct native_module *table = dlsym(handle_of(module), NATIVE_MODULE_SYMBOL);
    const struct extent extent = extent_of(module);
    why = check_table(table, &extent);
    return why ? refuse_module(log, why) : adopt_table(module, table);
}

ze_result_t native_module_build(struct module *module, const struct module_input *input, struct log *log) {
    struct native_reference reference;
    if (input->size == sizeof reference) {
        memcpy(&reference, input->bytes, sizeof reference);
        if (reference.magic == NATIVE_REFERENCE_MAGIC) return build_reference(module, &reference, log);
    }
    if (!module_keep_binary(module, input->bytes, input->size)) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    return build_elf(module, input, log);
}
