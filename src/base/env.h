/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings from the environment. Every setting has two names, ONEDNN_<name> and the older DNNL_<name>; the
 * first that is set and not empty counts.
 */
#ifndef LODE_BASE_ENV_H
#define LODE_BASE_ENV_H

/* The value of a setting, or NULL. Do not keep the pointer: another thread's setenv may invalidate it. */
const char *env_get(const char *name);
/* The value as a number, as atoi reads it; `otherwise` if the setting is absent. */
int env_int(const char *name, int otherwise);

#endif
