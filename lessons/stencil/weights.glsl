// Shared by the filters of 5 x 5 numbers. The weight of a number is the product of a weight for its
// column and a weight for its row, so five weights give 25.

// [weights]
// Of a row or a column. Their sum is 1.
const float weights[5] = float[](
    1.0 / 16, 4.0 / 16, 6.0 / 16,
    4.0 / 16, 1.0 / 16);
// [/weights]
