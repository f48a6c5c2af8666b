// The factors are stored with zeros behind their last row and column, so that all tiles are whole.
// Arrays of factors have elements of eight f16, 16 bytes: an octet. a_at() and b_at() are indices of octets.
uint a_at(uint row, uint column) { return row * (padded_k / 8) + column / 8; }
uint b_at(uint row, uint column) { return row * (padded_columns / 8) + column / 8; }
uint c_at(uint row, uint column) { return row * padded_columns + column; }
