// The dot product of four signed bytes with four others, by the device's instruction (SPV_KHR_integer_dot_product, which this GLSL
// has no function for) or without it. The includer requires GL_EXT_spirv_intrinsics for the first, and has bytes_of() for the second.
#ifdef BY_INSTRUCTION
// [instruction]
// OpSDot over two packed words.
spirv_instruction(
    extensions = ["SPV_KHR_integer_dot_product"],
    capabilities = [6019, 6018], id = 4450)
int packed_dot(int a, int b,
               spirv_literal int format);

int dot_of_four(uint a, uint b) {
    return packed_dot(int(a), int(b), 0);
}
// [/instruction]
#else
// [shifts]
int dot_of_four(uint a, uint b) {
    const ivec4 terms = bytes_of(a) * bytes_of(b);
    return terms.x + terms.y
         + terms.z + terms.w;
}
// [/shifts]
#endif
