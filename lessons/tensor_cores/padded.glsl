// The factors are stored with zeros behind their last row and column, so that all tiles are whole.
// Arrays of factors have elements of eight f16, 16 bytes: an octet.
uint padded_k() { return (k + 63) / 64 * 64; }
uint padded_columns() { return (columns + 127) / 128 * 128; }
// The octet of a, and of b, that begins at a row and a column.
uint a_at(uint row, uint column) { return row * (padded_k() / 8) + column / 8; }
uint b_at(uint row, uint column) { return row * (padded_columns() / 8) + column / 8; }
uint c_at(uint row, uint column) { return row * padded_columns() + column; }
