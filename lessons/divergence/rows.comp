// The Mandelbrot set, row by row: neighbouring lanes compute neighbouring pixels of a row.
#include "mandelbrot.glsl"

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        // [rows]
        const uint column = i % picture_width;
        const uint row = i / picture_width;
        pixels[i] = rounds_until_escape(
            point_of(column, row));
        // [/rows]
    }
}
