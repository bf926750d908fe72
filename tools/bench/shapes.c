/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dimensions of every tensor of a request, from the last field of its line: either lists of numbers,
 * "16x32:32x8", or numbers with keys, "mb1_ic64oc64_ih56oh56kh3sh1dh0ph1".
 */
#include "request.h"

#include "words.h"

#include <ctype.h>
#include <stdlib.h>

enum { MAX_NUMBERS = 48, MAX_LISTS = MAX_TENSORS };

/* Sets the dimensions of a tensor if the request has it. */
static void set_dims(struct request *request, const char *name, int ndims, const dnnl_dim_t *dims) {
    struct tensor *tensor = request_tensor(request, name);
    if (!tensor || ndims > DNNL_MAX_NDIMS) return;
    tensor->ndims = ndims;
    memcpy(tensor->dims, dims, (size_t)ndims * sizeof(*dims));
}

/* Numbers with keys. */

struct numbers {
    int count;
    struct {
        char key[12];
        double value;
    } entries[MAX_NUMBERS];
};

/* Stops at the name that users may give a problem, which follows as n"…". */
static void parse_numbers(const char *text, struct numbers *numbers) {
    while (*text && numbers->count < MAX_NUMBERS) {
        if (!isalpha((unsigned char)*text)) {
            text++;
            continue;
        }
        if (text[0] == 'n' && text[1] == '"') return;
        size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz");
        char *end;
        double value = strtod(text + length, &end);
        snprintf(numbers->entries[numbers->count].key, sizeof(numbers->entries[0].key), "%.*s", (int)length,
                 text);
        numbers->entries[numbers->count++].value = value;
        text = end > text + length ? end : text + length;
    }
}

static const double *find_number(const struct numbers *numbers, const char *key) {
    for (int i = 0; i < numbers->count; i++)
        if (!strcmp(numbers->entries[i].key, key)) return &numbers->entries[i].value;
    return NULL;
}

static dnnl_dim_t number(const struct numbers *numbers, const char *key, dnnl_dim_t otherwise) {
    const double *value = find_number(numbers, key);
    return value ? (dnnl_dim_t)*value : otherwise;
}

/* The number of a key and a spatial dimension: ('k', 'h'). */
static dnnl_dim_t spatial_number(const struct numbers *numbers, char key, char axis, dnnl_dim_t otherwise) {
    return number(numbers, (const char[]){key, axis, '\0'}, otherwise);
}

/* The padding behind the last window of one dimension. */
static dnnl_dim_t padding_behind(dnnl_dim_t in, dnnl_dim_t out, const struct request *request, int d) {
    dnnl_dim_t extent = (request->kernel[d] - 1) * (request->dilates[d] + 1) + 1;
    dnnl_dim_t padding = (out - 1) * request->strides[d] + extent - in - request->padding_l[d];
    return padding > 0 ? padding : 0;
}

struct box {
    dnnl_dims_t in, out;
};

/* Windows of all spatial dimensions, outermost first. */
static struct box parse_windows(struct request *request, const struct numbers *numbers) {
    struct box box = {0};
    bool swap = request->kind == dnnl_deconvolution; /* its windows slide over its result */
    for (const char *axis = "dhw"; *axis; axis++) {
        int d = request->spatial;
        dnnl_dim_t in = spatial_number(numbers, 'i', *axis, -1);
        if (in < 0) continue;
        box.in[d] = in;
        box.out[d] = spatial_number(numbers, 'o', *axis, 1);
        request->kernel[d] = spatial_number(numbers, 'k', *axis, 1);
        request->strides[d] = spatial_number(numbers, 's', *axis, 1);
        request->dilates[d] = spatial_number(numbers, 'd', *axis, 0);
        request->padding_l[d] = spatial_number(numbers, 'p', *axis, 0);
        request->padding_r[d] = swap ? padding_behind(box.out[d], in, request, d)
                                     : padding_behind(in, box.out[d], request, d);
        request->spatial++;
    }
    return box;
}

/* Sets {batch, channels, spatial…}. */
static void set_image(struct request *request, const char *name, dnnl_dim_t batch, dnnl_dim_t channels,
                      const dnnl_dim_t *spatial) {
    dnnl_dims_t dims = {batch, channels};
    memcpy(dims + 2, spatial, (size_t)request->spatial * sizeof(*spatial));
    set_dims(request, name, request->spatial + 2, dims);
}

static void shape_convolution(struct request *request, const struct numbers *numbers) {
    struct box box = parse_windows(request, numbers);
    dnnl_dim_t batch = number(numbers, "mb", 1), in = number(numbers, "ic", 1),
               out = number(numbers, "oc", 1);
    dnnl_dim_t groups = number(numbers, "g", 0);
    dnnl_dims_t weights = {groups, out / (groups ? groups : 1), in / (groups ? groups : 1)};
    memcpy(weights + 3, request->kernel, (size_t)request->spatial * sizeof(*weights));
    set_image(request, "src", batch, in, box.in);
    set_image(request, "dst", batch, out, box.out);
    set_dims(request, "wei", request->spatial + (groups ? 3 : 2), groups ? weights : weights + 1);
    set_dims(request, "bia", 1, &out);
}

static void shape_inner_product(struct request *request, const struct numbers *numbers) {
    struct box box = parse_windows(request, numbers);
    dnnl_dim_t batch = number(numbers, "mb", 1), in = number(numbers, "ic", 1),
               out = number(numbers, "oc", 1);
    set_image(request, "src", batch, in, box.in);
    set_image(request, "wei", out, in, box.in);
    set_dims(request, "bia", 1, &out);
    set_dims(request, "dst", 2, (dnnl_dim_t[]){batch, out});
}

/* Pooling, resampling, LRN, batch and group normalization: images of as many channels. */
static void shape_images(struct request *request, const struct numbers *numbers) {
    struct box box = parse_windows(request, numbers);
    dnnl_dim_t batch = number(numbers, "mb", 1), channels = number(numbers, "ic", 1);
    bool shrinks = request->kind == dnnl_pooling || request->kind == dnnl_resampling;
    const double *beta = find_number(numbers, "beta");
    static const char *const alike[] = {"src", "data", "diff", "diff_src"};
    for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++)
        set_image(request, alike[i], batch, channels, box.in);
    set_image(request, "dst", batch, channels, shrinks ? box.out : box.in);
    if (request->kind == dnnl_group_normalization) request->group = number(numbers, "g", 1);
    request->local_size = number(numbers, "ls", 5);
    if (beta) request->beta = (float)*beta;
}

static int layer_gates(dnnl_alg_kind_t cell) {
    return cell == dnnl_vanilla_lstm ? 4 : cell == dnnl_vanilla_rnn ? 1 : 3;
}

/* Lines do not name the cell states of an LSTM, which come with its hidden ones. */
static void add_cell_state(struct request *request, const char *with, const char *name) {
    if (!request_tensor(request, with) || request_tensor(request, name)
        || request->tensor_count == MAX_TENSORS)
        return;
    struct tensor *tensor = &request->tensors[request->tensor_count++];
    *tensor = (struct tensor){.type = dnnl_f32, .mask = -1};
    snprintf(tensor->name, sizeof(tensor->name), "%s", name);
}

/* Sets the dimensions of a tensor and of its differential. */
static void set_both(struct request *request, const char *name, int ndims, const dnnl_dim_t *dims) {
    char diff[32];
    snprintf(diff, sizeof(diff), "diff_%s", name);
    set_dims(request, name, ndims, dims);
    set_dims(request, diff, ndims, dims);
}

static void shape_rnn(struct request *request, const struct numbers *numbers) {
    bool two = request->rnn_direction == dnnl_bidirectional_concat
               || request->rnn_direction == dnnl_bidirectional_sum;
    dnnl_dim_t layers = number(numbers, "l", 1), directions = two ? 2 : 1, gates = layer_gates(request->alg);
    dnnl_dim_t steps = number(numbers, "t", 1), batch = number(numbers, "mb", 1);
    dnnl_dim_t state = number(numbers, "sic", 1), input = number(numbers, "slc", 1);
    dnnl_dim_t cell = number(numbers, "dhc", 1), out = number(numbers, "dic", cell);
    bool lbr = request->alg == dnnl_lbr_gru || request->alg == dnnl_lbr_augru;
    dnnl_dim_t width = request->rnn_direction == dnnl_bidirectional_concat ? 2 * out : out;
    if (request->alg == dnnl_vanilla_lstm) {
        add_cell_state(request, "src_iter", "src_iter_c");
        add_cell_state(request, "dst_iter", "dst_iter_c");
        add_cell_state(request, "diff_src_iter", "diff_src_iter_c");
        add_cell_state(request, "diff_dst_iter", "diff_dst_iter_c");
    }
    set_both(request, "src_layer", 3, (dnnl_dim_t[]){steps, batch, input});
    set_both(request, "src_iter", 4, (dnnl_dim_t[]){layers, directions, batch, state});
    set_both(request, "src_iter_c", 4, (dnnl_dim_t[]){layers, directions, batch, cell});
    set_both(request, "wei_layer", 5, (dnnl_dim_t[]){layers, directions, input, gates, cell});
    set_both(request, "wei_iter", 5, (dnnl_dim_t[]){layers, directions, state, gates, cell});
    set_both(request, "wei_peephole", 4, (dnnl_dim_t[]){layers, directions, 3, cell});
    set_both(request, "wei_proj", 4, (dnnl_dim_t[]){layers, directions, cell, out});
    set_both(request, "bias", 4, (dnnl_dim_t[]){layers, directions, gates + (lbr ? 1 : 0), cell});
    set_both(request, "dst_layer", 3, (dnnl_dim_t[]){steps, batch, width});
    set_both(request, "dst_iter", 4, (dnnl_dim_t[]){layers, directions, batch, out});
    set_both(request, "dst_iter_c", 4, (dnnl_dim_t[]){layers, directions, batch, cell});
}

/* Lists of numbers. */

struct lists {
    int count;
    struct {
        int ndims;
        dnnl_dims_t dims;
    } entries[MAX_LISTS];
};

static void parse_lists(const char *text, struct lists *lists) {
    char list[128], word[24];
    while (lists->count < MAX_LISTS && next_word(&text, ':', list, sizeof(list))) {
        const char *rest = list;
        int *ndims = &lists->entries[lists->count].ndims;
        while (*ndims < DNNL_MAX_NDIMS && next_word(&rest, 'x', word, sizeof(word)))
            lists->entries[lists->count].dims[(*ndims)++] = strtoll(word, NULL, 10);
        lists->count++;
    }
}

static void set_list(struct request *request, const char *name, const struct lists *lists, int index) {
    if (index < lists->count)
        set_dims(request, name, lists->entries[index].ndims, lists->entries[index].dims);
}

/* The shape that shapes broadcast to. */
static struct tensor broadcast(const struct lists *lists) {
    struct tensor all = {.ndims = lists->entries[0].ndims};
    for (int i = 0; i < lists->count; i++)
        for (int d = 0; d < all.ndims && d < lists->entries[i].ndims; d++)
            if (lists->entries[i].dims[d] != 1 || i == 0) all.dims[d] = lists->entries[i].dims[d];
    return all;
}

static void shape_matmul(struct request *request, const struct lists *lists) {
    struct tensor dst = broadcast(lists);
    int last = dst.ndims - 1;
    dst.dims[last - 1] = lists->entries[0].dims[last - 1];
    dst.dims[last] = lists->entries[1].dims[last];
    set_list(request, "src", lists, 0);
    set_list(request, "wei", lists, 1);
    set_dims(request, "dst", dst.ndims, dst.dims);
    struct tensor *bias = request_tensor(request, "bia");
    if (!bias) return;
    for (int d = 0; d < dst.ndims; d++)
        if (bias->mask >= 0 ? !(bias->mask >> d & 1) : d < last) dst.dims[d] = 1;
    set_dims(request, "bia", dst.ndims, dst.dims);
}

static void shape_binary(struct request *request, const struct lists *lists) {
    struct tensor dst = broadcast(lists);
    set_list(request, "src", lists, 0);
    set_list(request, "src1", lists, 1);
    set_list(request, "src2", lists, 2);
    set_dims(request, "dst", dst.ndims, dst.dims);
}

/* Sources along an axis. */
static void shape_concat(struct request *request, const struct lists *lists) {
    struct tensor dst = {.ndims = lists->entries[0].ndims};
    memcpy(dst.dims, lists->entries[0].dims, sizeof(dst.dims));
    int sources = request->tensor_count - 1;
    for (int i = 0; i < sources; i++) {
        struct tensor *source = &request->tensors[i];
        int entry = i < lists->count ? i : 0;
        set_dims(request, source->name, lists->entries[entry].ndims, lists->entries[entry].dims);
        if (i > 0 && request->axis < dst.ndims)
            dst.dims[request->axis] += lists->entries[entry].dims[request->axis];
    }
    set_dims(request, "dst", dst.ndims, dst.dims);
}

static void shape_layer_normalization(struct request *request, const struct lists *lists) {
    int ndims = lists->entries[0].ndims;
    const dnnl_dim_t *dims = lists->entries[0].dims;
    static const char *const alike[] = {"src", "dst", "diff_src"};
    static const char *const vectors[] = {"scale", "shift", "diff_scale", "diff_shift"};
    for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++)
        set_dims(request, alike[i], ndims, dims);
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
        set_dims(request, vectors[i], 1, &dims[ndims - 1]);
    set_dims(request, "stats", ndims - 1, dims);
}

static void shape_pairs(struct request *request, const struct lists *lists) {
    static const struct {
        const char *name;
        int list;
    } rows[] = {{"src", 0}, {"data", 0}, {"diff", 0}, {"dst", 1}, {"wei", 1}, {"diff_wei", 1}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        set_list(request, rows[i].name, lists, rows[i].list);
}

static void shape_alike(struct request *request, const struct lists *lists) {
    for (int i = 0; i < request->tensor_count; i++)
        set_list(request, request->tensors[i].name, lists, 0);
}

static void shape_lists(struct request *request, const struct lists *lists) {
    switch (request->kind) {
    case dnnl_matmul: shape_matmul(request, lists); break;
    case dnnl_binary: shape_binary(request, lists); break;
    case dnnl_concat: shape_concat(request, lists); break;
    case dnnl_layer_normalization: shape_layer_normalization(request, lists); break;
    case dnnl_prelu:
    case dnnl_reduction: shape_pairs(request, lists); break;
    default: shape_alike(request, lists);
    }
}

static void shape_numbers(struct request *request, const struct numbers *numbers) {
    switch (request->kind) {
    case dnnl_convolution:
    case dnnl_deconvolution: shape_convolution(request, numbers); break;
    case dnnl_inner_product: shape_inner_product(request, numbers); break;
    case dnnl_rnn: shape_rnn(request, numbers); break;
    default: shape_images(request, numbers);
    }
}

/* Strides that leave gaps: those of a tensor with twice as many channels. */
static void open_strides(struct tensor *tensor) {
    dnnl_dim_t stride = 1;
    int letters = (int)strspn(tensor->tag, "abcdefghijkl");
    if (letters != tensor->ndims || tensor->tag[letters]) return;
    for (int i = letters - 1; i >= 0; i--) {
        int d = tensor->tag[i] - 'a';
        if (d >= tensor->ndims) return;
        tensor->strides[d] = stride;
        stride *= tensor->dims[d] * (d == 1 || tensor->ndims == 1 ? 2 : 1);
    }
    tensor->strided = true;
}

static bool check_tensors(struct request *request) {
    for (int i = 0; i < request->tensor_count; i++) {
        struct tensor *tensor = &request->tensors[i];
        bool workspace = !strcmp(tensor->name, "ws");
        if (tensor->type == dnnl_data_type_undef || workspace) continue;
        if (!tensor->ndims)
            return request_reject(request, "the shape does not tell the size of %s", tensor->name);
        if (tensor->special && !tensor->any)
            return request_reject(request, "only a primitive can ask for the layout of %s", tensor->name);
        if (tensor->strided && tensor->stride_count != tensor->ndims)
            return request_reject(request, "the strides of %s do not fit its shape", tensor->name);
        if (tensor->unknown_strides && !tensor->any) open_strides(tensor);
    }
    return true;
}

bool parse_shape(struct request *request) {
    const char *text = request->text.shape;
    if (isdigit((unsigned char)text[0])) {
        struct lists lists = {0};
        parse_lists(text, &lists);
        bool two = request->kind == dnnl_matmul || request->kind == dnnl_prelu
                   || request->kind == dnnl_reduction;
        if (two && (lists.count < 2 || lists.entries[0].ndims < 1 + (request->kind == dnnl_matmul)))
            return request_reject(request, "two shapes are needed, such as 16x32:32x8");
        shape_lists(request, &lists);
    } else {
        struct numbers numbers = {0};
        parse_numbers(text, &numbers);
        shape_numbers(request, &numbers);
    }
    return check_tensors(request);
}
