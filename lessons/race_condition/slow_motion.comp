// Like coherent.comp, and the first two invocations take a ticket at each of their three steps: after the load and before the
// store. A fence on both sides of a ticket orders it with these. So if a load has a lower ticket than the other invocation's
// store, it was executed before that store.
#include "invocations.glsl"

// moments has a row for each of the two, and in it the step that took this ticket.
void note_moment(uint step_of_three) {
    memoryBarrierBuffer();
    if (repetition == 0 && launch.first == 0 && global_index() < 2)
        moments[6 * global_index() + atomicAdd(ticket[0], 1)] = step_of_three;
    memoryBarrierBuffer();
}

void main() {
    for (uint i = global_index(); i < launch.count; i += invocation_count()) {
        // [count]
        const uint seen = counts[repetition];
        note_moment(1);
        const uint sum = seen + 1;
        note_moment(2);
        note_moment(3);
        counts[repetition] = sum;
        // [/count]
    }
}
