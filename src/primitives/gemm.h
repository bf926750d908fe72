/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planning for the matrix-product kernels, of f32 and of bytes. Convolution, inner product and matmul say
 * what they want in the terms of struct gemm_view; this file finds the kernel, brings operands into its
 * layouts with launches of their own where needed, and adds the product itself.
 */
#ifndef LODE_PRIMITIVES_GEMM_H
#define LODE_PRIMITIVES_GEMM_H

#include "primitives/epilogue.h"
#include "kernels/params_window.h"
#include "primitives/image.h"

struct gemm_params;
struct gemm_view;

enum { GEMM_VIEW_BATCHES = 4 };

/* What tells the kernels of one type of elements from those of another. */
struct gemm_type {
    int bytes;     /* of an element of src and weights */
    int quad;      /* values of the reduction that packed weights have side by side: lengths are multiples */
    bool f32_only; /* results are f32 and nothing else */
    const struct kernel *pack;
    /* Types and attributes; says why not with plan_skip. */
    dnnl_status_t (*accepts)(const struct plan *plan);
    dnnl_status_t (*launch)(struct epilogue_build *ep, struct gemm_view *view);
};
extern const struct gemm_type gemm_f32, gemm_int8;

/* A register tile: so many columns by a panel of output channels. Implementations have one as their data. */
struct gemm_tile_shape {
    const struct gemm_type *type;
    int height, panel;
    const struct kernel *kernel, *deep, *wide;
};
extern const struct gemm_tile_shape gemm_14x32, gemm_6x16, gemm_int8_12x32, gemm_depthwise_6x16;
const struct gemm_tile_shape *gemm_tile_of(const struct plan *plan);

/* An operand: which execution argument, and where its elements lie, in elements. */
struct gemm_operand {
    int arg;
    dnnl_dim_t offset;
    dnnl_dim_t batch[GEMM_VIEW_BATCHES];
    dnnl_dim_t row, column; /* strides of y and x */
    dnnl_dim_t step;        /* of src and dst: what an iteration of a loop adds */
    dnnl_dim_t channel;     /* stride of n (dst, weights) or of i (src) */
};

/* dst[b][y][x][n] = bias[n] + sum over window and depth of src * weights, as params_gemm.h has it. */
struct gemm_view {
    dnnl_dim_t batch[GEMM_VIEW_BATCHES];
    dnnl_dim_t rows, columns, channels, depth;
    dnnl_dim_t window[3];
    struct gemm_operand src, weights, bias, dst;
    dnnl_dim_t src_window[3];
    bool clipped;         /* the window reaches into padding */
    struct window border; /* then: the window over src, its dimensions those of batch 2, rows and columns */
    dnnl_dim_t weights_panel, weights_depth; /* strides of a panel and of one step of the reduction */
    /* Dimensions of the logical dst that the indices run along: for post-ops that depend on the position. */
    int row_dim, column_dim, channel_dim, batch_dim[GEMM_VIEW_BATCHES];
    dnnl_dim_t batch_step[GEMM_VIEW_BATCHES];
};

/* Is this problem one for these kernels: their types, a CPU-class device, attributes that the epilogue takes?
 * Says why not with plan_skip. */
dnnl_status_t gemm_accepts(const struct plan *plan);

/* `length` rounded up to what the kernels reduce at a time. */
dnnl_dim_t gemm_depth(const struct plan *plan, dnnl_dim_t length);
/* Can the kernels read the elements of src as they are, `length` in a row? */
bool gemm_reads_src(const struct plan *plan, dnnl_dim_t length);

/* Output channels in a panel on this plan's device: the innermost block of packed weights. */
int gemm_panel(const struct plan *plan);

/* Do post-ops depend on where a result stands? Then rows and batches must keep their own dimensions. */
bool gemm_needs_positions(const struct plan *plan);

/* The parts that the launches of all types are made of. */
void gemm_fill(struct gemm_params *p, const struct gemm_view *view, const struct gemm_tile_shape *tile);
dnnl_dim_t gemm_panels(const struct plan *plan, dnnl_dim_t channels);
dnnl_dim_t gemm_product(const dnnl_dim_t *sizes, int n);

/* To be called once the layouts are decided: results go where ep->dst says. */
dnnl_status_t gemm_begin(struct epilogue_build *ep, struct plan *plan, int channel_dim);
/* Adds the product. May replace the view's src by a copy. */
dnnl_status_t gemm_launch(struct epilogue_build *ep, struct gemm_view *view);

/* A channels-last image of these sizes in scratchpad, with as many channels as the kernels read. */
struct image gemm_scratch_image(struct plan *plan, dnnl_dim_t batch, const dnnl_dim_t size[3],
                                dnnl_dim_t channels);
/* Copies an image of src into channels-last scratchpad, as the kernels read it, with zeros around it: `front`
 * before each spatial dimension, up to `size`. *copy describes the result. */
dnnl_status_t gemm_copy_padded(struct plan *plan, const struct image *image, const dnnl_dim_t front[3],
                               const dnnl_dim_t size[3], struct image *copy);
/* Lets results go to a channels-last image in scratchpad instead of ep->dst: a copy has to follow. */
dnnl_status_t gemm_move_dst(struct epilogue_build *ep, struct image *moved);
/* Copies one image onto another of the same sizes. */
dnnl_status_t gemm_copy(struct plan *plan, const struct image *from, const struct image *to);

/* Weights to be packed: sizes and strides of groups, outputs, inputs and window. */
struct gemm_weights {
    dnnl_dim_t groups, outputs, inputs, size[3];
    dnnl_dim_t offset, group, output, input, stride[3];
};

/* The layout of packed weights, whose plain `order` of dimensions ends with the input: "cba" becomes
 * "cBa32b", or "cBA32b4a" of bytes. */
void gemm_panels_tag(const struct plan *plan, const char *order, int output, int input, char *tag,
                     size_t size);
/* The same for md_set_any of convolutions: with `ndims` dimensions, of which the first is the group if
 * `grouped`, outputs before inputs; for instance "Acdb32a", "aBdec32b" or, of bytes, "AcdB32a4b". */
void gemm_weights_tag(const struct plan *plan, int ndims, bool grouped, char *tag, size_t size);

/* Decides the open layouts of a convolution or inner product: activations channels-last, weights in `panels`.
 * Skips others that are blocked. */
dnnl_status_t gemm_set_layouts(struct plan *plan, const char *panels);

/* Packs weights into panels in scratchpad and points the view's weights there; *group is the stride of a
 * group. */
dnnl_status_t gemm_pack(struct plan *plan, const struct gemm_weights *weights, struct gemm_view *view,
                        dnnl_dim_t *group);

/* A convolution. Inner products are convolutions whose window is the whole image. */
struct gemm_conv {
    dnnl_dim_t groups, outputs, inputs; /* channels of one group */
    struct window window;               /* over src; dimensions that are not there come first */
};
struct gemm_conv gemm_conv_of(const struct problem *problem, bool grouped);
/* The size of a padded image that the window covers at `out` places. True: larger than the image. */
bool gemm_clips(const struct gemm_conv *conv, const dnnl_dim_t out[3], dnnl_dim_t need[3]);
bool gemm_is_grouped(const struct problem *problem);

/* Batch dimensions of a matmul with the strides of its operands, 0 where one is broadcast; neighbours are one
 * dimension where they can be, unless `keep`. */
struct gemm_batches {
    int count;
    dnnl_dim_t size[DNNL_MAX_NDIMS];
    dnnl_dim_t src[DNNL_MAX_NDIMS], weights[DNNL_MAX_NDIMS], dst[DNNL_MAX_NDIMS];
    int dim[DNNL_MAX_NDIMS]; /* of the logical dst */
};
struct gemm_batches gemm_merge_batches(const md_t *src, const md_t *weights, const md_t *dst, bool keep);
/* The layout of the weights of a matmul in panels. */
void gemm_matmul_tag(const struct plan *plan, char *tag, size_t size);
/* Decides the open layouts of a matmul: weights in panels. Skips others that are blocked. */
dnnl_status_t gemm_set_matmul_layouts(struct plan *plan);
/* Is the bias of a matmul one dense row? There need not be one. */
bool gemm_bias_is_row(const struct plan *plan);

/* The implementations made of all this: one row each in the tables of their primitives. */
dnnl_status_t gemm_build_convolution(struct plan *plan);
dnnl_status_t gemm_build_depthwise(struct plan *plan);
dnnl_status_t gemm_build_inner_product(struct plan *plan);
dnnl_status_t gemm_build_matmul(struct plan *plan);

#endif
