// Two dimensions: x is the column of a picture, y its row. Workgroups extend past the right and the lower edge.
#include "watched.glsl"

void main() {
    // [body]
    const uint column = gl_GlobalInvocationID.x;
    const uint row =
        place_of(gl_GlobalInvocationID.y);
    if (column < width && row < height) {
        const uint i = row * width + column;
        results[i] = x[i] + y[i];
        note_element(i);
    } else {
        nothing_to_do();
    }
    // [/body]
}
