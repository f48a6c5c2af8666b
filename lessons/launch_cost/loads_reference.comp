// Where the loads end. The indices are computed, not loaded.
void main() {
    uint at = 0;
    for (uint left = steps; left > 0; --left) at = (at * 1664525u + 1013904223u) % list_length;
    last[0] = at;
}
