// SPDX-License-Identifier: Apache-2.0
/* Where the eye is. It depends on the stage and on what is asked for, never on the smoke, so that it stands still
 * through a movie. */
#ifndef BW_CAMERA_H
#define BW_CAMERA_H

/// Vectors are orthonormal, world z-up.
struct bw_camera {
    double eye[3], right[3], up[3], forward[3];
    double tan_x, tan_y; ///< tangent of half the angle of view
    double aperture;     ///< radius of the lens, m; 0: all is sharp
    double focus;        ///< m ahead to what is sharp
};

/// What is asked of a camera.
struct bw_aim {
    double azimuth;   ///< rad, from the front (-y) towards +x
    double elevation; ///< rad above the horizon
    double roll;      ///< rad, clockwise as one looks
    double distance;  ///< from the target; 0: so that the stage just fits
    double tan_long;  ///< tangent of half the angle of the picture's longer side
    double target[3]; ///< what it looks at …
    int has_target;   ///< … 0: the middle of the stage
    double aperture;  ///< radius of the lens, m
    double focus;     ///< m to what is sharp; 0: the target
};
/// From in front, a little from the right and above, low, so that smoke towers; a lens of 68 mm, little distortion.
#define BW_AIM_USUAL                                                                                                   \
    {                                                                                                                  \
        .azimuth = 0.41887902047863912, .elevation = 0.13089969389957470, .tan_long = 18.0 / 68                        \
    }

/// Width over height that suits the stage, between 9:16 and 16:9.
double bw_camera_aspect(const double lo[3], const double hi[3]);
/// Look at the stage so that an upright cylinder in it just fits. `aim` NULL: the usual one.
void bw_camera_fit(struct bw_camera *c, const struct bw_aim *aim, const double lo[3], const double hi[3],
                   double aspect);

#endif
