// The reference of the Mandelbrot set: one pixel, with a real and an imaginary part of its own.

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= launch.count) return;
    const int real = int(i % picture_width * 12288 / picture_width) - 9216;
    const int imaginary = int(i / picture_width * 12288 / picture_width);
    int x = 0, y = 0;
    uint count = 0;
    while (count < rounds && x * x + y * y <= 67108864) {
        const int next = ((x * x - y * y) >> 12) + real;
        y = ((2 * x * y) >> 12) + imaginary;
        x = next;
        ++count;
    }
    pixels[i] = count;
}
