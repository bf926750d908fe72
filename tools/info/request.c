/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which implementation a request gets, which kernels that launches, and why better ones declined. The
 * primitive is made in a process of its own, never executed; debug and dispatch lines tell the rest.
 */
#include "info.h"

#include "bench/job.h"

#include <stdlib.h>
#include <string.h>

struct question {
    const struct request *request;
    const char *engine;
};

static void make_primitive(const void *data) {
    const struct question *question = data;
    static struct job job;
    dnnl_engine_t engine;
    setenv("ONEDNN_VERBOSE", "error,dispatch,debuginfo=1", 1);
    if (!engine_open(question->engine, &engine)) {
        printf("why:no engine %s\n", question->engine);
        return;
    }
    if (job_make_primitive(&job, question->request, engine))
        printf("implementation:%s\n", job_implementation(&job));
    else
        printf("why:%s\n", job.why);
    job_free(&job);
    dnnl_engine_destroy(engine);
}

static void read_launch(const char *line, struct request_answer *answer) {
    if (strstr(line, ",launch,0,")) answer->launch_count = 0; /* that of the primitive comes last */
    if (answer->launch_count == MAX_LAUNCHES) return;
    struct launch *launch = &answer->launches[answer->launch_count++];
    copy_field(line, ",kernel:", launch->kernel, sizeof(launch->kernel));
    copy_field(line, ",form:", launch->form, sizeof(launch->form));
    copy_field(line, ",groups:", launch->groups, sizeof(launch->groups));
    copy_field(line, ",items:", launch->items, sizeof(launch->items));
    copy_field(line, ",times:", launch->times, sizeof(launch->times));
}

/* "…,create:dispatch,KIND,cpu,KIND,NAME,DIRECTION,tensors,attributes,auxiliary,shape,REASON,place", without
 * the parts of a primitive that are of another kind. */
static void read_declined(char *line, const struct request *request, struct request_answer *answer) {
    enum { NAME = 3, DIRECTION = 4, REASON = 9, FIELDS = 11 };
    char *fields[FIELDS] = {NULL}, *rest = strstr(line, "create:dispatch,");
    int count = 0;
    if (answer->declined_count == MAX_DECLINED || !rest) return;
    for (rest += strlen("create:dispatch,"); rest && count < FIELDS; count++) {
        fields[count] = rest;
        rest = strchr(rest, ',');
        if (rest) *rest++ = '\0';
    }
    if (count <= REASON || strcmp(fields[0], request->text.kind)
        || strcmp(fields[DIRECTION], request->text.direction))
        return;
    int place = answer->declined_count++;
    snprintf(answer->declined[place].implementation, sizeof(answer->declined[place].implementation), "%s",
             fields[NAME]);
    snprintf(answer->declined[place].reason, sizeof(answer->declined[place].reason), "%s", fields[REASON]);
}

struct reading {
    const struct request *request;
    struct request_answer *answer;
};

static void read_line(char *line, void *to) {
    const struct reading *reading = to;
    struct request_answer *answer = reading->answer;
    if (!strncmp(line, "implementation:", 15))
        snprintf(answer->implementation, sizeof(answer->implementation), "%s", line + 15);
    else if (!strncmp(line, "why:", 4))
        snprintf(answer->why, sizeof(answer->why), "%s", line + 4);
    else if (strstr(line, "primitive,launch,"))
        read_launch(line, answer);
    else
        read_declined(line, reading->request, answer);
}

void request_read(const struct request *request, const char *engine, struct request_answer *answer) {
    const struct question question = {request, engine};
    struct reading reading = {request, answer};
    *answer = (struct request_answer){0};
    if (request->why[0])
        snprintf(answer->why, sizeof(answer->why), "%s", request->why);
    else if (!read_child(make_primitive, &question, read_line, &reading) && !answer->why[0])
        snprintf(answer->why, sizeof(answer->why), "the library crashed, or took too long");
    else if (!answer->implementation[0] && !answer->why[0])
        snprintf(answer->why, sizeof(answer->why), "no answer");
}
