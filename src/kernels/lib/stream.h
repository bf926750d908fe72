/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores that bypass the caches, for large results that nothing reads soon: memory is written without being
 * read first. STREAM(x, i, p) is vstore for a p that STREAMS_TO(p, x); a kernel that used it ends with
 * STREAM_END, after which other threads may read. Vectors that do not fill a line of the cache must follow
 * each other.
 */
#ifndef LODE_KERNELS_LIB_STREAM_H
#define LODE_KERNELS_LIB_STREAM_H

#include "kernels/lib/opencl.h"
#include "kernels/params.h"

#if defined(__AVX2__) && !defined(__OPENCL_C_VERSION__)
#define STREAMS_TO(p, x) ((ulong)(p) % sizeof(x) == 0)
#define STREAM(x, i, p) __builtin_nontemporal_store(x, (__typeof__(x) *)(p) + (i))
#define STREAM_END() __builtin_ia32_sfence()
#define STREAMS 1
#else
#define STREAMS_TO(p, x) false
#define STREAM(x, i, p) VSTORE(x, i, p)
#define STREAM_END()
#define STREAMS 0
#endif

/* A copy of a number that compilers do not know to be the same in every iteration of a loop: they would make
 * a loop for each of its values. */
#ifdef __OPENCL_C_VERSION__
#define VARYING(x) (x)
#else
#define VARYING(x) varying(x)
INLINE int varying(int x) {
    __asm__ volatile("" : "+r"(x));
    return x;
}
#endif

/* Stores sixteen elements; `streams_`: past the caches, where they begin a multiple of their bytes. */
#if STREAMS
#define STREAMS_LINE(x_, to_, streams_) (VARYING(streams_) && (STREAM(x_, 0, to_), 1))
#else
#define STREAMS_LINE(x_, to_, streams_) ((void)(streams_), 0)
#endif
#define STREAM_OR_STORE(x_, to_, streams_)                                                                   \
    do {                                                                                                     \
        if (!STREAMS_LINE(x_, to_, streams_)) vstore16(x_, 0, to_);                                          \
    } while (0)

/* Does a parameter say that results bypass the caches, where they can? */
#define STREAMED(streams_) (STREAMS && (streams_))

/* Does element `offset` begin a line of the cache? */
#define STREAMS_ROW(to_, type_, offset_) (STREAMS && (ulong)((to_) + (offset_) * type_bytes(type_)) % 64 == 0)

enum { LINE_BYTES = 64 }; /* of the cache */

/* What is asked for while something else is computed: rows of `lines` lines of the cache, each row as a
 * whole, because memory is read faster in long runs. */
struct lines_ahead {
    global const uchar *row; /* NULL: nothing */
    i64 pitch;
    int lines, line;
};

INLINE void ask_ahead(struct lines_ahead *a, i64 count) {
    if (!a->row) return;
#pragma nounroll
    for (; count > 0; count--) {
        PREFETCH_FAR(a->row + a->line * LINE_BYTES);
        if (++a->line < a->lines) continue;
        a->line = 0;
        a->row += a->pitch;
    }
}

#if STREAMS
typedef uchar stream_line __attribute__((ext_vector_type(64)));

/* n bytes past the caches. Lines that are not whole are stored as usual, with a part of the next or last one.
 */
OUTLINE void stream_bytes(uchar *to, const uchar *from, i64 n) {
    const i64 size = sizeof(stream_line);
    stream_line line;
    i64 k = (i64)(-(ulong)to % (ulong)size);
    if (n < size || (k > 0 && n < 2 * size)) {
        for (i64 i = 0; i < n; i++)
            to[i] = from[i];
        return;
    }
    if (k > 0) __builtin_memcpy(to, from, (size_t)size);
    for (; k + size <= n; k += size) {
        __builtin_memcpy(&line, from + k, (size_t)size);
        STREAM(line, 0, to + k);
    }
    if (k < n) __builtin_memcpy(to + n - size, from + n - size, (size_t)size);
}
#else
#define stream_bytes(to, from, n) /* nothing calls it: STREAMED is 0 */
#endif

INLINE int type_bytes(int type) {
    switch (type) {
    case TYPE_F64:
    case TYPE_S64: return 8;
    case TYPE_F32:
    case TYPE_S32: return 4;
    case TYPE_F16:
    case TYPE_BF16: return 2;
    default: return 1;
    }
}

#endif
