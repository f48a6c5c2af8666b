// Shared by the kernels that draw the Mandelbrot set: z begins at 0 and becomes z * z + c again and again. A point c belongs to the
// set if |z| never exceeds 2.
//
// The numbers are whole numbers with 12 bits behind the point, so that all devices round alike and count the same rounds.
const int one = 4096;
const int square_of_2 = 4 * one * one;  // as a product of two such numbers

// A picture is 3 wide and begins at -2.25. Its first row is the real axis: the other half of the set is the mirror image.
ivec2 point_of(uint column, uint row) {
    return ivec2(column * 3 * one / picture_width, row * 3 * one / picture_width) - ivec2(9 * one / 4, 0);
}

// [escape]
// The number of rounds until |z| exceeds 2.
uint rounds_until_escape(ivec2 c) {
    ivec2 z = ivec2(0);
    for (uint k = 0; k < rounds; ++k) {
        const ivec2 squares = z * z;
        if (squares.x + squares.y > square_of_2)
            return k;
        z = ivec2((squares.x - squares.y) >> 12,
                  (2 * z.x * z.y) >> 12) + c;
    }
    return rounds;
}
// [/escape]
