/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trains the small AlexNet of cnn_training_f32.c on several processes at once, over MPI: data-parallel. Each
 * rank has all weights and a share of the batch. Gradients are summed over the ranks, so that all of them
 * make the same update.
 *
 *   mpirun -n RANKS distributed_training [ENGINE] [STEPS] [BATCH] [--die-at STEP]    defaults: cpu 80 16
 *
 * BATCH is that of all ranks together. The sum of a layer's gradients starts as soon as the layer has them,
 * without waiting for it, and goes on while the layers below are computed. MPI gets the memory of the
 * gradients itself where the host can access it: on CPU engines, and on Level Zero, where this program
 * allocates them as shared memory. On other engines it gets a mapped copy.
 *
 * The last rank kills itself in step --die-at. mpirun then ends the others, and its exit status is not 0.
 *
 * Prints every step's loss. Exit status 1 if the loss does not fall, if ranks chose different layouts, or if
 * their weights differ in the end; 77: there is no such engine. docs/distributed.md tells how this scales.
 */
#include "lib/alexnet.h"

#ifdef HAVE_LEVEL_ZERO
#include "oneapi/dnnl/dnnl_ze.h"
#endif

#include <mpi.h>
#include <signal.h>

/* Slower than cnn_training_f32.c, so that differences in rounding between numbers of ranks grow slowly. */
static const float rate = 0.002f;

enum { MAX_EXCHANGES = MAX_LAYERS * MAX_PARAMETERS };

/* The sums over the ranks that are under way. */
struct exchange {
    int count;
    MPI_Request requests[MAX_EXCHANGES];
    dnnl_memory_t memories[MAX_EXCHANGES];
    float *mapped[MAX_EXCHANGES];
};

struct options {
    const char *engine;
    int steps, batch, die_at;
    int rank, ranks;
};

/* What a run costs; the printed numbers are averages per step. */
struct cost {
    double ms, waiting_ms; /* whole steps; after the last layer's backward primitives, for sums to end */
    size_t bytes, in_place;
};

/* Starts to sum the gradients of one layer. They must have been computed: MPI does not wait for streams. */
static void start_exchange(struct exchange *exchange, const struct stage *stage, struct cost *cost) {
    for (int i = 0; i < stage->nparameters; i++) {
        const int n = exchange->count++;
        dnnl_memory_t gradient = stage->parameter[i].gradient;
        float *values = map(gradient);
        void *handle;
        CHECK(dnnl_memory_get_data_handle(gradient, &handle));
        exchange->memories[n] = gradient;
        exchange->mapped[n] = values;
        MPI_Iallreduce(MPI_IN_PLACE, values, (int)float_count(gradient), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD,
                       &exchange->requests[n]);
        cost->bytes += float_count(gradient) * sizeof(float);
        if (handle == values) cost->in_place += float_count(gradient) * sizeof(float);
    }
}

/* Many MPI libraries work on a sum only inside of MPI calls: this one gives them a chance between layers. */
static void advance_exchange(struct exchange *exchange) {
    int done;
    MPI_Testall(exchange->count, exchange->requests, &done, MPI_STATUSES_IGNORE);
}

static void finish_exchange(struct exchange *exchange) {
    MPI_Waitall(exchange->count, exchange->requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < exchange->count; i++)
        unmap(exchange->memories[i], exchange->mapped[i]);
    exchange->count = 0;
}

/* One step on this rank's share of the batch. Returns the average loss of the whole batch. */
static double train_step(struct network *net, const struct options *o, const float *images, const int *labels,
                         struct cost *cost) {
    struct exchange exchange = {0};
    const double start = now_ms();
    network_set_batch(net, images, labels, o->batch);
    network_forward(net);
    for (int i = net->nstages - 1; i >= 0; i--) {
        network_gradients(net, i);
        if (net->stages[i].nparameters) {
            network_wait(net);
            start_exchange(&exchange, &net->stages[i], cost);
        }
        network_backward(net, i);
        advance_exchange(&exchange);
    }
    const double computed = now_ms();
    finish_exchange(&exchange);
    cost->waiting_ms += now_ms() - computed;
    network_update(net);
    double loss = network_loss(net, labels);
    cost->ms += now_ms() - start;
    MPI_Allreduce(MPI_IN_PLACE, &loss, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return loss / o->batch;
}

/* -- do the ranks agree? -- */

static uint64_t hash(uint64_t start, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        start = (start ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return start;
}

/* The largest value and the largest complement, which belongs to the smallest value. */
static bool same_on_all_ranks(uint64_t value) {
    uint64_t ends[2] = {value, ~value};
    MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    return ends[0] == ~ends[1];
}

static uint64_t layout_hash(uint64_t start, const_dnnl_memory_desc_t md) {
    const dnnl_dim_t *padded, *strides, *blocks, *order;
    int ndims, nblocks;
    CHECK(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims));
    CHECK(dnnl_memory_desc_query(md, dnnl_query_padded_dims, &padded));
    CHECK(dnnl_memory_desc_query(md, dnnl_query_strides, &strides));
    CHECK(dnnl_memory_desc_query(md, dnnl_query_inner_nblks_s32, &nblocks));
    CHECK(dnnl_memory_desc_query(md, dnnl_query_inner_blks, &blocks));
    CHECK(dnnl_memory_desc_query(md, dnnl_query_inner_idxs, &order));
    start = hash(start, padded, (size_t)ndims * sizeof(*padded));
    start = hash(start, strides, (size_t)ndims * sizeof(*strides));
    start = hash(start, blocks, (size_t)nblocks * sizeof(*blocks));
    return hash(start, order, (size_t)nblocks * sizeof(*order));
}

static uint64_t values_hash(uint64_t start, dnnl_memory_t memory) {
    float *values = map(memory);
    start = hash(start, values, float_count(memory) * sizeof(float));
    unmap(memory, values);
    return start;
}

/* Sums need the same layouts on all ranks. Primitives may choose others on another processor. */
static bool same_layouts(const struct network *net) {
    uint64_t all = 0;
    for (int i = 0; i < net->nstages; i++)
        for (int p = 0; p < net->stages[i].nparameters; p++)
            all = layout_hash(all, desc_of(net->stages[i].parameter[p].gradient));
    return same_on_all_ranks(all);
}

/* All ranks make the same updates, so they must have the same bits. */
static bool same_weights(const struct network *net) {
    uint64_t all = 0;
    for (int i = 0; i < net->nstages; i++)
        for (int p = 0; p < net->stages[i].nparameters; p++)
            all = values_hash(all, net->stages[i].parameter[p].value);
    return same_on_all_ranks(all);
}

/* -- Level Zero: gradients in memory that host and device share -- */

struct shared {
    int count;
    void *pointers[MAX_EXCHANGES];
};

#ifdef HAVE_LEVEL_ZERO
static void *allocate_shared(dnnl_engine_t engine, ze_context_handle_t context, size_t size) {
    const ze_device_mem_alloc_desc_t device_desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_device_handle_t device;
    void *pointer = NULL;
    CHECK(dnnl_ze_interop_engine_get_device(engine, &device));
    return zeMemAllocShared(context, &device_desc, &host_desc, size, 64, device, &pointer) ? NULL : pointer;
}

static void share_gradients(struct network *net, struct shared *shared) {
    ze_context_handle_t context;
    if (dnnl_ze_interop_engine_get_context(net->engine, &context) != dnnl_success) return;
    for (int i = 0; i < net->nstages; i++)
        for (int p = 0; p < net->stages[i].nparameters; p++) {
            dnnl_memory_t gradient = net->stages[i].parameter[p].gradient;
            void *pointer = allocate_shared(net->engine, context, float_count(gradient) * sizeof(float));
            if (!pointer) return;
            shared->pointers[shared->count++] = pointer;
            CHECK(dnnl_memory_set_data_handle(gradient, pointer));
        }
}

/* After the network is destroyed: it borrows the memory. */
static void free_shared(dnnl_engine_t engine, struct shared *shared) {
    ze_context_handle_t context;
    for (int i = 0; i < shared->count; i++) {
        CHECK(dnnl_ze_interop_engine_get_context(engine, &context));
        zeMemFree(context, shared->pointers[i]);
    }
}
#else
static void share_gradients(struct network *net, struct shared *shared) {
    (void)net;
    (void)shared;
}
static void free_shared(dnnl_engine_t engine, struct shared *shared) {
    (void)engine;
    (void)shared;
}
#endif

/* -- the program -- */

static void maybe_die(const struct options *o, int step) {
    if (step == o->die_at && o->rank == o->ranks - 1) raise(SIGKILL);
}

static int train(struct network *net, const struct options *o) {
    struct data_set data = data_set_create();
    struct cost cost = {0};
    const int share = o->batch / o->ranks;
    double first = 0, last = 0;
    for (int step = 0; step < o->steps; step++) {
        const int start = step * o->batch % (DATA_SET_SIZE - o->batch + 1) + o->rank * share;
        maybe_die(o, step);
        last = train_step(net, o, data.images + (size_t)start * IMAGE_FLOATS, data.labels + start, &cost);
        if (step == 0) first = last;
        if (o->rank == 0) printf("step %3d: loss %.9f\n", step, last);
    }
    data_set_destroy(&data);
    const bool same = same_weights(net), learned = last < first;
    if (o->rank == 0) {
        printf("%d ranks, batch %d: %.3f ms per step, %.3f of them waiting; %zu bytes summed, %.0f%% in "
               "place\n",
               o->ranks, o->batch, cost.ms / o->steps, cost.waiting_ms / o->steps,
               cost.bytes / (size_t)o->steps, 100.0 * (double)cost.in_place / (double)cost.bytes);
        if (!same) fprintf(stderr, "the ranks have different weights\n");
        if (!learned) fprintf(stderr, "the loss did not fall: %.3f, then %.3f\n", first, last);
    }
    return same && learned ? 0 : 1;
}

static bool parse(int argc, char **argv, struct options *o) {
    const char *positional[3] = {"cpu", "80", "16"};
    int count = 0;
    o->die_at = -1;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--die-at") && i + 1 < argc)
            o->die_at = atoi(argv[++i]);
        else if (count < 3)
            positional[count++] = argv[i];
        else
            return false;
    }
    o->engine = positional[0];
    o->steps = atoi(positional[1]);
    o->batch = atoi(positional[2]);
    return o->steps > 1 && o->batch > 0 && o->batch <= DATA_SET_SIZE;
}

static int run(const struct options *o) {
    const dnnl_dim_t images[] = {o->batch / o->ranks, 3, IMAGE_SIZE, IMAGE_SIZE};
    dnnl_engine_t engine = open_engine(o->engine);
    struct shared shared = {0};
    struct network net;
    network_create(&net, engine, dnnl_f32, rate, alexnet, ALEXNET_LAYERS, images);
    share_gradients(&net, &shared);
    const bool same = same_layouts(&net);
    if (!same && o->rank == 0)
        fprintf(stderr, "the ranks chose different layouts: use the same kind of processor for all\n");
    const int status = same ? train(&net, o) : 1;
    network_destroy(&net);
    free_shared(engine, &shared);
    CHECK(dnnl_engine_destroy(engine));
    return status;
}

int main(int argc, char **argv) {
    struct options o = {0};
    int provided, status = 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &o.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &o.ranks);
    if (parse(argc, argv, &o) && o.batch % o.ranks == 0)
        status = run(&o);
    else if (o.rank == 0)
        fprintf(stderr, "usage: %s [ENGINE] [STEPS] [BATCH, a multiple of the ranks, at most %d]\n", argv[0],
                DATA_SET_SIZE);
    MPI_Finalize();
    return status;
}
