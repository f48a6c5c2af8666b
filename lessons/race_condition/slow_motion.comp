// Like coherent.comp, and the first two invocations take a ticket at each of their three steps, which shows their order.
#include "invocations.glsl"

// moments has a row for each of the two, and in it the step that took this ticket.
void note_moment(uint step_of_three) {
    if (repetition == 0 && launch.first == 0 && me() < 2)
        moments[6 * me() + atomicAdd(ticket[0], 1)] = step_of_three;
}

void main() {
    for (uint i = me(); i < launch.count; i += everyone()) {
        // [count]
        const uint seen = counts[repetition];
        note_moment(1);
        const uint sum = seen + 1;
        note_moment(2);
        counts[repetition] = sum;
        note_moment(3);
        // [/count]
    }
}
