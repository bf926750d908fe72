/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks of elf_check.h, in the order in which the dynamic linker reads the image.
 */
#include "driver/elf_check.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#define NATIVE_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define NATIVE_MACHINE EM_AARCH64
#endif

enum { MAX_HEADERS = 64, MAX_DYNAMIC = 256 };

struct image {
    const unsigned char *bytes;
    size_t size;
    const Elf64_Phdr *headers;
    size_t nheaders;
    const Elf64_Dyn *entries; /* of the dynamic section */
    size_t nentries;
    uint64_t dynamic[DT_NUM]; /* values of the tags used here */
    bool has[DT_NUM];
    uint64_t gnu_hash, versions, needed_versions; /* addresses, or 0 */
    uint64_t nrelative;                           /* leading relocations that must be relative */
};

static bool inside(const struct image *image, uint64_t offset, uint64_t length) {
    return offset <= image->size && length <= image->size - offset;
}

/* If [address, address + length) is in the file contents of one loaded segment: where, else NULL. */
static const void *loaded(const struct image *image, uint64_t address, uint64_t length) {
    for (size_t i = 0; i < image->nheaders; i++) {
        const Elf64_Phdr *header = &image->headers[i];
        if (header->p_type != PT_LOAD || address < header->p_vaddr) continue;
        uint64_t start = address - header->p_vaddr;
        if (start <= header->p_filesz && length <= header->p_filesz - start)
            return image->bytes + header->p_offset + start;
    }
    return NULL;
}

/* Is the range inside a writable segment? */
static bool writable(const struct image *image, uint64_t address, uint64_t length) {
    for (size_t i = 0; i < image->nheaders; i++) {
        const Elf64_Phdr *header = &image->headers[i];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_W) || address < header->p_vaddr) continue;
        uint64_t start = address - header->p_vaddr;
        if (start <= header->p_memsz && length <= header->p_memsz - start) return true;
    }
    return false;
}

static const char *check_header(struct image *image) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)image->bytes;
    if (image->size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG)) return "not an ELF image";
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
        return "not a 64-bit little-endian ELF image";
    if (header->e_machine != NATIVE_MACHINE) return "an ELF image for another CPU architecture";
    if (header->e_type != ET_DYN) return "an ELF image that is not a shared object";
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum == 0 || header->e_phnum > MAX_HEADERS)
        return "an ELF image with invalid program headers";
    if (header->e_phoff % 8 || !inside(image, header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr)))
        return "a truncated ELF image: its program headers are missing";
    if (header->e_shnum && !inside(image, header->e_shoff, (uint64_t)header->e_shnum * header->e_shentsize))
        return "a truncated ELF image: its section headers are missing";
    image->headers = (const Elf64_Phdr *)(image->bytes + header->e_phoff);
    image->nheaders = header->e_phnum;
    return NULL;
}

static const char *check_segments(const struct image *image) {
    const uint64_t most = UINT64_C(1) << 40;
    uint64_t end = 0;
    for (size_t i = 0; i < image->nheaders; i++) {
        const Elf64_Phdr *header = &image->headers[i];
        if (header->p_type == PT_INTERP) return "an ELF image that is a program";
        if (header->p_type == PT_GNU_STACK || header->p_type == PT_NULL) continue;
        if (!inside(image, header->p_offset, header->p_filesz))
            return "a truncated ELF image: a segment is missing";
        if (header->p_vaddr > most || header->p_memsz > most || header->p_filesz > header->p_memsz)
            return "an ELF image with a segment of impossible size";
        if (header->p_align & (header->p_align - 1) || header->p_align > (1 << 21))
            return "an ELF image with a segment of impossible alignment";
        if (header->p_type != PT_LOAD) continue;
        if (!(header->p_flags & PF_R)) return "an ELF image with an unreadable segment";
        if (header->p_align < 4096 || header->p_vaddr % header->p_align != header->p_offset % header->p_align
            || header->p_vaddr < end)
            return "an ELF image whose segments overlap or are out of order";
        end = header->p_vaddr + header->p_memsz;
    }
    return end ? NULL : "an ELF image without loaded segments";
}

/* Other segments that the dynamic linker reads must be inside loaded ones. */
static const char *check_inner_segments(const struct image *image) {
    for (size_t i = 0; i < image->nheaders; i++) {
        const Elf64_Phdr *header = &image->headers[i];
        bool read = header->p_type == PT_DYNAMIC || header->p_type == PT_TLS || header->p_type == PT_NOTE
                    || header->p_type == PT_GNU_PROPERTY;
        if (read && header->p_filesz
            && loaded(image, header->p_vaddr, header->p_filesz) != image->bytes + header->p_offset)
            return "an ELF image with a segment outside the loaded ones";
        if (header->p_type == PT_PHDR
            && loaded(image, header->p_vaddr, image->nheaders * sizeof *header) != image->headers)
            return "an ELF image whose program header segment does not match its header";
    }
    return NULL;
}

/* Is the section inside a loaded segment, at the right address and with the permissions it needs? */
static bool section_fits(const struct image *image, const Elf64_Shdr *section) {
    uint32_t rights =
            (section->sh_flags & SHF_WRITE ? PF_W : 0) | (section->sh_flags & SHF_EXECINSTR ? PF_X : 0);
    bool in_file = section->sh_type != SHT_NOBITS;
    for (size_t i = 0; i < image->nheaders; i++) {
        const Elf64_Phdr *header = &image->headers[i];
        if (header->p_type != PT_LOAD || (header->p_flags & rights) != rights
            || section->sh_addr < header->p_vaddr)
            continue;
        uint64_t start = section->sh_addr - header->p_vaddr,
                 end = in_file ? header->p_filesz : header->p_memsz;
        if (start <= end && section->sh_size <= end - start
            && (!in_file || section->sh_offset == header->p_offset + start))
            return true;
    }
    return false;
}

/* Sections repeat for linkers and debuggers what segments tell the dynamic linker. The two must agree. */
static const char *check_sections(const struct image *image) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)image->bytes;
    if (header->e_shnum && (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8))
        return "an ELF image with invalid section headers";
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(image->bytes + header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; i++) {
        bool thread_local_zeros = sections[i].sh_type == SHT_NOBITS && sections[i].sh_flags & SHF_TLS;
        if (sections[i].sh_flags & SHF_ALLOC && !thread_local_zeros && !section_fits(image, &sections[i]))
            return "an ELF image whose sections and segments contradict each other";
    }
    return NULL;
}

static const char *read_dynamic(struct image *image) {
    const Elf64_Phdr *header = NULL;
    for (size_t i = 0; i < image->nheaders; i++)
        if (image->headers[i].p_type == PT_DYNAMIC) header = &image->headers[i];
    if (!header) return "an ELF image without a dynamic section";
    const Elf64_Dyn *entry = (const Elf64_Dyn *)(image->bytes + header->p_offset);
    size_t count = header->p_filesz / sizeof *entry;
    if (header->p_offset % 8 || count > MAX_DYNAMIC) return "an ELF image with an invalid dynamic section";
    image->entries = entry;
    for (size_t i = 0; i < count && entry[i].d_tag != DT_NULL; i++) {
        uint64_t tag = (uint64_t)entry[i].d_tag, value = entry[i].d_un.d_val;
        if (tag < DT_NUM) {
            image->dynamic[tag] = value;
            image->has[tag] = true;
        }
        switch (tag) {
        case DT_GNU_HASH: image->gnu_hash = value; break;
        case DT_RELACOUNT: image->nrelative = value; break;
        case DT_VERSYM: image->versions = value; break;
        case DT_VERNEED: image->needed_versions = value; break;
        case DT_VERDEF:
        case DT_AUXILIARY:
        case DT_FILTER: return "an ELF image that defines symbol versions";
        default: break;
        }
        if (i + 1 == count) return "an ELF image whose dynamic section is not terminated";
        image->nentries++;
    }
    return NULL;
}

/* Every table needs its size and entry size. */
static const char *check_dynamic(const struct image *image) {
    const bool *has = image->has;
    const uint64_t *dynamic = image->dynamic;
    if (!has[DT_SYMTAB] || !has[DT_STRTAB] || !has[DT_STRSZ]) return "an ELF image without symbols";
    bool relocated = has[DT_RELA], plt = has[DT_JMPREL];
    if (!has[DT_SYMENT] || dynamic[DT_SYMENT] != sizeof(Elf64_Sym)
        || (relocated && (!has[DT_RELASZ] || !has[DT_RELAENT] || dynamic[DT_RELAENT] != sizeof(Elf64_Rela)))
        || plt != has[DT_PLTREL] || plt != has[DT_PLTRELSZ] || (plt && dynamic[DT_PLTREL] != DT_RELA)
        || !image->versions != !image->needed_versions)
        return "an ELF image with an incomplete dynamic section";
    return NULL;
}

/* Gets the symbol count from the hash table: hashed symbols and the unhashed ones before them. */
static const char *check_hash(const struct image *image, uint64_t *nsymbols) {
    const char *const broken = "an ELF image with a broken hash table";
    const uint32_t *head = loaded(image, image->gnu_hash, 16);
    if (!image->gnu_hash || !head || image->gnu_hash % 8) return broken;
    uint64_t nbuckets = head[0], first = head[1], nmasks = head[2];
    if (!nbuckets || !nmasks || nmasks & (nmasks - 1) || head[3] > 63) return broken;
    uint64_t chain = 16 + 8 * nmasks + 4 * nbuckets;
    const unsigned char *table = loaded(image, image->gnu_hash, chain);
    if (!table) return broken;
    const uint32_t *buckets = (const uint32_t *)(table + 16 + 8 * nmasks);
    *nsymbols = first;
    for (uint64_t i = 0; i < nbuckets; i++) {
        if (!buckets[i]) continue;
        if (buckets[i] < first) return broken;
        const uint32_t *link;
        uint64_t symbol = buckets[i];
        do {
            link = loaded(image, image->gnu_hash + chain + 4 * (symbol - first), 4);
            if (!link) return broken;
            symbol++;
        } while (!(*link & 1));
        if (symbol > *nsymbols) *nsymbols = symbol;
    }
    return NULL;
}

static const char *check_symbols(const struct image *image, uint64_t nsymbols) {
    uint64_t length = image->dynamic[DT_STRSZ];
    const char *text = loaded(image, image->dynamic[DT_STRTAB], length);
    if (!text || length == 0 || text[length - 1]) return "an ELF image with a broken string table";
    const Elf64_Sym *symbols = loaded(image, image->dynamic[DT_SYMTAB], nsymbols * sizeof *symbols);
    if (!symbols || image->dynamic[DT_SYMTAB] % 8) return "an ELF image with a broken symbol table";
    for (uint64_t i = 0; i < nsymbols; i++) {
        if (symbols[i].st_name >= length) return "an ELF image with a broken symbol";
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_GNU_IFUNC) return "an ELF image with indirect functions";
    }
    return NULL;
}

static bool relocation_size(uint32_t type, uint64_t *size, bool *relative) {
    *size = 8;
    *relative = false;
#if defined(__x86_64__)
    switch (type) {
    case R_X86_64_NONE: *size = 0; return true;
    case R_X86_64_RELATIVE: *relative = true; return true;
    case R_X86_64_64:
    case R_X86_64_GLOB_DAT:
    case R_X86_64_JUMP_SLOT:
    case R_X86_64_DTPMOD64:
    case R_X86_64_DTPOFF64:
    case R_X86_64_TPOFF64: return true;
    case R_X86_64_TLSDESC: *size = 16; return true;
    default: return false;
    }
#else
    switch (type) {
    case R_AARCH64_NONE: *size = 0; return true;
    case R_AARCH64_RELATIVE: *relative = true; return true;
    case R_AARCH64_ABS64:
    case R_AARCH64_GLOB_DAT:
    case R_AARCH64_JUMP_SLOT:
    case R_AARCH64_TLS_DTPMOD:
    case R_AARCH64_TLS_DTPREL:
    case R_AARCH64_TLS_TPREL: return true;
    case R_AARCH64_TLSDESC: *size = 16; return true;
    default: return false;
    }
#endif
}

static const char *check_relocations(const struct image *image, uint64_t table, uint64_t length,
                                     uint64_t nrelative, uint64_t nsymbols) {
    const Elf64_Rela *relocation = loaded(image, table, length);
    if (!relocation || table % 8 || length % sizeof *relocation)
        return "an ELF image with broken relocations";
    for (uint64_t i = 0; i < length / sizeof *relocation; i++) {
        uint64_t size;
        bool relative;
        if (!relocation_size(ELF64_R_TYPE(relocation[i].r_info), &size, &relative))
            return "an ELF image with relocations of an unknown kind";
        if (i < nrelative && !relative) return "an ELF image with fewer relative relocations than it says";
        if (ELF64_R_SYM(relocation[i].r_info) >= nsymbols)
            return "an ELF image with a relocation against no symbol";
        if (size && !writable(image, relocation[i].r_offset, size))
            return "an ELF image with a relocation outside writable memory";
    }
    return NULL;
}

static const char *check_all_relocations(const struct image *image, uint64_t nsymbols) {
    if (image->has[DT_REL] || image->has[DT_TEXTREL] || image->has[DT_RELR]
        || image->dynamic[DT_FLAGS] & DF_TEXTREL)
        return "an ELF image with relocations of an unknown kind";
    const char *why = NULL;
    if (image->has[DT_RELA])
        why = check_relocations(image, image->dynamic[DT_RELA], image->dynamic[DT_RELASZ], image->nrelative,
                                nsymbols);
    if (!why && image->has[DT_JMPREL])
        why = check_relocations(image, image->dynamic[DT_JMPREL], image->dynamic[DT_PLTRELSZ], 0, nsymbols);
    return why;
}

/* Names of needed libraries, and its own. */
static const char *check_names(const struct image *image) {
    for (size_t i = 0; i < image->nentries; i++) {
        int64_t tag = image->entries[i].d_tag;
        bool is_name = tag == DT_NEEDED || tag == DT_SONAME || tag == DT_RPATH || tag == DT_RUNPATH;
        if (is_name && image->entries[i].d_un.d_val >= image->dynamic[DT_STRSZ])
            return "an ELF image with a broken library name";
    }
    return NULL;
}

/* -- versions of symbols imported from libraries -- */

static bool is_needed_library(const struct image *image, uint64_t name) {
    const char *text = loaded(image, image->dynamic[DT_STRTAB], image->dynamic[DT_STRSZ]);
    for (size_t i = 0; i < image->nentries; i++)
        if (image->entries[i].d_tag == DT_NEEDED && !strcmp(text + image->entries[i].d_un.d_val, text + name))
            return true;
    return false;
}

/* Checks the versions of one library and updates the highest version number. */
static bool check_library_versions(const struct image *image, uint64_t address, uint16_t *highest) {
    for (uint32_t left = UINT16_MAX; left > 0; left--) {
        const Elf64_Vernaux *version = address % 4 ? NULL : loaded(image, address, sizeof *version);
        if (!version || version->vna_name >= image->dynamic[DT_STRSZ]) return false;
        uint16_t number = version->vna_other & 0x7fff;
        if (number > *highest) *highest = number;
        if (!version->vna_next) return true;
        address += version->vna_next;
    }
    return false;
}

static bool check_needed_versions(const struct image *image, uint16_t *highest) {
    uint64_t address = image->needed_versions;
    for (uint32_t left = MAX_DYNAMIC; left > 0; left--) {
        const Elf64_Verneed *library = address % 4 ? NULL : loaded(image, address, sizeof *library);
        if (!library || library->vn_version != 1 || library->vn_file >= image->dynamic[DT_STRSZ]
            || !is_needed_library(image, library->vn_file)
            || !check_library_versions(image, address + library->vn_aux, highest))
            return false;
        if (!library->vn_next) return true;
        address += library->vn_next;
    }
    return false;
}

/* Every symbol's version must be one of them. */
static const char *check_versions(const struct image *image, uint64_t nsymbols) {
    const char *const broken = "an ELF image with broken symbol versions";
    if (!image->versions) return NULL;
    uint16_t highest = 1;
    const uint16_t *versions = loaded(image, image->versions, nsymbols * sizeof *versions);
    if (!versions || image->versions % 2 || !check_needed_versions(image, &highest)) return broken;
    for (uint64_t i = 0; i < nsymbols; i++)
        if ((versions[i] & 0x7fff) > highest) return broken;
    return NULL;
}

const char *elf_check(const unsigned char *bytes, size_t size) {
    if ((uintptr_t)bytes % 8) return "a misaligned image";
    struct image image = {.bytes = bytes, .size = size};
    uint64_t nsymbols = 0;
    const char *why = check_header(&image);
    if (!why) why = check_segments(&image);
    if (!why) why = check_inner_segments(&image);
    if (!why) why = check_sections(&image);
    if (!why) why = read_dynamic(&image);
    if (!why) why = check_dynamic(&image);
    if (!why) why = check_hash(&image, &nsymbols);
    if (!why) why = check_symbols(&image, nsymbols);
    if (!why) why = check_all_relocations(&image, nsymbols);
    if (!why) why = check_names(&image);
    if (!why) why = check_versions(&image, nsymbols);
    return why;
}

static bool runs_code(int64_t tag) {
    return tag == DT_INIT || tag == DT_FINI || tag == DT_INIT_ARRAY || tag == DT_INIT_ARRAYSZ
           || tag == DT_FINI_ARRAY || tag == DT_FINI_ARRAYSZ || tag == DT_PREINIT_ARRAY
           || tag == DT_PREINIT_ARRAYSZ;
}

void elf_disarm(unsigned char *bytes) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
    Elf64_Phdr *headers = (Elf64_Phdr *)(bytes + header->e_phoff);
    for (size_t i = 0; i < header->e_phnum; i++) {
        if (headers[i].p_type == PT_GNU_RELRO) headers[i].p_type = PT_NULL;
        if (headers[i].p_type != PT_DYNAMIC) continue;
        Elf64_Dyn *entry = (Elf64_Dyn *)(bytes + headers[i].p_offset);
        for (; entry->d_tag != DT_NULL; entry++)
            if (runs_code(entry->d_tag)) entry->d_tag = DT_DEBUG; /* ignored in shared objects */
    }
}
