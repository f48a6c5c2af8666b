// Shared by the kernels that add up the columns of a row-major matrix. The rows of a large matrix come in several dispatches, and
// each dispatch adds its part.

// The rows of this dispatch.
uint row_count() { return (launch.count + row_length - 1) / row_length; }

// 0 past the end of the last row, which may be shorter.
float number_at(uint row, uint column) {
    const uint i = row * row_length + column;
    return i < launch.count ? x[place_of(i)] : 0.0;
}

// One invocation calls this for each column, once.
void store_sum(uint column, float sum) { sums[column] = launch.fresh == 1 ? sum : sums[column] + sum; }
