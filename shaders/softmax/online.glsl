// Maximum and sum in one pass over the numbers: M. Milakov and N. Gimelshein, "Online normalizer calculation for softmax", 2018.
// They rescale the sum whenever the maximum rises. Here it rises only if a number is far above it: any m near the maximum is
// as good, and rescaling less often means rounding less often.
const float slack = 8.0;

// [online]
// Merges the held numbers into a part.
Part with_held(Part part) {
    const float top = maximum_of_held();
    if (top > part.maximum + slack) {
        part.sum *= exp(part.maximum - top);
        part.maximum = top;
    }
    vec4 sum = vec4(0);
    [[unroll]] for (uint k = 0; k < quads_each;
                    ++k) {
        held[k] = exp(held[k] - part.maximum);
        sum += held[k];
    }
    part.sum += sum_of(sum);
    return part;
}
// [/online]
