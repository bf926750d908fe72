/* SPDX-License-Identifier: Apache-2.0 */
/* The builds of the kernels' library that this machine can run. The build writes probes.def: PROBE(form) for
 * each. */
#include "base/cpu.h"
#include "count.h"
#include "probe.h"

enum form {
#define FORM(form, ...) FORM_##form,
#include "kernels/forms.def"
#undef FORM
};

static const unsigned needs[] = {
#define FORM(form, architecture, features, ...) [FORM_##form] = features,
#include "kernels/forms.def"
#undef FORM
};

#define PROBE(form) extern const struct probe probe_##form;
#include "probes.def"
#undef PROBE

static const struct {
    const struct probe *probe;
    enum form form;
} built[] = {
#define PROBE(form) {&probe_##form, FORM_##form},
#include "probes.def"
#undef PROBE
};

const struct probe *const *probes(void) {
    static const struct probe *list[COUNT(built) + 1];
    int count = 0;
    for (int i = 0; i < COUNT(built); i++)
        if (!(needs[built[i].form] & ~cpu_features())) list[count++] = built[i].probe;
    return list;
}
