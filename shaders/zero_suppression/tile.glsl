// A tile of samples in the registers of a workgroup: `vectors` times eight samples for each invocation. Shared by the first and
// the last launch of compact_registers. The includer requires the subgroup extensions of common/subgroups.glsl and
// GL_EXT_control_flow_attributes.
#ifndef GRIDSTRIDE_ZERO_SUPPRESSION_TILE
#define GRIDSTRIDE_ZERO_SUPPRESSION_TILE

#include "zero_suppression/survivors.glsl"
#define ELEMENT uint
#include "common/subgroups.glsl"

layout(constant_id = 4) const uint vectors = 2;
const uint tile_size = 8 * vectors * gl_WorkGroupSize.x;

uvec4 own[vectors];   // the samples of this invocation
uint masks[vectors];  // bit k: sample k of these eight survives

// Each subgroup has a part of the tile. With each v, neighbouring lanes have neighbouring vectors.
uint vector_in_tile(uint v) { return gl_SubgroupID * gl_SubgroupSize * vectors + v * lanes + lane; }

// start: the first sample of the tile, in this dispatch.
void load_tile(uint start) {
    [[unroll]] for (uint v = 0; v < vectors; ++v) own[v] = load_eight(start / 8 + vector_in_tile(v));
    [[unroll]] for (uint v = 0; v < vectors; ++v) masks[v] = survivors(own[v], start / 8 + vector_in_tile(v));
}

#endif
