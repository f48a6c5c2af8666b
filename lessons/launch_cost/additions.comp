// One invocation adds again and again. Each addition needs the sum of the one before.

void main() {
    // [add]
    float sum = 0.0;
    for (uint i = 0; i < steps; ++i)
        sum += 1.0;
    // [/add]
    total[0] = sum;
}
