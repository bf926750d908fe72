/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of tiles whose elements are moved without being changed: see reorder.cl. Included once per size of an
 * element, which is a WORD; NAME(x) appends the size to a name. TURN transposes SIDE x SIDE elements, and
 * TURN_SQUARE, if it is there, SQUARE x SQUARE: a line of the cache, and TURN_LINE SIDE rows of a line of the
 * cache. RUN_LOAD and RUN_STORE move RUN_LENGTH of them, in a RUN_VECTOR; a QUAD has four.
 */

/* Two or four rows that lie in turn in src, or are to lie in turn in dst: RUN_LENGTH elements of each at
 * once. Return the number of elements of each row that are done. */
INLINE i64 NAME(part_rows)(global const WORD *src, global WORD *dst, i64 dst_y, const int rows, i64 n) {
    i64 x = 0;
    for (; x + RUN_LENGTH <= n; x += RUN_LENGTH) {
        RUN_VECTOR v[4], even[2], odd[2];
#pragma unroll
        for (int i = 0; i < rows; i++)
            v[i] = RUN_LOAD(0, src + x * rows + i * RUN_LENGTH);
#pragma unroll
        for (int i = 0; i < rows / 2; i++) {
            even[i].lo = v[2 * i].even, even[i].hi = v[2 * i + 1].even;
            odd[i].lo = v[2 * i].odd, odd[i].hi = v[2 * i + 1].odd;
        }
        if (rows == 2) {
            v[0] = even[0], v[1] = odd[0];
        } else {
            v[0].lo = even[0].even, v[0].hi = even[1].even, v[2].lo = even[0].odd, v[2].hi = even[1].odd;
            v[1].lo = odd[0].even, v[1].hi = odd[1].even, v[3].lo = odd[0].odd, v[3].hi = odd[1].odd;
        }
#pragma unroll
        for (int i = 0; i < rows; i++)
            RUN_STORE(v[i], 0, dst + i * dst_y + x);
    }
    return x;
}

INLINE i64 NAME(join_rows)(global const WORD *src, i64 src_x, global WORD *dst, const int rows, i64 n) {
    i64 y = 0;
    for (; y + RUN_LENGTH <= n; y += RUN_LENGTH) {
        RUN_VECTOR v[4], low[2], high[2];
#pragma unroll
        for (int i = 0; i < rows; i++)
            v[i] = RUN_LOAD(0, src + i * src_x + y);
        if (rows == 2) {
            low[0] = v[0], high[0] = v[1];
        } else {
            low[0].even = v[0].lo, low[0].odd = v[2].lo, low[1].even = v[0].hi, low[1].odd = v[2].hi;
            high[0].even = v[1].lo, high[0].odd = v[3].lo, high[1].even = v[1].hi, high[1].odd = v[3].hi;
        }
#pragma unroll
        for (int i = 0; i < rows / 2; i++) {
            v[2 * i].even = low[i].lo, v[2 * i].odd = high[i].lo;
            v[2 * i + 1].even = low[i].hi, v[2 * i + 1].odd = high[i].hi;
        }
#pragma unroll
        for (int i = 0; i < rows; i++)
            RUN_STORE(v[i], 0, dst + y * rows + i * RUN_LENGTH);
    }
    return y;
}

/* Pixels of three elements, one after the other in dst. Four are stored for each: the one behind it is the
 * next pixel's, which is stored after it. Returns the number of pixels that are done. */
INLINE i64 NAME(join_three)(global const WORD *src, i64 src_x, global WORD *dst, i64 n) {
    i64 y = 0;
    for (; y + 4 < n; y += 4) {
        const QUAD a = vload4(0, src + y), b = vload4(0, src + src_x + y), c = vload4(0, src + 2 * src_x + y);
        QUAD pixels[4];
        pixels[0].x = a.x, pixels[0].y = b.x, pixels[0].z = c.x, pixels[0].w = c.x;
        pixels[1].x = a.y, pixels[1].y = b.y, pixels[1].z = c.y, pixels[1].w = c.y;
        pixels[2].x = a.z, pixels[2].y = b.z, pixels[2].z = c.z, pixels[2].w = c.z;
        pixels[3].x = a.w, pixels[3].y = b.w, pixels[3].z = c.w, pixels[3].w = c.w;
#pragma unroll
        for (int i = 0; i < 4; i++)
            vstore4(pixels[i], 0, dst + 3 * (y + i));
    }
    return y;
}

/* What tiles are too large for: few rows or columns. */
INLINE void NAME(transpose_few)(const struct tile_part *t, global const WORD *src, i64 src_x,
                                global WORD *dst, i64 dst_y) {
    const i64 nx = t->x_valid - t->x0, ny = t->y_valid - t->y0;
    i64 x = 0, y = 0;
    src += t->x0 * src_x + t->y0;
    dst += t->y0 * dst_y + t->x0;
    if (ny == 2 && src_x == 2) x = NAME(part_rows)(src, dst, dst_y, 2, nx);
    if (ny == 4 && src_x == 4) x = NAME(part_rows)(src, dst, dst_y, 4, nx);
    if (nx == 2 && dst_y == 2) y = NAME(join_rows)(src, src_x, dst, 2, ny);
    if (nx == 3 && dst_y == 3) y = NAME(join_three)(src, src_x, dst, ny);
    if (nx == 4 && dst_y == 4) y = NAME(join_rows)(src, src_x, dst, 4, ny);
    if (nx < ny)
        for (; y < ny; y++)
            for (i64 k = 0; k < nx; k++)
                dst[y * dst_y + k] = src[k * src_x + y];
    else
        for (i64 k = y; k < ny; k++)
            for (i64 i = x; i < nx; i++)
                dst[k * dst_y + i] = src[i * src_x + k];
}

/* y is dense in src, x in dst. What is left at the end of a tile is moved with some that comes before it. */
INLINE void NAME(transpose_part)(const struct tile_part *t, global const WORD *src, i64 src_x,
                                 global WORD *dst, i64 dst_y) {
    const i64 x_last = t->x_valid - SIDE, y_last = t->y_valid - SIDE;
    if (x_last < t->x0 || y_last < t->y0) {
        NAME(transpose_few)(t, src, src_x, dst, dst_y);
        return;
    }
#ifdef TURN_SQUARE
    if ((t->x_valid - t->x0) % SQUARE == 0 && (t->y_valid - t->y0) % SQUARE == 0) {
        for (i64 y = t->y0; y < t->y_valid; y += SQUARE)
            for (i64 x = t->x0; x < t->x_valid; x += SQUARE)
                TURN_SQUARE(src + x * src_x + y, src_x, dst + y * dst_y + x, dst_y);
        return;
    }
#endif
    for (i64 y = t->y0; y < t->y_valid; y += SIDE)
        for (i64 x = t->x0; x < t->x_valid; x += SIDE) {
            const i64 at_x = x < x_last ? x : x_last, at_y = y < y_last ? y : y_last;
            TURN(src + at_x * src_x + at_y, src_x, dst + at_y * dst_y + at_x, dst_y)
        }
}

#if STREAMS
/* A line of the cache of each row of src at once, two of bytes, turned in memory of our own. */
INLINE void NAME(turn_piece)(const struct tile_part *t, global const WORD *src, i64 src_x, global WORD *dst,
                             i64 dst_y, struct lines_ahead *ahead) {
    enum { LINE = LINE_BYTES / sizeof(WORD), MOST = TURNED_BYTES / sizeof(WORD) };
    enum { ROWS = sizeof(WORD) == 1 ? 2 * LINE : LINE };
    const i64 nx = t->x_valid - t->x0, x_last = t->x_valid - SIDE;
    LINE_ALIGNED WORD turned[ROWS * MOST];
    for (i64 y = t->y0; y < t->y_valid; y += ROWS) {
        const i64 rows = t->y_valid - y < ROWS ? t->y_valid - y : ROWS, y_last = y + rows - SIDE;
        for (i64 x = t->x0; x < t->x_valid; x += SIDE) {
            i64 row = y;
            ask_ahead(ahead, (rows + LINE - 1) / LINE * SIDE);
#ifdef TURN_LINE
            for (; x <= x_last && row + LINE <= y + rows; row += LINE)
                TURN_LINE(src + x * src_x + row, src_x, turned + (row - y) * nx + x - t->x0, nx);
#endif
            for (; row < y + rows; row += SIDE) {
                const i64 at_x = x < x_last ? x : x_last, at_y = row < y_last ? row : y_last;
                TURN(src + at_x * src_x + at_y, src_x, turned + (at_y - y) * nx + at_x - t->x0, nx)
            }
        }
        const i64 runs = dst_y == nx ? 1 : rows, run = nx * rows / runs * (i64)sizeof(WORD);
        const i64 pitch = dst_y * (i64)sizeof(WORD);
        uchar *to = (uchar *)(dst + y * dst_y + t->x0);
        if (((ulong)to | (ulong)pitch | (ulong)run) % LINE_BYTES == 0) {
            stream_lines(to, pitch, (const uchar *)turned, run, runs);
            continue;
        }
        for (i64 i = 0; i < runs; i++)
            stream_bytes(to + i * pitch, (const uchar *)(turned + i * nx), run);
    }
}

/* The same past the caches, in pieces: while one is turned, the next is asked for. `next` is what follows the
 * part in src, or NULL. Rows without a gap between them are one piece, and what is behind them the next, in
 * the order of the memory, which is the fastest to read. */
INLINE void NAME(transpose_past)(const struct tile_part *t, global const WORD *src, i64 src_x,
                                 global WORD *dst, i64 dst_y, global const WORD *next) {
    const i64 line = LINE_BYTES / (i64)sizeof(WORD), whole = src_x == t->y_valid - t->y0;
    const i64 most = whole ? src_x : PIECE_LINES * line;
    struct tile_part piece = *t;
    if (whole) next = src + t->x_valid * src_x + t->y0;
    for (; piece.y0 < t->y_valid; piece.y0 = piece.y_valid) {
        const i64 left = t->y_valid - piece.y0, size = left < most ? left : most;
        global const WORD *after = left > size ? src + t->x0 * src_x + piece.y0 + size : next;
        struct lines_ahead ahead = {(global const uchar *)after, src_x * (i64)sizeof(WORD),
                                    (int)((size + line - 1) / line), 0};
        piece.y_valid = piece.y0 + size;
        NAME(turn_piece)(&piece, src, src_x, dst, dst_y, &ahead);
    }
}

/* Few rows or columns past the caches: rows of dst that follow each other, turned in memory of our own. */
INLINE void NAME(transpose_few_past)(const struct tile_part *t, global const WORD *src, i64 src_x,
                                     global WORD *dst, i64 nx) {
    enum { LINE = LINE_BYTES / sizeof(WORD), MOST = FEW_BYTES / sizeof(WORD) };
    LINE_ALIGNED WORD turned[MOST];
    const i64 ny = t->y_valid - t->y0, step = ny * nx <= MOST ? ny : MOST / nx / LINE * LINE;
    struct tile_part piece = {.x_valid = nx};
    src += t->x0 * src_x + t->y0;
    dst += t->y0 * nx + t->x0;
    for (i64 y = 0; y < ny; y += step) {
        piece.y_valid = ny - y < step ? ny - y : step;
        NAME(transpose_part)(&piece, src + y, src_x, turned, nx);
        stream_bytes((uchar *)(dst + y * nx), (const uchar *)turned, piece.y_valid * nx * (i64)sizeof(WORD));
    }
}

/* Does transpose_few_past take the part? Bytes must be more: lines that were just stored as short vectors are
 * slow to load. */
INLINE int NAME(turns_few_past)(const struct tile_part *t, i64 dst_y) {
    enum { MOST = FEW_BYTES / sizeof(WORD), LEAST = sizeof(WORD) == 1 ? 1024 : 256 };
    const i64 nx = t->x_valid - t->x0, ny = t->y_valid - t->y0;
    return dst_y == nx && nx * ny * (i64)sizeof(WORD) >= LEAST
           && (nx * ny <= MOST || nx * (LINE_BYTES / (i64)sizeof(WORD)) <= MOST);
}

/* The part after t, of the next work-item. */
INLINE global const WORD *NAME(next_part)(constant struct reorder_tiles_params *p, const struct tile_part *t,
                                          global const WORD *src) {
    if (t->x1 < p->x.size) return src + t->x1 * p->x.src_stride + t->y0;
    return t->y1 < p->y.size ? src + t->y1 : NULL;
}

/* Does transpose_past take the part: whole tiles of SIDE, room for them, and whole lines in dst, or many of
 * them in a page? */
INLINE int NAME(turns_past)(const struct tile_part *t, i64 dst_y) {
    enum { MOST = TURNED_BYTES / sizeof(WORD), LINE = 64, PAGE = 4096 };
    const i64 nx = t->x_valid - t->x0, ny = t->y_valid - t->y0, bytes = (i64)sizeof(WORD);
    if (nx < SIDE || nx > MOST || ny < SIDE || ny % SIDE != 0) return 0;
    return dst_y == nx || (nx * bytes >= LINE && (dst_y * bytes % LINE == 0 || dst_y * bytes <= PAGE));
}
#endif

/* A short run, without the call that compilers make of a plain loop. */
INLINE void NAME(copy_run)(global const WORD *from, global WORD *to, i64 x, i64 end) {
    enum { LONG = 128 };
    if (end - x < LONG) {
#pragma nounroll
        for (; x + 4 * RUN_LENGTH <= end; x += 4 * RUN_LENGTH)
            _Pragma("unroll") for (int i = 0; i < 4; i++) RUN_STORE(RUN_LOAD(i, from + x), i, to + x);
#pragma nounroll
        for (; x + RUN_LENGTH <= end; x += RUN_LENGTH)
            RUN_STORE(RUN_LOAD(0, from + x), 0, to + x);
#if RUN_LENGTH > 8
#pragma nounroll
        for (; x + 8 <= end; x += 8)
            vstore8(vload8(0, from + x), 0, to + x);
#endif
#pragma nounroll
        for (; x + 4 <= end; x += 4)
            vstore4(vload4(0, from + x), 0, to + x);
    }
    for (; x < end; x++)
        to[x] = from[x];
}

/* x is dense in both, or nothing is dense in src. */
INLINE void NAME(copy_part)(const struct tile_part *t, global const WORD *src, i64 src_x, i64 src_y,
                            global WORD *dst, i64 dst_y, int streams) {
    if (src_x == 1 && t->x_valid - t->x0 == RUN_LENGTH) {
        for (i64 y = t->y0; y < t->y_valid; y++)
            RUN_STORE(RUN_LOAD(0, src + y * src_y + t->x0), 0, dst + y * dst_y + t->x0);
        return;
    }
#if STREAMS
    if (streams && src_x == 1 && (t->x_valid - t->x0) * (i64)sizeof(WORD) >= 256) {
        for (i64 y = t->y0; y < t->y_valid; y++)
            stream_bytes((uchar *)(dst + y * dst_y + t->x0), (const uchar *)(src + y * src_y + t->x0),
                         (t->x_valid - t->x0) * (i64)sizeof(WORD));
        return;
    }
#endif
    for (i64 y = t->y0; y < t->y_valid; y++) {
        global const WORD *from = src + y * src_y;
        global WORD *to = dst + y * dst_y;
        if (src_x == 1)
            NAME(copy_run)(from, to, t->x0, t->x_valid);
        else
            for (i64 x = t->x0; x < t->x_valid; x++)
                to[x] = from[x * src_x];
    }
}

INLINE void NAME(zero_padding)(const struct tile_part *t, global WORD *dst, i64 dst_y) {
#pragma nounroll
    for (i64 y = t->y0; y < t->y1; y++)
#pragma nounroll
        for (i64 x = y < t->y_valid ? t->x_valid : t->x0; x < t->x1; x++)
            dst[y * dst_y + x] = 0;
}

INLINE void NAME(reorder_part)(constant struct reorder_tiles_params *p, const struct tile_part *t,
                               global const WORD *src, global WORD *dst) {
    src += t->src;
    dst += t->dst;
#if STREAMS
    if (p->streams && p->transpose && NAME(turns_past)(t, p->y.dst_stride))
        NAME(transpose_past)(t, src, p->x.src_stride, dst, p->y.dst_stride, NAME(next_part)(p, t, src));
    else if (p->streams && p->transpose && NAME(turns_few_past)(t, p->y.dst_stride))
        NAME(transpose_few_past)(t, src, p->x.src_stride, dst, p->y.dst_stride);
    else
#endif
            if (p->transpose)
        NAME(transpose_part)(t, src, p->x.src_stride, dst, p->y.dst_stride);
    else
        NAME(copy_part)(t, src, p->x.src_stride, p->y.src_stride, dst, p->y.dst_stride, p->streams);
    if (t->x_valid < t->x1 || t->y_valid < t->y1) NAME(zero_padding)(t, dst, p->y.dst_stride);
}

#undef WORD
#undef NAME
#undef SIDE
#undef TURN
#undef TURN_SQUARE
#undef SQUARE
#undef TURN_LINE
#undef RUN_LOAD
#undef RUN_STORE
#undef RUN_LENGTH
#undef RUN_VECTOR
#undef QUAD
