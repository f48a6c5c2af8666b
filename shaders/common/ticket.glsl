// Finds the last workgroup: each workgroup takes a ticket after it has stored its result, and the one with the last ticket
// knows that all other results are complete. TICKET_BINDING is the binding of one uint that is 0 before the launch.
#include "common/launch.glsl"

layout(std430, binding = TICKET_BINDING) coherent buffer Ticket { uint tickets_taken; };

// One invocation of each workgroup calls this once. Returns true for the last workgroup of the launch.
// [ticket]
bool is_done_last() {
    memoryBarrierBuffer();  // release
    if (launch.last == 0) return false;
    uint ticket = atomicAdd(tickets_taken, 1);
    memoryBarrierBuffer();  // acquire
    if (ticket + 1 != gl_NumWorkGroups.x)
        return false;
    tickets_taken = 0;  // for the next launch
    return true;
}
// [/ticket]
