/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A build tool that halves the size of SPIR-V. Nearly all of its words are small numbers, so each is written
 * as a variable number of bytes: seven bits per byte, lowest first, with the highest bit set in all bytes but
 * the last. kernel_spirv reads it. Usage: shrink <module> <output>
 */
#include <stdint.h>
#include <stdio.h>

static int copy(FILE *from, FILE *to) {
    unsigned char bytes[4];
    while (fread(bytes, sizeof bytes, 1, from) == 1) {
        uint32_t word = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24;
        for (; word >= 0x80; word >>= 7)
            putc((int)(word & 0x7f) | 0x80, to);
        putc((int)word, to);
    }
    return ferror(from) || ferror(to);
}

int main(int argc, char **argv) {
    FILE *from = argc == 3 ? fopen(argv[1], "rb") : NULL, *to = from ? fopen(argv[2], "wb") : NULL;
    int failed = !to || copy(from, to);
    if (to && fclose(to)) failed = 1;
    if (failed) fprintf(stderr, "cannot shrink %s\n", argc > 1 ? argv[1] : "nothing");
    return failed;
}
