// Each invocation has one query. When its maximum grows, the sum and the result are rescaled.
#include "query.glsl"

void main() {
    load_query();
    float m = -1e30, sum = 0.0;
    for (uint first = 0; first < keys; first += keys_of_tile) {
        load_tile(first);
        float scores_of_tile[keys_of_tile];
        float larger = m;
        for (uint j = 0; j < keys_of_tile; ++j) {
            scores_of_tile[j] = score(first, j);
            larger = max(larger, scores_of_tile[j]);
        }
        // All that was added so far used the old maximum.
        const float factor = exp(m - larger);
        sum *= factor;
        for (uint c = 0; c < quads; ++c) result[c] *= factor;
        m = larger;
        for (uint j = 0; j < keys_of_tile; ++j) {
            const float weight = exp(scores_of_tile[j] - m);
            sum += weight;
            add_value(weight, j);
        }
        barrier();
    }
    store(sum);
}
