/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planning for the matrix-product kernels, of f32, of f64, of bf16 and of bytes. Convolution, inner product
 * and matmul describe their problem as a struct gemm_view; the functions here choose the kernel, add launches
 * that copy operands into its layouts where needed, and add the product itself.
 */
#ifndef LODE_PRIMITIVES_GEMM_H
#define LODE_PRIMITIVES_GEMM_H

#include "primitives/epilogue.h"
#include "kernels/params_window.h"
#include "primitives/image.h"

struct gemm_params;
struct gemm_view;

enum { GEMM_VIEW_BATCHES = 4 };

/* What differs between the kernels of one element type and another. */
struct gemm_type {
    int bytes; /* of an element of src and weights */
    int quad;  /* adjacent values of the reduction in packed weights: lengths are multiples of it */
    const struct kernel *pack; /* NULL: weights are packed by a reorder */
    /* Checks types and attributes; calls plan_skip with the reason if they do not fit. */
    dnnl_status_t (*accepts)(const struct plan *plan);
    dnnl_status_t (*launch)(struct epilogue_build *ep, struct gemm_view *view);
    /* Do the kernels apply all post-ops without a need for positions? NULL: only an activation. */
    bool (*fuses)(const struct plan *plan);
    dnnl_data_type_t reads; /* the type that tensors are moved to; undefined: the user's */
    bool reads_signed;      /* s8 of src are read as they are; otherwise they are copied with 128 added */
    bool tiles;             /* for CPUs with matrix tiles (kernels/lib/matrix_tiles.h) */
    /* Plain weights of a matmul that are dense along the reduction are read as they are for few rows, so many
     * outputs at a time. 0: other kernels do that. */
    int dot;
};
extern const struct gemm_type gemm_f32, gemm_int8, gemm_int8_tiles, gemm_bf16, gemm_bf16_tiles,
        gemm_moved_tiles, gemm_widening, gemm_f64;

/* A register tile: some columns by a panel of output channels. Implementations have one as their data. */
struct gemm_tile_shape {
    const struct gemm_type *type;
    int height, panel;
    const struct kernel *kernel, *deep, *wide;
};
extern const struct gemm_tile_shape gemm_14x32, gemm_6x16, gemm_int8_12x32, gemm_int8_16x32,
        gemm_depthwise_6x16, gemm_int8_depthwise_6x16, gemm_bf16_14x32, gemm_bf16_16x32, gemm_moved_16x32,
        gemm_widening_14x32, gemm_widening_6x16, gemm_f64_6x16, gemm_f64_6x8, gemm_f64_depthwise_6x16;
const struct gemm_tile_shape *gemm_tile_of(const struct plan *plan);

/* An operand: its execution argument, offset and strides, in elements. */
struct gemm_operand {
    int arg;
    dnnl_dim_t offset;
    dnnl_dim_t batch[GEMM_VIEW_BATCHES];
    dnnl_dim_t row, column; /* strides of y and x */
    dnnl_dim_t step;        /* of src and dst: added by each iteration of a loop */
    dnnl_dim_t channel;     /* stride of n (dst, weights) or of i (src) */
    int type;               /* of bias */
};

/* dst[b][y][x][n] = bias[n] + sum over window and depth of src * weights; see params_gemm.h. */
struct gemm_view {
    dnnl_dim_t batch[GEMM_VIEW_BATCHES];
    dnnl_dim_t rows, columns, channels, depth;
    dnnl_dim_t missing; /* f32: so many channels does the last column of a row not have */
    dnnl_dim_t window[3];
    struct gemm_operand src, weights, bias, dst;
    dnnl_dim_t src_window[3], weights_window[3]; /* strides */
    bool clipped;                                /* the window reaches into padding */
    bool skips; /* rows and depths of taps in it, which add nothing, may be left out: rows are not merged */
    dnnl_dim_t edge_depth, edge_src, edge_weights; /* see params_gemm.h; 0: src is padded */
    struct window border; /* if clipped: the window over src; its dimensions are batch 2, rows and columns */
    dnnl_dim_t weights_panel, weights_depth; /* strides of a panel and of one step of the reduction */
    bool units;                              /* panels are units: see kernels/lib/widening_few.h */
    /* The dimensions of the logical dst that correspond to the indices: for post-ops that need the position.
     */
    int row_dim, column_dim, channel_dim, batch_dim[GEMM_VIEW_BATCHES];
    /* The position of index i along its dimension is first + i * step, or first + i * (1 + skip). */
    dnnl_dim_t row_first, row_skip, column_first, column_skip;
    dnnl_dim_t batch_first[GEMM_VIEW_BATCHES], batch_step[GEMM_VIEW_BATCHES];
};

/* Do the kernels of this plan leave post-ops and the scale of dst to launches that follow (apart.h)? */
bool gemm_is_bare(const struct plan *plan);

/* Checks that these kernels fit the problem: types, attributes, a CPU-class device. Calls plan_skip with the
 * reason if not. */
dnnl_status_t gemm_accepts(const struct plan *plan);

/* `length` rounded up to a multiple of what the kernels reduce at a time. */
dnnl_dim_t gemm_depth(const struct plan *plan, dnnl_dim_t length);
/* Are rows of a matmul's dst dense? If not, the product of one that moves. */
bool gemm_has_rows(const md_t *md);
dnnl_status_t gemm_move_matmul(struct plan *plan);
/* Can the kernels read src without a copy, `length` consecutive elements at a time? */
bool gemm_reads_src(const struct plan *plan, dnnl_dim_t length);

/* Are so few rows of src multiplied by plain weights without packing these? */
bool gemm_reads_plain(const struct plan *plan, dnnl_dim_t rows);

/* Output channels in a panel on this plan's device: the innermost block of packed weights. */
int gemm_panel(const struct plan *plan);

/* Do post-ops depend on a result's position? Then rows and batches must not be merged. */
bool gemm_needs_positions(const struct plan *plan);

/* The dimension of dst that corresponds to each dimension of src and weights; -1: none, because it is summed
 * over or does not change the result. */
struct gemm_dims {
    int src[DNNL_MAX_NDIMS], weights[DNNL_MAX_NDIMS];
};
struct gemm_dims gemm_dims_of(const struct plan *plan);
/* Do the scales of src and weights change only along dimensions that results have? */
bool gemm_scales_fit(const struct plan *plan);
/* Once the epilogue is complete: does it scale sums, and is there anything else to do? */
void gemm_describe_end(const struct epilogue *epilogue, int32_t *scaled, int32_t *finished);
/* Are operands of f32 rounded to bf16 for matrix tiles? If the math mode allows it, and weights are used for
 * many columns: smaller problems would not gain. */
bool gemm_rounds(const struct plan *plan, dnnl_dim_t columns, dnnl_dim_t products);
/* Does anything other than the scales of weights and the bias depend on the position? */
bool gemm_is_by_position(const struct plan *plan, const struct epilogue *epilogue);
dnnl_status_t gemm_find_scales(struct epilogue_build *ep, struct epilogue *epilogue);

/* Parts of the launches of all types. */
void gemm_fill(struct gemm_params *p, const struct gemm_view *view, const struct gemm_tile_shape *tile);
struct range gemm_range(const struct gemm_view *view, const struct gemm_tile_shape *tile,
                        dnnl_dim_t tiles_of_row);
/* Of matrix tiles: sets the tiles and how many of them a work-item computes. */
struct range gemm_tiles_range(const struct gemm_view *view, const struct gemm_tile_shape *tile,
                              struct gemm_params *p);
dnnl_dim_t gemm_panels(const struct plan *plan, dnnl_dim_t channels);
dnnl_dim_t gemm_product(const dnnl_dim_t *sizes, int n);

/* Call it when all layouts are known. Results must go to ep->dst. */
dnnl_status_t gemm_begin(struct epilogue_build *ep, struct plan *plan, int channel_dim);
/* Adds the product. May replace the view's src with a copy. */
dnnl_status_t gemm_launch(struct epilogue_build *ep, struct gemm_view *view);

/* In a loop: the operands of a product move on by so much in each iteration. False if the launch is not of
 * kernels that know loops. */
bool gemm_set_steps(struct launch *launch, dnnl_dim_t src, dnnl_dim_t dst);

/* A channels-last image of these sizes in scratchpad, with as many channels as the kernels read. */
struct image gemm_scratch_image(struct plan *plan, dnnl_dim_t batch, const dnnl_dim_t size[3],
                                dnnl_dim_t channels);
/* Copies an image of src into a channels-last scratchpad image, as the kernels read it, padded with zeros:
 * front[d] before spatial dimension d, and after it up to size[d]. *copy describes the result. */
dnnl_status_t gemm_copy_padded(struct plan *plan, const struct image *image, const dnnl_dim_t front[3],
                               const dnnl_dim_t size[3], struct image *copy);
/* Copies one image to another of the same sizes. */
dnnl_status_t gemm_copy(struct plan *plan, const struct image *from, const struct image *to);
/* Sets to zero what is outside of the image `inside`, which begins at `front`. */
dnnl_status_t gemm_clear_border(struct plan *plan, const struct image *image, const dnnl_dim_t front[3],
                                const md_t *inside);

/* gemm_copy_padded from any type and layout, to the type that the kernels read. */
dnnl_status_t gemm_move_padded(struct plan *plan, int arg, const dnnl_dim_t front[3],
                               const dnnl_dim_t size[3], struct image *moved);
/* The same of an argument that is described as an image by `md`. */
dnnl_status_t gemm_move_image(struct plan *plan, int arg, const md_t *md, const dnnl_dim_t front[3],
                              const dnnl_dim_t size[3], struct image *moved);
/* A dst that is not channels-last: sends the results to a tensor in scratchpad that is, and moves them from
 * there once they have been computed. */
struct gemm_results {
    bool moved;
    int arg; /* and md: of ep->dst before */
    md_t md;
};
dnnl_status_t gemm_move_results(struct epilogue_build *ep, struct gemm_results *results);
dnnl_status_t gemm_deliver_results(struct epilogue_build *ep, const struct gemm_results *results);
/* A tensor in scratchpad with the sizes of another one. */
dnnl_status_t gemm_scratch_md(struct plan *plan, const md_t *like, dnnl_data_type_t type, const char *tag,
                              md_t *md);

/* Weights to be packed: sizes and strides of groups, outputs, inputs and window. */
struct gemm_weights {
    dnnl_dim_t groups, outputs, inputs, size[3];
    dnnl_dim_t merged; /* so many groups become one, as in struct gemm_conv */
    dnnl_dim_t offset, group, output, input, stride[3];
    dnnl_dim_t width; /* of panels; 0: those of the kernels */
};

/* The layout of packed weights, whose plain `order` of dimensions ends with the input: "cba" becomes
 * "cBa32b", or "cBA32b4a" for bytes. */
void gemm_panels_tag(const struct plan *plan, const char *order, int output, int input, char *tag,
                     size_t size);
/* The same for md_set_any of convolutions: with `ndims` dimensions, of which the first is the group if
 * `grouped`, outputs before inputs; for instance "Acdb32a", "aBdec32b" or, for bytes, "AcdB32a4b". */
void gemm_weights_tag(const struct plan *plan, int ndims, bool grouped, char *tag, size_t size);

/* Sets the `any` layouts of a convolution or inner product: activations channels-last, weights in `panels`.
 */
dnnl_status_t gemm_set_any_layouts(struct plan *plan, const char *panels);
/* The same, but calls plan_skip for other blocked layouts. */
dnnl_status_t gemm_set_layouts(struct plan *plan, const char *panels);

/* Packs weights into panels in scratchpad and points the view's weights there; *group is the stride of a
 * group. */
dnnl_status_t gemm_pack(struct plan *plan, const struct gemm_weights *weights, struct gemm_view *view,
                        dnnl_dim_t *group);

/* A convolution. Inner products are convolutions whose window is the whole image. */
struct gemm_conv {
    dnnl_dim_t groups, outputs, inputs; /* channels of one group */
    dnnl_dim_t merged;                  /* groups of the problem in one of these, because they are narrow */
    struct window window;               /* over src; missing dimensions come first */
    bool transposed;                    /* the window is over dst: see conv_parts.h */
    dnnl_dim_t wide;                    /* positions of dst that a column computes: see wide_columns.h */
};
struct gemm_conv gemm_conv_of(const struct problem *problem, bool grouped);
/* The size of the padded image that the window covers at `out` positions. True: there is padding. */
bool gemm_clips(const struct gemm_conv *conv, const dnnl_dim_t out[3], dnnl_dim_t need[3]);
bool gemm_is_grouped(const struct problem *problem);

/* Batch dimensions of a matmul with the strides of its operands, 0 where one is broadcast. Adjacent
 * dimensions are merged where possible, unless `keep`. */
struct gemm_batches {
    int count;
    dnnl_dim_t size[DNNL_MAX_NDIMS];
    dnnl_dim_t src[DNNL_MAX_NDIMS], weights[DNNL_MAX_NDIMS], dst[DNNL_MAX_NDIMS];
    int dim[DNNL_MAX_NDIMS]; /* of the logical dst */
};
struct gemm_batches gemm_merge_batches(const md_t *src, const md_t *weights, const md_t *dst, bool keep);
/* The layout of the weights of a matmul in panels. */
void gemm_matmul_tag(const struct plan *plan, char *tag, size_t size);
/* Sets the `any` layouts of a matmul: weights in panels. Calls plan_skip for other blocked layouts. */
dnnl_status_t gemm_set_matmul_layouts(struct plan *plan);
/* Is the bias of a matmul one dense row? True if there is no bias. */
bool gemm_bias_is_row(const struct plan *plan);

/* The implementations: one row each in the tables of their primitives. */
dnnl_status_t gemm_build_convolution(struct plan *plan);
dnnl_status_t gemm_build_depthwise(struct plan *plan);
dnnl_status_t gemm_build_inner_product(struct plan *plan);
dnnl_status_t gemm_build_matmul(struct plan *plan);
dnnl_status_t widening_build_matmul(struct plan *plan);
dnnl_status_t widening_build_inner_product(struct plan *plan);
dnnl_status_t sparse_build_matmul(struct plan *plan);

#endif
