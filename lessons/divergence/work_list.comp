// A workgroup goes through its elements a tile at a time. It first lists the elements of the tile that need the long loop. Then its
// invocations share the list, so that all lanes have a loop to execute, except in the last subgroup of the list.

const uint elements_each = 4;  // the longer the list, the smaller the part of its last subgroup
shared uint list[elements_each * gl_WorkGroupSize.x];
shared uint list_length;

void main() {
    const uint size = gl_WorkGroupSize.x, lane = gl_LocalInvocationIndex, tile = elements_each * size;
    for (uint first = gl_WorkGroupID.x * tile; first < launch.count; first += launch.workgroup_count * tile) {
        if (lane == 0) list_length = 0;
        barrier();
        const uint end = min(first + tile, launch.count);
        for (uint i = first + lane; i < end; i += size) {
            const uint x = numbers[i];
            if (x % 100 < share) list[atomicAdd(list_length, 1)] = i;
            else results[i] = x;
        }
        barrier();
        for (uint entry = lane; entry < list_length; entry += size) {
            const uint i = list[entry];
            uint x = numbers[i];
            for (uint k = 0; k < rounds; ++k) x = 5 * (x ^ x >> 7) + 1;
            results[i] = x;
        }
        barrier();  // before the list is emptied
    }
}
