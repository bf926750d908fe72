/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lodecc: compiles OpenCL C to a native module for Lode's Level Zero driver.
 *
 *   lodecc [-o file] [options for clang] file.cl
 *
 * clang does all the work. Its front end reads the source twice: first to find the kernels, then with a
 * wrapper around each that runs a work-group. Between front end and back end local memory becomes
 * thread-local. The result is a shared object that exports a kernel table, sealed with a checksum.
 */
#define _GNU_SOURCE
#include "ir.h"
#include "kernels/native.h"
#include "text.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- files embedded in the program -- */

#define EMBED(symbol, path)                                                                                  \
    __asm__(".pushsection .rodata\n.global " #symbol "\n.global " #symbol "_end\n" #symbol                   \
            ":\n.incbin \"" path "\"\n" #symbol "_end:\n.byte 0\n.popsection\n");                            \
    extern const char symbol[], symbol##_end[]
EMBED(header_item, LODECC_SOURCE "/opencl/item.h");
EMBED(header_vectors, LODECC_SOURCE "/opencl/vectors.h");
EMBED(header_math, LODECC_SOURCE "/opencl/math.h");
EMBED(header_numbers, LODECC_SOURCE "/opencl/numbers.h");
EMBED(header_convert, LODECC_SOURCE "/opencl/convert.h");
EMBED(header_shuffle, LODECC_SOURCE "/opencl/shuffle.h");
EMBED(header_atomic, LODECC_SOURCE "/opencl/atomic.h");
EMBED(header_async, LODECC_SOURCE "/opencl/async.h");
EMBED(header_group, LODECC_SOURCE "/opencl/group.h");
EMBED(header_native, LODECC_SOURCE "/../../src/kernels/native.h");

static const struct {
    const char *name;
    const char *start, *end;
    const char *marks[3]; /* included if the source contains one of these; always, if there are none */
} headers[] = {
        {"item.h", header_item, header_item_end, {NULL}},
        {"vectors.h", header_vectors, header_vectors_end, {NULL}},
        {"math.h", header_math, header_math_end, {NULL}},
        {"numbers.h", header_numbers, header_numbers_end, {NULL}},
        {"convert.h", header_convert, header_convert_end, {"convert_"}},
        {"shuffle.h", header_shuffle, header_shuffle_end, {"shuffle"}},
        {"atomic.h", header_atomic, header_atomic_end, {"atom"}},
        {"async.h", header_async, header_async_end, {"async_work_group", "prefetch", "wait_group_events"}},
        {"group.h", header_group, header_group_end, {"work_group_", "sub_group"}},
};
enum { HEADERS = sizeof headers / sizeof headers[0] };

static const char *const thread_local_variables[] = {"lode_item", "lode_group_values", NULL};

/* -- running clang -- */

struct command {
    char **words;
    size_t count;
};

static void add_word(struct command *command, const char *word) {
    command->words = realloc(command->words, (command->count + 2) * sizeof *command->words);
    if (!command->words) die("out of memory");
    command->words[command->count++] = text_format("%s", word);
    command->words[command->count] = NULL;
}

static void add_words(struct command *command, const char *const *words) {
    for (; *words; words++)
        add_word(command, *words);
}

static void free_command(struct command *command) {
    for (size_t i = 0; i < command->count; i++)
        free(command->words[i]);
    free(command->words);
}

/* Runs it; if it fails, so does lodecc. */
static void run(struct command *command) {
    pid_t child = fork();
    if (child < 0) die("cannot start a process: %s", strerror(errno));
    if (child == 0) {
        execvp(command->words[0], command->words);
        die("%s: %s", command->words[0], strerror(errno));
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status)) die("%s failed", command->words[0]);
    free_command(command);
}

/* The newest versioned clang on the path, else plain clang. */
static char *find_clang(void) {
    const char *setting = getenv("LODE_CLANG");
    if (setting) return text_format("%s", setting);
    int newest = 0;
    char *path = text_format("%s", getenv("PATH") ? getenv("PATH") : "/usr/bin"), *rest = path;
    for (char *folder; (folder = strsep(&rest, ":"));) {
        DIR *directory = opendir(folder);
        for (struct dirent *entry; directory && (entry = readdir(directory));) {
            char *end = NULL;
            if (strncmp(entry->d_name, "clang-", 6)) continue;
            long version = strtol(entry->d_name + 6, &end, 10);
            if (!*end && version > newest) newest = (int)version;
        }
        if (directory) closedir(directory);
    }
    free(path);
    return newest ? text_format("clang-%d", newest) : text_format("clang");
}

/* -- the steps -- */

struct job {
    char *clang, *folder, *output;
    struct command options; /* for clang */
    char *source;           /* absolute */
    bool wanted[HEADERS];
};

static char *in_folder(const struct job *job, const char *name) {
    return text_format("%s/%s", job->folder, name);
}

static struct command clang_opencl(const struct job *job) {
    struct command command = {0};
    add_word(&command, job->clang);
    add_words(&command,
              (const char *const[]){"-x", "cl", "-cl-std=CL3.0", "-cl-no-stdinc", "-cl-kernel-arg-info",
                                    "-Xclang", "-cl-ext=+cl_khr_fp16,+cl_khr_fp64", "-fPIC", "-include",
                                    "opencl-c-base.h", NULL});
    for (size_t i = 0; i < job->options.count; i++)
        add_word(&command, job->options.words[i]);
    return command;
}

static void add_headers(const struct job *job, struct command *command) {
    for (int i = 0; i < HEADERS; i++) {
        if (!job->wanted[i]) continue;
        char *path = in_folder(job, headers[i].name);
        add_words(command, (const char *const[]){"-include", path, NULL});
        free(path);
    }
}

/* The preprocessed source tells which headers it needs. */
static void choose_headers(struct job *job) {
    char *preprocessed = in_folder(job, "source.i");
    struct command command = clang_opencl(job);
    add_words(&command, (const char *const[]){"-E", job->source, "-o", preprocessed, NULL});
    run(&command);
    struct text source = file_read(preprocessed);
    for (int i = 0; i < HEADERS; i++) {
        job->wanted[i] = headers[i].marks[0] == NULL;
        for (int m = 0; m < 3 && headers[i].marks[m]; m++)
            job->wanted[i] |= strstr(source.bytes, headers[i].marks[m]) != NULL;
    }
    text_free(&source);
    free(preprocessed);
}

static struct text front_end(const struct job *job, const char *source, const char *name) {
    char *ir = in_folder(job, name);
    struct command command = clang_opencl(job);
    add_headers(job, &command);
    add_words(&command, (const char *const[]){"-O2", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm",
                                              source, "-o", ir, NULL});
    run(&command);
    struct text text = file_read(ir);
    free(ir);
    return text;
}

/* -- the wrapper: OpenCL C that runs a kernel as struct native_kernel specifies -- */

static void write_type(struct text *text, const struct kernel_argument *argument) {
    static const char *const spaces[] = {"", "global ", "constant ", "local "};
    uint32_t space = argument->pointer && argument->address_space < 4 ? argument->address_space : 0;
    text_add(text, "%s%s", spaces[space], argument->type);
}

static void write_call(struct text *text, const struct kernel_info *kernel) {
    text_add(text, "%s(", kernel->name);
    for (uint32_t i = 0; i < kernel->narguments; i++)
        text_add(text, "%sa%u", i ? ", " : "", i);
    text_add(text, ");\n");
}

static void write_argument_table(struct text *text, const struct kernel_info *kernel) {
    text_add(text, "constant uint lode_args_%s[][2] = {", kernel->name);
    for (uint32_t i = 0; i < kernel->narguments; i++) {
        const struct kernel_argument *argument = &kernel->arguments[i];
        uint32_t kind = !argument->pointer             ? NATIVE_ARG_VALUE
                        : argument->address_space == 3 ? NATIVE_ARG_LOCAL
                                                       : NATIVE_ARG_BUFFER;
        text_add(text, "{%u, sizeof(", kind);
        write_type(text, argument);
        text_add(text, ")}, ");
    }
    text_add(text, "{0, 0}};\n");
}

static void write_wrapper(struct text *text, const struct kernel_info *kernel) {
    write_argument_table(text, kernel);
    text_add(text, "void lode_run_%s(const struct lode_group *group, %svoid *const *args) {\n", kernel->name,
             kernel->uses_barrier ? "const uint *local_id, " : "");
    for (uint32_t i = 0; i < kernel->narguments; i++) {
        text_add(text, "    ");
        write_type(text, &kernel->arguments[i]);
        text_add(text, " a%u = *(", i);
        write_type(text, &kernel->arguments[i]);
        text_add(text, " *)args[%u];\n", i);
    }
    text_add(text, "    lode_item.group = group;\n");
    if (kernel->uses_barrier) {
        text_add(text, "    for (int i = 0; i < 3; i++)\n        lode_item.local_id[i] = local_id[i];\n    ");
        write_call(text, kernel);
    } else {
        text_add(text,
                 "    uint sx = group->size[0], sy = group->size[1], sz = group->size[2];\n"
                 "    for (uint z = 0; z < sz; z++)\n        for (uint y = 0; y < sy; y++)\n"
                 "            for (uint x = 0; x < sx; x++) {\n"
                 "                lode_item.local_id[0] = x;\n                lode_item.local_id[1] = y;\n"
                 "                lode_item.local_id[2] = z;\n                ");
        write_call(text, kernel);
        text_add(text, "            }\n");
    }
    text_add(text, "}\n");
}

/* Compiles the source and the wrappers of its kernels to an object file. */
static char *compile_wrapped(const struct job *job, const struct module_info *module) {
    struct text source = {0};
    text_add(&source, "#include \"%s\"\n#line 1 \"wrapper of %s\"\n", job->source, job->source);
    for (uint32_t i = 0; i < module->nkernels; i++)
        write_wrapper(&source, &module->kernels[i]);
    char *path = in_folder(job, "wrapped.cl"), *ir_path = in_folder(job, "local.ll"),
         *object = in_folder(job, "code.o");
    file_write(path, source.bytes, source.length);
    struct text ir = front_end(job, path, "wrapped.ll"),
                local = ir_make_thread_local(&ir, thread_local_variables);
    file_write(ir_path, local.bytes, local.length);
    struct command command = {0};
    add_word(&command, job->clang);
    add_words(&command, (const char *const[]){"-x", "ir", "-O3", "-fPIC", "-Wno-override-module",
                                              "-Wno-unused-command-line-argument", NULL});
    for (size_t i = 0; i < job->options.count; i++)
        add_word(&command, job->options.words[i]);
    add_words(&command, (const char *const[]){"-c", ir_path, "-o", object, NULL});
    run(&command);
    text_free(&source);
    text_free(&ir);
    text_free(&local);
    free(path);
    free(ir_path);
    return object;
}

/* -- the table -- */

/* Bytes of thread-local symbols that start with the kernel's name and a dot: its local memory. */
static uint64_t local_size(const struct text *object, const char *kernel) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)object->bytes;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(object->bytes + header->e_shoff);
    uint64_t size = 0;
    size_t length = strlen(kernel);
    for (int s = 0; s < header->e_shnum; s++) {
        if (sections[s].sh_type != SHT_SYMTAB) continue;
        const Elf64_Sym *symbols = (const Elf64_Sym *)(object->bytes + sections[s].sh_offset);
        const char *names = object->bytes + sections[sections[s].sh_link].sh_offset;
        for (uint64_t i = 0; i < sections[s].sh_size / sizeof *symbols; i++) {
            const char *name = names + symbols[i].st_name;
            if (ELF64_ST_TYPE(symbols[i].st_info) == STT_TLS && !strncmp(name, kernel, length)
                && name[length] == '.')
                size += symbols[i].st_size;
        }
    }
    return size;
}

static void write_row(struct text *text, const struct kernel_info *kernel, const struct text *object) {
    text_add(text,
             "    {.name = \"%s\", .%s = lode_run_%s, .args = lode_args_%s, .nargs = %u, .flags = %d,\n"
             "     .group_size = {%u, %u, %u}, .local_size = %llu},\n",
             kernel->name, kernel->uses_barrier ? "run_item" : "run_group", kernel->name, kernel->name,
             kernel->narguments, kernel->uses_barrier ? NATIVE_USES_BARRIER : 0, kernel->group_size[0],
             kernel->group_size[1], kernel->group_size[2],
             (unsigned long long)local_size(object, kernel->name));
}

static char *compile_table(const struct job *job, const struct module_info *module, const char *code) {
    struct text object = file_read(code), source = {0};
    text_add(&source, "#include \"native.h\"\n");
    for (uint32_t i = 0; i < module->nkernels; i++) {
        const struct kernel_info *kernel = &module->kernels[i];
        text_add(&source, "extern const struct native_arg lode_args_%s[];\n", kernel->name);
        text_add(&source, "void lode_run_%s(const struct native_group *, %svoid *const *);\n", kernel->name,
                 kernel->uses_barrier ? "const uint32_t *, " : "");
    }
    text_add(&source, "static const struct native_kernel kernels[] = {\n");
    for (uint32_t i = 0; i < module->nkernels; i++)
        write_row(&source, &module->kernels[i], &object);
    text_add(&source,
             "};\nconst struct native_module lode_native_module = {NATIVE_MAGIC, NATIVE_VERSION, %u, "
             "kernels};\n",
             module->nkernels);
    char *path = in_folder(job, "table.c"), *table = in_folder(job, "table.o");
    file_write(path, source.bytes, source.length);
    struct command command = {0};
    add_word(&command, job->clang);
    add_words(&command, (const char *const[]){"-O1", "-fPIC", "-c", path, "-o", table, NULL});
    run(&command);
    text_free(&object);
    text_free(&source);
    free(path);
    return table;
}

/* -- output and cleanup -- */

static void link_and_seal(const struct job *job, const char *code, const char *table) {
    char *shared = in_folder(job, "module.so");
    struct command command = {0};
    add_word(&command, job->clang);
    add_words(&command, (const char *const[]){"-shared", "-nostartfiles", "-Wl,-Bsymbolic", "-Wl,-z,now",
                                              "-Wl,-z,text", "-Wl,--hash-style=gnu", "-Wl,--no-undefined",
                                              code, table, "-lm", "-o", shared, NULL});
    run(&command);
    struct text image = file_read(shared);
    const struct native_seal seal = {NATIVE_SEAL_MAGIC,
                                     native_checksum((const unsigned char *)image.bytes, image.length)};
    text_append(&image, &seal, sizeof seal);
    file_write(job->output, image.bytes, image.length);
    text_free(&image);
    free(shared);
}

static void write_headers(const struct job *job) {
    for (int i = 0; i < HEADERS; i++) {
        char *path = in_folder(job, headers[i].name);
        file_write(path, headers[i].start, (size_t)(headers[i].end - headers[i].start));
        free(path);
    }
    char *path = in_folder(job, "native.h");
    file_write(path, header_native, (size_t)(header_native_end - header_native));
    free(path);
}

static void remove_folder(const char *folder) {
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char *path = text_format("%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.') unlink(path);
        free(path);
    }
    if (directory) closedir(directory);
    rmdir(folder);
}

static char *made_folder; /* removed at exit, even after errors */

static void remove_made_folder(void) {
    if (!getenv("LODECC_KEEP")) remove_folder(made_folder);
    free(made_folder);
}

static char *make_folder(void) {
    const char *parent = getenv("TMPDIR");
    made_folder = text_format("%s/lodecc-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(made_folder)) die("%s: %s", made_folder, strerror(errno));
    atexit(remove_made_folder);
    return made_folder;
}

static void show_help(void) {
    printf("usage: lodecc [-o file] [options for clang] file.cl\n"
           "Compiles OpenCL C to a native module for Lode's Level Zero driver.\n"
           "  -o file        the output; by default file.cl becomes file.lode\n"
           "  -march=native and other options are passed to clang, the newest on the path;\n"
           "  the environment variable LODE_CLANG selects another one.\n");
}

static void read_arguments(int argc, char **argv, struct job *job) {
    const char *source = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
            show_help();
            exit(0);
        }
        if (!strcmp(argv[i], "-o")) {
            if (++i == argc) die("-o needs a file");
            job->output = text_format("%s", argv[i]);
        } else if (argv[i][0] == '-') {
            add_word(&job->options, argv[i]);
            if ((!strcmp(argv[i], "-I") || !strcmp(argv[i], "-D")) && i + 1 < argc)
                add_word(&job->options, argv[++i]);
        } else if (source)
            die("more than one source");
        else
            source = argv[i];
    }
    if (!source) die("no source; see lodecc --help");
    job->source = realpath(source, NULL);
    if (!job->source) die("%s: %s", source, strerror(errno));
    if (job->output) return;
    const char *dot = strrchr(source, '.');
    job->output = text_format("%.*s.lode", dot ? (int)(dot - source) : (int)strlen(source), source);
}

int main(int argc, char **argv) {
    struct job job = {0};
    read_arguments(argc, argv, &job);
    job.clang = find_clang();
    job.folder = make_folder();
    write_headers(&job);
    choose_headers(&job);
    struct text ir = front_end(&job, job.source, "source.ll");
    struct module_info module = ir_read(&ir);
    if (module.nkernels == 0) die("%s: no kernels", job.source);
    char *code = compile_wrapped(&job, &module), *table = compile_table(&job, &module, code);
    link_and_seal(&job, code, table);
    ir_free(&module);
    text_free(&ir);
    free_command(&job.options);
    free(code);
    free(table);
    free(job.clang);
    free(job.output);
    free(job.source);
    return 0;
}
