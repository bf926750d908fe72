/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which lines ONEDNN_VERBOSE selects, and their format. The environment is read once per process, so each
 * case runs in a child process whose output is captured.
 */
#define _GNU_SOURCE
#include "base/verbose.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Prints one line of every kind; the table below gives each kind a letter. */
static void print_every_kind(void) {
    if (verbose_on(VERBOSE_CREATE) && verbose_wants("eltwise"))
        verbose_line("primitive,create:%s,eltwise", "x");
    if (verbose_on(VERBOSE_EXEC) && verbose_wants("eltwise"))
        verbose_line("primitive,exec,eltwise,%g", 0.147949);
    if (verbose_on(VERBOSE_EXEC) && verbose_wants("gemm_api")) verbose_line("primitive,exec,gemm_api");
    if (verbose_on(VERBOSE_DISPATCH)) verbose_line("primitive,create:dispatch");
    if (verbose_on(VERBOSE_EXTERNALS)) verbose_line("primitive,external");
    if (verbose_on(VERBOSE_WARN)) verbose_line("primitive,warn");
    if (verbose_on(VERBOSE_DEBUG)) verbose_line("primitive,debuginfo");
    fail(dnnl_invalid_arguments, "memory", "ndims %d, not %d", -1, 2);
    fail_exec(dnnl_invalid_arguments, "convolution", "missing");
    fail(dnnl_runtime_error, "runtime", "lost");
    fail_exec(dnnl_out_of_memory, "convolution", "no memory");
    fail_check(dnnl_out_of_memory, "attr", "full");
}

/* From here on `fail` is cmocka's. */
#undef fail
#include "test.h"

static const struct {
    char letter;
    const char *text;
} lines[] = {
        {'c', "primitive,create:x,eltwise"},
        {'e', "primitive,exec,eltwise,0.147949"},
        {'g', "primitive,exec,gemm_api"},
        {'d', "primitive,create:dispatch"},
        {'x', "primitive,external"},
        {'w', "primitive,warn"},
        {'i', "primitive,debuginfo"},
        {'k', "common,create:check,memory,ndims -1; not 2,tests/core/verbose.c:"},
        {'k', "primitive,exec:check,convolution,missing,tests/core/verbose.c:"},
        {'!', "common,error,runtime,lost,tests/core/verbose.c:"},
        {'!', "primitive,error,convolution,no memory,tests/core/verbose.c:"},
        {'k', "primitive,create:check,attr,full,tests/core/verbose.c:"},
};

static char output[1 << 16];

/* Runs `child` with the settings ("NAME=value", terminated by NULL) and captures its output in `output`. */
static void run(void (*child)(void), const char *const *settings) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        for (; *settings; settings++)
            putenv((char *)*settings);
        child();
        fflush(stdout);
        _exit(0);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t got; (got = read(ends[0], output + used, sizeof(output) - 1 - used)) > 0;)
        used += (size_t)got;
    output[used] = 0;
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static bool is_printed(const char *text) {
    char line[256];
    snprintf(line, sizeof(line), "onednn_verbose,v1,%s", text);
    return strstr(output, line) != NULL;
}

static void check_settings(const char *const *settings, const char *expected) {
    run(print_every_kind, settings);
    for (int i = 0; i < COUNT(lines); i++)
        if (is_printed(lines[i].text) != (strchr(expected, lines[i].letter) != NULL))
            fail_msg("%s: %s is %s", settings[0], lines[i].text,
                     is_printed(lines[i].text) ? "printed" : "missing");
    assert_int_equal(strstr(output, "onednn_verbose,v1,info,oneDNN v") != NULL, *expected != 0);
}

static void words(void **state) {
    (void)state;
    static const char *const table[][2] = {
            {"ONEDNN_VERBOSE=", "!"},
            {"ONEDNN_VERBOSE=0", ""},
            {"ONEDNN_VERBOSE=none", ""},
            {"ONEDNN_VERBOSE=1", "eg!"},
            {"ONEDNN_VERBOSE=2", "ceg!"},
            {"ONEDNN_VERBOSE=3", "!"},
            {"ONEDNN_VERBOSE=-1", "cegdxwik!"},
            {"ONEDNN_VERBOSE=all", "cegdxwik!"},
            {"ONEDNN_VERBOSE=error", "!"},
            {"ONEDNN_VERBOSE=check", "k!"},
            {"ONEDNN_VERBOSE=dispatch", "d!"},
            {"ONEDNN_VERBOSE=profile", "ceg!"},
            {"ONEDNN_VERBOSE=profile_create", "c!"},
            {"ONEDNN_VERBOSE=profile_exec", "eg!"},
            {"ONEDNN_VERBOSE=profile_externals", "x!"},
            {"ONEDNN_VERBOSE=warn", "w!"},
            {"ONEDNN_VERBOSE=debuginfo=1", "i!"},
            {"ONEDNN_VERBOSE=debuginfo=0", "!"},
            {"ONEDNN_VERBOSE=PROFILE_Exec", "eg!"},
            {"ONEDNN_VERBOSE=none,profile_create", "c"},
            {"ONEDNN_VERBOSE=profile,none", ""},
            {"ONEDNN_VERBOSE=foo,check,,bar", "k!"},
            {"ONEDNN_VERBOSE= profile", "!"},
            {"DNNL_VERBOSE=check", "k!"},
    };
    for (int i = 0; i < COUNT(table); i++)
        check_settings((const char *const[]){table[i][0], NULL}, table[i][1]);
    check_settings((const char *const[]){"ONEDNN_VERBOSE=0", "DNNL_VERBOSE=2", NULL}, "");
}

static void filters(void **state) {
    (void)state;
    static const char *const table[][2] = {
            {"ONEDNN_VERBOSE=profile,check,filter=eltwise", "cek!"},
            {"ONEDNN_VERBOSE=profile,check,filter=^ELT", "cek!"},
            {"ONEDNN_VERBOSE=profile,check,filter=soft|elt.*", "cek!"},
            {"ONEDNN_VERBOSE=profile,check,filter=prim", "cek!"},
            {"ONEDNN_VERBOSE=profile,check,filter=api", "gk!"},
            {"ONEDNN_VERBOSE=profile,check,filter=softmax", "k!"},
            {"ONEDNN_VERBOSE=profile,check,filter=memory", ""},
            {"ONEDNN_VERBOSE=profile,check,filter=", "cegk!"},
            {"ONEDNN_VERBOSE=filter=gemm_api,profile", "g!"},
    };
    for (int i = 0; i < COUNT(table); i++)
        check_settings((const char *const[]){table[i][0], NULL}, table[i][1]);
    check_settings((const char *const[]){"ONEDNN_VERBOSE=profile,filter=[", NULL}, "ceg!");
    assert_true(is_printed("common,error,filter format is ill-formed and is not applied, error: "));
}

static void header(void **state) {
    (void)state;
    run(print_every_kind,
        (const char *const[]){"ONEDNN_VERBOSE=1", "ONEDNN_MAX_CPU_ISA=SSE41", "OMP_NUM_THREADS=3", NULL});
    int major, minor, patch, used = 0, threads = 0;
    char hash[64], runtime[32];
    const char *text = output;
    assert_int_equal(sscanf(text, "onednn_verbose,v1,info,oneDNN v%d.%d.%d (commit %63[^)])\n%n", &major,
                            &minor, &patch, hash, &used),
                     4);
    assert_int_equal(major, dnnl_version()->major);
    assert_int_equal(minor, dnnl_version()->minor);
    assert_int_equal(patch, dnnl_version()->patch);
    text += used;
    assert_int_equal(
            sscanf(text, "onednn_verbose,v1,info,cpu,runtime:%31[^,],nthr:%d\n%n", runtime, &threads, &used),
            2);
    assert_int_equal(threads, 3);
    text += used;
    static const char rest[] =
#if defined(__x86_64__)
            "onednn_verbose,v1,info,cpu,isa:Intel SSE4.1\n"
#else
            "onednn_verbose,v1,info,cpu,isa:Generic\n"
#endif
            "onednn_verbose,v1,info,gpu,runtime:";
    assert_memory_equal(text, rest, sizeof(rest) - 1);
    assert_true(is_printed("primitive,info,template:operation,engine,primitive,implementation,prop_kind,"
                           "memory_descriptors,attributes,auxiliary,problem_desc,exec_time\n"));
    assert_null(strstr(strstr(output, "template:"), ",info,")); /* once */
}

static void timestamps(void **state) {
    (void)state;
    double before = verbose_now_ms();
    run(print_every_kind,
        (const char *const[]){"ONEDNN_VERBOSE=profile_create", "ONEDNN_VERBOSE_TIMESTAMP=1", NULL});
    double stamp = 0;
    char rest[64] = "";
    const char *line = strstr(output, "exec_time\n");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "exec_time\nonednn_verbose,v1,%lf,%63s", &stamp, rest), 2);
    assert_string_equal(rest, "primitive,create:x,eltwise");
    assert_true(stamp >= before - 1 && stamp <= verbose_now_ms() + 1);
    assert_non_null(strstr(output, "template:timestamp,operation,"));
}

static void set_levels(void) {
    static const int levels[] = {0, 1, 2, 3, -1};
    for (int i = 0; i < COUNT(levels); i++) {
        int enabled = -1;
        dnnl_status_t status = dnnl_set_verbose(levels[i]);
        dnnl_verbose_profiling_enabled(&enabled);
        printf("level %d: %d %d %d\n", levels[i], status, enabled != 0, verbose_on(VERBOSE_CREATE));
    }
}

static void levels(void **state) {
    (void)state;
    run(set_levels, (const char *const[]){"ONEDNN_VERBOSE=check", NULL});
    assert_non_null(strstr(output, "level 0: 0 0 0\nlevel 1: 0 1 0\nlevel 2: 0 1 1\n"));
    assert_non_null(strstr(output, "level 3: 2 1 1\n"));
    assert_non_null(strstr(output, "level -1: 2 1 1\n"));
}

/* Prints a line far longer than any internal buffer. */
static void print_long_lines(void) {
    char text[20000];
    memset(text, 'y', sizeof(text));
    text[sizeof(text) - 1] = 0;
    verbose_line("a%sz", text);
}

static void long_lines(void **state) {
    (void)state;
    run(print_long_lines, (const char *const[]){"ONEDNN_VERBOSE=all", NULL});
    const char *line = strstr(output, "onednn_verbose,v1,ayyy");
    assert_non_null(line);
    assert_int_equal(strspn(line + strlen("onednn_verbose,v1,a"), "y"), 19999);
    assert_string_equal(line + strlen("onednn_verbose,v1,a") + 19999, "z\n");
}

/* Asks descriptors without blocks for their blocks, as programs do to find out what they have. */
static void query_layouts_without_blocks(void) {
    static const dnnl_query_t queries[] = {dnnl_query_strides, dnnl_query_inner_nblks_s32,
                                           dnnl_query_inner_blks, dnnl_query_inner_idxs};
    dnnl_memory_desc_t mds[2];
    void *answer;
    dnnl_memory_desc_create_with_tag(&mds[0], 2, (dnnl_dims_t){4, 6}, dnnl_f32, dnnl_format_tag_any);
    dnnl_memory_desc_create_with_csr_encoding(&mds[1], 2, (dnnl_dims_t){4, 6}, dnnl_f32, 5, dnnl_s32,
                                              dnnl_s32);
    for (int i = 0; i < 2 * COUNT(queries); i++)
        printf("answer %d\n", dnnl_memory_desc_query(mds[i % 2], queries[i / 2], &answer));
    for (int i = 0; i < 2; i++)
        dnnl_memory_desc_destroy(mds[i]);
}

static void silent_queries(void **state) {
    (void)state;
    run(query_layouts_without_blocks, (const char *const[]){"ONEDNN_VERBOSE=all", NULL});
    assert_non_null(strstr(output, "answer 2\n"));
    assert_null(strstr(output, "answer 0\n"));
    assert_null(strstr(output, "check"));
}

int main(void) {
    unsetenv("ONEDNN_VERBOSE");
    unsetenv("DNNL_VERBOSE");
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(words),          cmocka_unit_test(filters), cmocka_unit_test(header),
            cmocka_unit_test(timestamps),     cmocka_unit_test(levels),  cmocka_unit_test(long_lines),
            cmocka_unit_test(silent_queries),
    };
    return cmocka_run_group_tests_name("core.verbose", tests, NULL, NULL);
}
