// Shared by the norms of rows: the norm is the square root of the sum of the squares. The last row may be shorter than the others.

// The rows of this dispatch, and where in x a row begins and ends.
uint row_count() { return (launch.count + row_length - 1) / row_length; }
uint begin_of(uint row) { return row * row_length; }
uint end_of(uint row) { return min(begin_of(row) + row_length, launch.count); }

void store_norm(uint row, float sum_of_squares) {
    norms[place_of(begin_of(row)) / row_length] = sqrt(sum_of_squares);
}
