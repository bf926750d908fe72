/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program that compiles one SPIR-V module for the driver (spirv_compiler.h has its interface). It exits
 * with the thread that started it, and the kernel kills it first when memory runs out.
 */
#define _GNU_SOURCE
#include "driver/spirv_compiler.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void set_process_limits(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    ssize_t written = write(file, "1000", 4);
    (void)written;
    close(file);
}

static bool read_recipe(struct spirv_recipe *recipe) {
    struct stat about;
    if (fstat(STDIN_FILENO, &about) || about.st_size <= 0) return false;
    void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, STDIN_FILENO, 0);
    return bytes != MAP_FAILED && spirv_recipe_unpack(bytes, (size_t)about.st_size, recipe);
}

static cl_int open_input(const struct opencl *cl, const struct spirv_input *input, cl_program *program) {
    cl_int error = 0;
    *program = cl->CreateProgramWithIL(cl->context, input->il, input->il_size, &error);
    for (size_t i = 0; !error && i < input->nconstants; i++)
        error = cl->SetProgramSpecializationConstant(*program, input->constants[i].id,
                                                     input->constants[i].size, &input->constants[i].value);
    return error;
}

/* Compiles each input separately. On failure, *program is the one that failed, for its log. */
static cl_int link_inputs(const struct opencl *cl, const struct spirv_recipe *recipe, cl_program *program) {
    cl_program *compiled = calloc(recipe->ninputs, sizeof *compiled);
    cl_int error = compiled ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; !error && i < recipe->ninputs; i++) {
        const struct spirv_input *input = &recipe->inputs[i];
        error = open_input(cl, input, program);
        if (!error)
            error = cl->CompileProgram(*program, 1, &cl->device, input->flags, 0, NULL, NULL, NULL, NULL);
        compiled[i] = *program;
    }
    if (!error)
        *program = cl->LinkProgram(cl->context, 1, &cl->device, "", (cl_uint)recipe->ninputs, compiled, NULL,
                                   NULL, &error);
    free(compiled);
    return error;
}

static cl_int build(const struct opencl *cl, const struct spirv_recipe *recipe, cl_program *program) {
    if (recipe->ninputs > 1) return link_inputs(cl, recipe, program);
    cl_int error = open_input(cl, recipe->inputs, program);
    return error ? error : cl->BuildProgram(*program, 1, &cl->device, recipe->inputs->flags, NULL, NULL);
}

static char *get_log(const struct opencl *cl, cl_program program, size_t *size) {
    if (!program || cl->GetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_LOG, 0, NULL, size))
        *size = 0;
    char *text = malloc(*size + 1);
    if (!text
        || (*size && cl->GetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_LOG, *size, text, NULL)))
        *size = 0;
    if (*size) --*size; /* the terminating zero */
    return text;
}

static cl_int get_code(const struct opencl *cl, cl_program program, void **code, size_t *size) {
    cl_int error = cl->GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL);
    if (error) return error;
    *code = malloc(*size + 1);
    return *code ? cl->GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof *code, code, NULL)
                 : CL_OUT_OF_HOST_MEMORY;
}

static bool write_at(const void *bytes, size_t size, off_t *place) {
    for (const char *from = bytes; size;) {
        ssize_t written = pwrite(STDOUT_FILENO, from, size, *place);
        if (written <= 0) return false;
        from += written;
        size -= (size_t)written;
        *place += written;
    }
    return true;
}

/* Truncates first: the runtime may have written to the file. */
static bool write_answer(const struct spirv_answer *answer, const char *log, const void *code) {
    off_t place = sizeof *answer, start = 0;
    return ftruncate(STDOUT_FILENO, 0) == 0 && write_at(log, answer->log_size, &place)
           && write_at(code, answer->code_size, &place) && write_at(answer, sizeof *answer, &start);
}

int main(int argc, char **argv) {
    struct spirv_recipe recipe;
    struct opencl cl = {0};
    set_process_limits();
    if (argc != 2 || !read_recipe(&recipe)) return 1;
    alarm(spirv_compiler_seconds(&recipe));
    if (!opencl_open(&cl, argv[1])) return 1;
    cl_program program = NULL;
    size_t log_size = 0, code_size = 0;
    void *code = NULL;
    cl_int error = build(&cl, &recipe, &program);
    char *log = get_log(&cl, program, &log_size);
    if (!error) error = get_code(&cl, program, &code, &code_size);
    const struct spirv_answer answer = {SPIRV_ANSWER_MAGIC, error, log_size, error ? 0 : code_size};
    _exit(!write_answer(&answer, log, code)); /* skip the runtime's exit handlers */
}
