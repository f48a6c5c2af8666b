// Matrices of 16 x 16 that a subgroup holds and multiplies together, its lanes each a part: GL_KHR_cooperative_matrix, or
// GL_NV_cooperative_matrix under the same names. The program defines HAS_MATRIX_UNITS for devices that have them, and
// HAS_BYTE_MATRICES for those that have them for bytes as well. Elsewhere 32 invocations take the place of a subgroup, and each
// computes 8 results.
//
//   FragmentA a; FragmentB b;                               factors, of f16
//   ByteFragmentA a; ByteFragmentB b;                       16 x 32 and 32 x 16 signed bytes; b is loaded by columns
//   Sums sums = zero_sums;  HalfSums half_sums = zero_half_sums;  IntSums int_sums = zero_int_sums;   of f32, f16 and i32
//   coopMatLoad(a, array, at, stride, ROW_MAJOR);           also b, and sums
//   sums = coopMatMulAdd(a, b, sums);                       sums + a * b
//   for (int e = 0; e < sums.length(); ++e) sums[e] = …     the part of this lane; which results those are is left open
//   coopMatStore(sums, array, at, stride, ROW_MAJOR);       to_sums(half_sums), to_sums(int_sums) convert the others
//
// Arrays of factors are uvec4, eight f16 or 16 bytes each, and those of sums float. `at` and `stride` count elements of the array.
#ifndef GRIDSTRIDE_COOPERATIVE_MATRIX
#define GRIDSTRIDE_COOPERATIVE_MATRIX

#ifdef HAS_MATRIX_UNITS
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#ifdef HAS_BYTE_MATRICES
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#endif
uint subgroup() { return gl_SubgroupID; }
#define zero_sums Sums(0.0)
#define zero_half_sums HalfSums(0.0)
#define to_sums(others) Sums(others)
#define zero_int_sums IntSums(0)

#ifdef GL_KHR_cooperative_matrix
#extension GL_KHR_cooperative_matrix : require
#define FragmentA coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
#define FragmentB coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>
#define Sums coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
#define HalfSums coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
#define ByteFragmentA coopmat<int8_t, gl_ScopeSubgroup, 16, 32, gl_MatrixUseA>
#define ByteFragmentB coopmat<int8_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB>
#define IntSums coopmat<int, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
#define ROW_MAJOR gl_CooperativeMatrixLayoutRowMajor
#define COLUMN_MAJOR gl_CooperativeMatrixLayoutColumnMajor
#else
#extension GL_NV_cooperative_matrix : require
#ifdef HAS_BYTE_MATRICES
#extension GL_NV_integer_cooperative_matrix : require
#endif
#define FragmentA fcoopmatNV<16, gl_ScopeSubgroup, 16, 16>
#define FragmentB FragmentA
#define Sums fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>
#define HalfSums FragmentA
#define ByteFragmentA icoopmatNV<8, gl_ScopeSubgroup, 16, 32>
#define ByteFragmentB icoopmatNV<8, gl_ScopeSubgroup, 32, 16>
#define IntSums icoopmatNV<32, gl_ScopeSubgroup, 16, 16>
#define ROW_MAJOR false
#define COLUMN_MAJOR true
#define coopMatLoad coopMatLoadNV
#define coopMatStore coopMatStoreNV
#define coopMatMulAdd coopMatMulAddNV
#endif

#else
// [lanes]
// Lane l has 8 results of row l / 2, and all
// that they need: that row of a, and half of b.
#define FragmentA vec4[4]
#define FragmentB vec4[32]
#define Sums float[8]
#define HalfSums uint[4]
// [/lanes]
#define ByteFragmentA uvec4[2]
#define ByteFragmentB uvec4[16]
#define IntSums int[8]
#define zero_sums Sums(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
#define zero_half_sums HalfSums(0u, 0u, 0u, 0u)
#define zero_int_sums IntSums(0, 0, 0, 0, 0, 0, 0, 0)
#define ROW_MAJOR 0
#define COLUMN_MAJOR 0
uint subgroup() { return gl_LocalInvocationIndex / 32; }
uint matrix_row() { return gl_LocalInvocationIndex % 32 / 2; }
uint matrix_half() { return gl_LocalInvocationIndex % 2; }

// Where element e of a lane's part stands: row, and column in elements of the array. Of b in bytes: column, and row in elements.
uvec2 place(FragmentA a, uint e) { return uvec2(matrix_row(), e / 2); }
uvec2 place(FragmentB b, uint e) { return uvec2(e / 2, matrix_half()); }
uvec2 place(ByteFragmentA a, uint e) { return uvec2(matrix_row(), e); }
uvec2 place(ByteFragmentB b, uint e) { return uvec2(8 * matrix_half() + e / 2, e % 2); }
uvec2 place(Sums sums, uint e) { return uvec2(matrix_row(), 8 * matrix_half() + e); }
vec4 part(uvec4 octet, uint e) {
    const uvec2 half_of = e % 2 == 0 ? octet.xy : octet.zw;
    return vec4(unpackHalf2x16(half_of.x), unpackHalf2x16(half_of.y));
}
vec4 part(FragmentA a, uvec4 octet, uint e) { return part(octet, e); }
vec4 part(FragmentB b, uvec4 octet, uint e) { return part(octet, e); }
uvec4 part(ByteFragmentA a, uvec4 quad, uint e) { return quad; }
uvec4 part(ByteFragmentB b, uvec4 quad, uint e) { return quad; }
float part(Sums sums, float number, uint e) { return number; }
#define coopMatLoad(m, array, at, stride, order) \
    for (uint e = 0; e < m.length(); ++e) \
        m[e] = part(m, array[(at) + place(m, e).x * (stride) + place(m, e).y], e)
#define coopMatStore(m, array, at, stride, order) \
    for (uint e = 0; e < m.length(); ++e) array[(at) + place(m, e).x * (stride) + place(m, e).y] = m[e]

Sums coopMatMulAdd(FragmentA a, FragmentB b, Sums c) {
    vec4 left = vec4(c[0], c[1], c[2], c[3]), right = vec4(c[4], c[5], c[6], c[7]);
    for (uint k = 0; k < 16; ++k) {
        left += a[k / 4][k % 4] * b[2 * k];
        right += a[k / 4][k % 4] * b[2 * k + 1];
    }
    return Sums(left.x, left.y, left.z, left.w, right.x, right.y, right.z, right.w);
}
Sums to_sums(HalfSums c) {
    const vec4 left = part(uvec4(c[0], c[1], 0, 0), 0), right = part(uvec4(c[2], c[3], 0, 0), 0);
    return Sums(left.x, left.y, left.z, left.w, right.x, right.y, right.z, right.w);
}
HalfSums coopMatMulAdd(FragmentA a, FragmentB b, HalfSums c) {
    const Sums s = coopMatMulAdd(a, b, to_sums(c));
    return HalfSums(packHalf2x16(vec2(s[0], s[1])), packHalf2x16(vec2(s[2], s[3])),
                    packHalf2x16(vec2(s[4], s[5])), packHalf2x16(vec2(s[6], s[7])));
}
ivec4 bytes_of(uint word) { return ivec4(uvec4(word) << uvec4(24, 16, 8, 0)) >> 24; }
int multiply_words(uint a, uint b) {
    const ivec4 products = bytes_of(a) * bytes_of(b);
    return products.x + products.y + products.z + products.w;
}
int multiply_bytes(uvec4 a, uvec4 b) {
    return multiply_words(a.x, b.x) + multiply_words(a.y, b.y) + multiply_words(a.z, b.z) + multiply_words(a.w, b.w);
}
IntSums coopMatMulAdd(ByteFragmentA a, ByteFragmentB b, IntSums c) {
    for (uint e = 0; e < 8; ++e) c[e] += multiply_bytes(a[0], b[2 * e]) + multiply_bytes(a[1], b[2 * e + 1]);
    return c;
}
Sums to_sums(IntSums c) { return Sums(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]); }
#endif

#endif
