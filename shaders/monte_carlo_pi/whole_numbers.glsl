// Whether a point of the square lies in the quarter circle, in whole numbers: x and y go from 0 to 2^32, the radius. The upper
// halves of their squares are less than 2^-31 of the radius' square too small, and every device and every CPU finds the same.
#ifndef GRIDSTRIDE_WHOLE_NUMBERS
#define GRIDSTRIDE_WHOLE_NUMBERS

bool is_hit(uvec2 point) {
    // [hit]
    uint x_squared, y_squared, rest;
    umulExtended(point.x, point.x, x_squared, rest);
    umulExtended(point.y, point.y, y_squared, rest);
    // 2^32 is the circle: a sum that wraps around
    // has come to it.
    return x_squared + y_squared >= x_squared;
    // [/hit]
}

#endif
