// Each source adds a weight that falls with its distance to 0. With the subtraction before and the addition after it, a
// pair takes five operations.

// [weight]
float weight(float distance) {
    return max(0.0, 1.0 - distance * distance);
}
// [/weight]
