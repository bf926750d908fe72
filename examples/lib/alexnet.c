/* SPDX-License-Identifier: Apache-2.0 */
/* The table of layers, the data set and the loop of training. */
#include "alexnet.h"

const struct layer alexnet[ALEXNET_LAYERS] = {
        {.kind = CONVOLUTION, .channels = 48, .kernel = 11, .stride = 4},
        {.kind = RELU},
        {.kind = LRN},
        {.kind = POOLING, .kernel = 3, .stride = 2},
        {.kind = CONVOLUTION, .channels = 128, .kernel = 5, .stride = 1, .padding = 2, .groups = 2},
        {.kind = RELU},
        {.kind = LRN},
        {.kind = POOLING, .kernel = 3, .stride = 2},
        {.kind = CONVOLUTION, .channels = 192, .kernel = 3, .stride = 1, .padding = 1},
        {.kind = RELU},
        {.kind = CONVOLUTION, .channels = 192, .kernel = 3, .stride = 1, .padding = 1, .groups = 2},
        {.kind = RELU},
        {.kind = CONVOLUTION, .channels = 128, .kernel = 3, .stride = 1, .padding = 1, .groups = 2},
        {.kind = RELU},
        {.kind = POOLING, .kernel = 3, .stride = 2},
        {.kind = INNER_PRODUCT, .channels = 512},
        {.kind = RELU},
        {.kind = INNER_PRODUCT, .channels = 512},
        {.kind = RELU},
        {.kind = INNER_PRODUCT, .channels = IMAGE_CLASSES},
        {.kind = LOG_SOFTMAX},
};

struct data_set data_set_create(void) {
    struct data_set data = {malloc(DATA_SET_SIZE * IMAGE_FLOATS * sizeof(float)),
                            malloc(DATA_SET_SIZE * sizeof(int))};
    if (!data.images || !data.labels) exit(1);
    for (int n = 0; n < DATA_SET_SIZE; n++)
        data.labels[n] = make_image((uint32_t)n, data.images + (size_t)n * IMAGE_FLOATS);
    return data;
}

void data_set_destroy(struct data_set *data) {
    free(data->images);
    free(data->labels);
}

/* The loss starts near log(10), because the network knows nothing, and must end below a tenth of that. */
static const double first_loss[2] = {2.2, 2.6}, last_loss = 0.23;

static int judge(double first, double last, int steps) {
    if (first > first_loss[0] && first < first_loss[1] && last < last_loss) return 0;
    fprintf(stderr,
            "the loss fell from %.3f to %.3f in %d steps: expected %.1f to %.1f, and less than %.2f\n", first,
            last, steps, first_loss[0], first_loss[1], last_loss);
    return 1;
}

static int train(struct network *net, int steps, int batch) {
    struct data_set data = data_set_create();
    double first = 0, last = 0, fastest = INFINITY; /* last: the average of the last ten */
    for (int step = 0; step < steps; step++) {
        const int start = step * batch % (DATA_SET_SIZE - batch + 1);
        const double time = now_ms();
        const double loss =
                network_train(net, data.images + (size_t)start * IMAGE_FLOATS, data.labels + start);
        fastest = fmin(fastest, now_ms() - time);
        if (step == 0) first = loss;
        if (step >= steps - 10) last += loss / 10;
        if (step % 10 == 0 || step == steps - 1) printf("step %3d: loss %.4f\n", step, loss);
    }
    printf("batch %d: fastest step %.3f ms\n", batch, fastest);
    data_set_destroy(&data);
    return judge(first, last, steps);
}

int alexnet_main(int argc, char **argv, dnnl_data_type_t type) {
    const int steps = argc > 2 ? atoi(argv[2]) : 80, batch = argc > 3 ? atoi(argv[3]) : 16;
    if (steps < 1 || batch < 1 || batch > DATA_SET_SIZE) {
        fprintf(stderr, "usage: %s [ENGINE] [STEPS] [BATCH: 1 to %d]\n", argv[0], DATA_SET_SIZE);
        return 1;
    }
    dnnl_engine_t engine = open_engine(argc > 1 ? argv[1] : "cpu");
    const dnnl_dim_t images[] = {batch, 3, IMAGE_SIZE, IMAGE_SIZE};
    struct network net;
    network_create(&net, engine, type, alexnet_rate, alexnet, ALEXNET_LAYERS, images);
    const int status = train(&net, steps, batch);
    network_destroy(&net);
    CHECK(dnnl_engine_destroy(engine));
    return status;
}
