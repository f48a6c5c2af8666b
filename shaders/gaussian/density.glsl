// The density of a normal distribution in f32, and its parameters.
#ifndef GRIDSTRIDE_GAUSSIAN_DENSITY
#define GRIDSTRIDE_GAUSSIAN_DENSITY

#define PARAMETERS float mean; float inverse_sigma; float peak;
#include "common/launch.glsl"

// [density]
float density(float x) {
    const float z = (x - launch.mean)
                  * launch.inverse_sigma;
    return launch.peak
         * exp(-0.5 * z * z);
}
// [/density]

vec4 density(vec4 x) {
    const vec4 z = (x - launch.mean)
                 * launch.inverse_sigma;
    return launch.peak
         * exp(-0.5 * z * z);
}

#endif
