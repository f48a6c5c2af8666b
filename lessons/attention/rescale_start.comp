// Each invocation has one query. query.glsl declares own[quads], result[quads] and the tiles,
// and load_query(), load_tile(), score(), add_value() and store().
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
        // Your turn: the maximum may have grown. All that was added so far used the old one.
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
