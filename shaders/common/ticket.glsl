// Who is done last: each workgroup takes a ticket when it has left its result, and the one with the last ticket knows
// that all other results are in place. TICKET_BINDING is the binding of one uint that is 0 before the launch.
#include "common/launch.glsl"

layout(std430, binding = TICKET_BINDING) coherent buffer Ticket { uint tickets_taken; };

// One invocation of each workgroup calls this, once. Whether no workgroup of the launch is behind it.
bool is_done_last() {
    memoryBarrierBuffer();  // what it left first, the ticket after it
    if (launch.last == 0) return false;
    if (atomicAdd(tickets_taken, 1) + 1 != gl_NumWorkGroups.x) return false;
    tickets_taken = 0;  // ready for the next launch
    return true;
}
