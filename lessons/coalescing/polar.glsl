// Shared by the kernels with particles: the distance between two points in the plane, given by radius and angle.

// [distance]
// The law of cosines. The cosine is rounded, so
// the difference may be below 0.
float polar_distance(float radius, float angle,
                     float other_radius,
                     float other_angle) {
    const float squared = radius * radius
        + other_radius * other_radius
        - 2.0 * radius * other_radius
              * cos(angle - other_angle);
    return sqrt(max(squared, 0.0));
}
// [/distance]

const float mast_radius = 0.5, mast_angle = 0.5;
