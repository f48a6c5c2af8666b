// Maximum and sum in one pass over the numbers: M. Milakov and N. Gimelshein, "Online normalizer calculation for softmax", 2018.
// They scale the sum down whenever the maximum rises. Here it rises only where some number is far above it: any m near the maximum
// is as good, and a sum that is scaled seldom is rounded seldom.
const float slack = 8.0;

// [online]
// What was found so far, and what is held.
Part with_held(Part part) {
    const float top = maximum_of_held();
    if (top > part.maximum + slack) {
        part.sum *= exp(part.maximum - top);
        part.maximum = top;
    }
    exponentiate(part.maximum);
    part.sum += sum_of_held();
    return part;
}
// [/online]
