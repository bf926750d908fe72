/* SPDX-License-Identifier: Apache-2.0 */
#include "base/record.h"
#include "base/hash.h"

#include <string.h>

struct header {
    char magic[8];
    uint64_t key_size, data_size;
    uint64_t checksum; /* of sizes, key and data */
};
static const char magic[8] = "LODEREC";

static uint64_t checksum(const struct record *record) {
    uint64_t hash = hash_word(hash_word(1, record->key_size), record->data_size);
    hash = hash_bytes(hash, record->key, record->key_size);
    return hash_bytes(hash, record->data, record->data_size);
}

size_t record_size(const struct record *record) {
    return sizeof(struct header) + record->key_size + record->data_size;
}

void record_write(const struct record *record, uint8_t *bytes) {
    struct header header = {.key_size = record->key_size, .data_size = record->data_size};
    memcpy(header.magic, magic, sizeof magic);
    header.checksum = checksum(record);
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, record->key, record->key_size);
    memcpy(bytes + sizeof header + record->key_size, record->data, record->data_size);
}

size_t record_read(struct record *record, const uint8_t *bytes, size_t size) {
    struct header header;
    if (size < sizeof header) return 0;
    memcpy(&header, bytes, sizeof header);
    size -= sizeof header;
    if (memcmp(header.magic, magic, sizeof magic) != 0) return 0;
    if (header.key_size > size || header.data_size > size - header.key_size) return 0;
    struct record r = {.key = (const char *)bytes + sizeof header, .key_size = header.key_size};
    r.data = r.key + r.key_size;
    r.data_size = header.data_size;
    if (checksum(&r) != header.checksum) return 0;
    *record = r;
    return record_size(&r);
}
