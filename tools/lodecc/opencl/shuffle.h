/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shuffles. Included only if the source mentions them, since there are many.
 */

#define LODE_SHUFFLE_NM(T, U, m, n)                                                                          \
    LODE T##n shuffle(T##m a, U##n mask) {                                                                   \
        T##n r;                                                                                              \
        for (int i = 0; i < n; i++)                                                                          \
            r[i] = a[mask[i] % m];                                                                           \
        return r;                                                                                            \
    }                                                                                                        \
    LODE T##n shuffle2(T##m a, T##m b, U##n mask) {                                                          \
        T##n r;                                                                                              \
        for (int i = 0; i < n; i++) {                                                                        \
            uint j = (uint)mask[i] % (2 * m);                                                                \
            r[i] = j < m ? a[j] : b[j - m];                                                                  \
        }                                                                                                    \
        return r;                                                                                            \
    }
#define LODE_SHUFFLE_M(T, U, m)                                                                              \
    LODE_SHUFFLE_NM(T, U, m, 2)                                                                              \
    LODE_SHUFFLE_NM(T, U, m, 4) LODE_SHUFFLE_NM(T, U, m, 8) LODE_SHUFFLE_NM(T, U, m, 16)
#define LODE_SHUFFLE(T, U)                                                                                   \
    LODE_SHUFFLE_M(T, U, 2) LODE_SHUFFLE_M(T, U, 4) LODE_SHUFFLE_M(T, U, 8) LODE_SHUFFLE_M(T, U, 16)
LODE_SHUFFLE(char, uchar)
LODE_SHUFFLE(uchar, uchar)
LODE_SHUFFLE(short, ushort)
LODE_SHUFFLE(ushort, ushort)
LODE_SHUFFLE(int, uint)
LODE_SHUFFLE(uint, uint)
LODE_SHUFFLE(long, ulong)
LODE_SHUFFLE(ulong, ulong)
LODE_SHUFFLE(float, uint)
LODE_SHUFFLE(double, ulong)
