// The Mandelbrot set in tiles of 8 x 8 pixels. 64 consecutive invocations compute a tile, in an order in which 4, 8, 16 or 32
// consecutive ones, too, compute a square or two squares side by side.
#include "mandelbrot.glsl"

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x, tiles_in_row = (picture_width + 7) / 8;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        // [tiles]
        const uint tile = i / 64;
        // The bits of the place in the tile are those
        // of its column and its row in turn.
        const uint place = i % 64;
        const uint column = tile % tiles_in_row * 8
            + (place & 1) + (place >> 1 & 2) + (place >> 2 & 4);
        const uint row = tile / tiles_in_row * 8
            + (place >> 1 & 1) + (place >> 2 & 2) + (place >> 3 & 4);
        // [/tiles]
        const uint pixel = row * picture_width + column;
        if (column < picture_width && pixel < elements)
            pixels[pixel] = rounds_until_escape(point_of(column, row));
    }
}
