// Decides in integers whether a point of the square is in the quarter circle: x and y are from 0 to 2^32, the radius. The upper
// halves of their squares are too small by less than 2^-31 of the radius' square, and every device and CPU computes the same.
#ifndef GRIDSTRIDE_WHOLE_NUMBERS
#define GRIDSTRIDE_WHOLE_NUMBERS

bool is_hit(uvec2 point) {
    // [hit]
    uint x_squared, y_squared, rest;
    umulExtended(point.x, point.x, x_squared, rest);
    umulExtended(point.y, point.y, y_squared, rest);
    // The circle is at 2^32: a sum that wraps
    // around has reached it.
    return x_squared + y_squared >= x_squared;
    // [/hit]
}

#endif
