// Stores for each workgroup the largest number that it processed and its position, in buffers at bindings 1 and 2. The
// kernel defines the type of the numbers first:
//     #define ELEMENT float
#include "common/launch.glsl"

layout(std430, binding = 1) buffer Largests { ELEMENT largests[]; };
layout(std430, binding = 2) buffer Places { uint places[]; };

const uint nowhere = 0xFFFFFFFFu;  // in places[] before the launch

// One invocation of each workgroup calls this with the largest number of its workgroup, and its position in the whole
// array: place_of(i). A workgroup without numbers does not call it.
void store_best(ELEMENT number, uint place) {
    const uint mine = workgroup();
    const bool better = places[mine] == nowhere || number > largests[mine]
                     || (number == largests[mine] && place < places[mine]);
    if (!better) return;
    largests[mine] = number;
    places[mine] = place;
}
