// SPDX-License-Identifier: Apache-2.0
/* Where the eye is. It depends on the stage alone, never on the smoke, so that it stands still through a movie. */
#ifndef BW_CAMERA_H
#define BW_CAMERA_H

/// Vectors are orthonormal, world z-up.
struct bw_camera {
    double eye[3], right[3], up[3], forward[3];
    double tan_x, tan_y; ///< tangent of half the angle of view
};

/// Width over height that suits the stage, between 9:16 and 16:9.
double bw_camera_aspect(const double lo[3], const double hi[3]);
/// Look at the stage from in front, a little from the right and above, so that an upright cylinder in it just fits.
void bw_camera_fit(struct bw_camera *c, const double lo[3], const double hi[3], double aspect);

#endif
