# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where.
install(TARGETS dnnl)
