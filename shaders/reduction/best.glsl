// Of each workgroup the largest number that it saw and where that stands, in buffers at bindings 1 and 2. Its kernel says
// before what the numbers are:
//     #define ELEMENT float
#include "common/launch.glsl"

layout(std430, binding = 1) buffer Largests { ELEMENT largests[]; };
layout(std430, binding = 2) buffer Places { uint places[]; };

const uint nowhere = 0xFFFFFFFFu;  // in places[] before the launch

// One invocation of each workgroup calls this with the largest number that its workgroup went over, and its place in the
// whole: place_of(i). A workgroup that saw none does not.
void leave_best(ELEMENT number, uint place) {
    const uint mine = workgroup();
    const bool better = places[mine] == nowhere || number > largests[mine]
                     || (number == largests[mine] && place < places[mine]);
    if (!better) return;
    largests[mine] = number;
    places[mine] = place;
}
