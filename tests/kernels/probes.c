/* SPDX-License-Identifier: Apache-2.0 */
/* Which builds of the kernels' library this machine can run. */
#include "base/cpu.h"
#include "count.h"
#include "probe.h"

const struct probe *const *probes(void) {
#if defined(__x86_64__)
    static const struct probe *const table[] = {&probe_base, &probe_avx2, &probe_avx512};
#else
    static const struct probe *const table[] = {&probe_base};
#endif
    static const struct probe *list[ISA_COUNT + 1];
    const int count = COUNT(table);
    for (int i = 0; i < count && i <= (int)cpu_native_isa(); i++)
        list[i] = table[i];
    return list;
}
