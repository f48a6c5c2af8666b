// Shared by the kernels that follow chains. Element e follows one chain, and 32 neighbouring elements are in the same row of the list.

// Where in the list an element begins.
uint start_of(uint e) { return place_of(e) % (32 * row_count); }
