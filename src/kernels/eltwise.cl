/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element-wise functions, forward. dst may be src: every element is read before it is written, by the same
 * work-item.
 */
#include "kernels/lib/epilogue.h"
#include "kernels/params_eltwise.h"

/* Range: parts of dst. */
#if WANTED(eltwise_universal)
kernel void eltwise_universal(ITEM global const uchar *src, global uchar *dst, EPILOGUE_ARGS,
                              constant struct eltwise_params *p) {
    struct epilogue_state e = EPILOGUE_STATE(&p->epilogue);
    struct walker w;
    for (walk_begin(&w, &p->walk, get_global_id(0)); w.left > 0; walk_next(&w, &p->walk)) {
        float x = 0.0f;
        if (w.inside) {
            x = load_f32(src, p->src.type, tensor_offset(&p->src, w.position));
            x = epilogue_finish(&e, eltwise_f32(p->alg, x, p->alpha, p->beta), w.position);
        }
        store_f32(dst, p->epilogue.type, w.offset, x);
    }
}
#endif
