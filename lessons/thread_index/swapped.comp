// Like picture.comp, with column and row swapped. The guard is right, but the launch no longer fits.
#include "watched.glsl"

void main() {
    // [body]
    const uint row = gl_GlobalInvocationID.x;
    const uint column =
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
