// The average of a number and its neighbours in the row, radius on each side.
#include "clamped.glsl"

void main() {
    const ivec2 me = place();
    if (!exists(me)) return;
    // [average]
    float sum = 0.0;
    const int r = int(radius);
    for (int d = -r; d <= r; ++d)
        sum += x[index_of(me.x + d, me.y)];
    filtered[index_of(me.x, me.y)] =
        sum / float(2 * radius + 1);
    // [/average]
}
