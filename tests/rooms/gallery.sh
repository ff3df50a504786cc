# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The gallery's and the recipes' pictures: ./dev gallery, which reads this.

# Each preset of the gallery, with the frame that shows it at its best.
gallery="burning_letters:14 wall_of_fire:14 torch_wind:9 campfire:8 fireball:14 gas_explosion:9 smoke_fire_mix:14
    candle:3 plume:42 plume_city:28 moving_ball:31 wind_tunnel:24 vortex_ring:16 crossed_tubes:22 blast_3d:12
    ink_2d:22 spinning_ball:20 rifled_ball:27 ring_collision:25 explosion_rooms:16 dragon_breath:18 shock_dust:8
    vortex_cannon:35 explosion_rooms_3d:15 leapfrog:21 dye_drop:27 drop_collision:22 ball_through_smoke:24
    rayleigh_taylor:24 hot_plume_vortons:22"
gallery_height=540 # pixels of a picture; JPEG, some 30 kB each

# The recipes of the guide, small: voxels twice as wide.
recipes="darker:13 slower:60 bigger:70 your_mesh_burns:8 your_path_for_flames:20 your_path:56 your_path_from_a_file:60
    your_lamps:50 a_lamp_in_the_smoke_that_wanders:36 your_camera:14 over_your_plate:10"

# What the recipes read: a chair of six boxes in centimetres, y up, a dragon's way, one that winds along the ground, y
# up, and a source that climbs in a spiral.
recipe_files() {
    mkdir -p "$1/geo"
    awk 'function box(x, y, z, w, h, d,   i) {
            for (i = 0; i < 8; i++) print "v", x + w * (i % 2), y + h * (int(i / 2) % 2), z + d * int(i / 4)
            print "f", n + 1, n + 3, n + 4, n + 2; print "f", n + 5, n + 6, n + 8, n + 7
            print "f", n + 1, n + 2, n + 6, n + 5; print "f", n + 3, n + 7, n + 8, n + 4
            print "f", n + 1, n + 5, n + 7, n + 3; print "f", n + 2, n + 4, n + 8, n + 6
            n += 8
        }
        BEGIN {
            box(-16, 20, -16, 32, 4, 32); box(-16, 24, -16, 32, 32, 4)
            for (k = 0; k < 4; k++) box(k % 2 ? 12 : -16, 0, k > 1 ? 12 : -16, 4, 20, 4)
        }' >"$1/geo/chair.obj"
    printf '%s\n' x,y,z -1.1,0.04,1.21 -0.5,0.2,0.8 0.1,0.4,0.55 0.6,0,0.6 0.6,-0.4,1 0.1,-0.35,1.4 -0.4,-0.1,1.5 \
        >"$1/geo/flight.csv"
    awk 'BEGIN { for (k = 0; k <= 40; k++) printf "v %g %g %g\n", -0.75 + k * 0.035, 0.1 + k * 0.012, 0.35 * sin(k / 5)
        printf "l"; for (k = 1; k <= 41; k++) printf " %d", k }' >"$1/geo/way.obj"
    awk -v to="$1/geo" 'BEGIN { for (f = 1; f <= 72; f++) {
            file = sprintf("%s/path_%04d.csv", to, f)
            printf "x,y,z\n%g,%g,%g\n", 0.45 * cos(f / 9), 0.45 * sin(f / 9), 0.2 + f / 50 >file
            close(file)
        } }'
}

# recipe_picture NAME OUT: of its movie, or, where it wrote light with alpha, of that over a plate.
recipe_picture() {
    local picture="$root/docs/gallery/recipes/$1.jpg" light
    light=$(find "$2" -name '*.exr' | head -1)
    mkdir -p "$root/docs/gallery/recipes"
    if [ -n "$light" ]; then
        ffmpeg -v error -y -f lavfi -i "gradients=s=960x540:c0=0x26323f:c1=0x9a7b5c:x0=0:y0=0:x1=0:y1=539:nb_colors=2" \
            -apply_trc iec61966_2_1 -i "$light" \
            -filter_complex "[1]scale=-2:360[a];[0]scale=-2:360[b];[b][a]overlay=(W-w)/2:0" -frames:v 1 \
            -q:v 3 "$picture" </dev/null
    else
        ffmpeg -v error -y -i "$(find "$2" -name '*.mp4' | head -1)" -vf scale=-2:360 -frames:v 1 -q:v 3 "$picture" \
            </dev/null
    fi
}

make_recipes() {
    local folder="$root/out/recipes" made="$root/tests/rooms/gallery.py" entry name failed=0 look
    recipe_files "$folder"
    "$made" "$root" --recipes "$folder"
    for entry in $recipes; do
        name=${entry%:*}
        [[ " $* " == *" recipes/$name:"* ]] || continue
        say "gallery: recipes/$name"
        look=(--mute mp4)
        grep -q exr: "$folder/$name.yaml" ||
            look=(--set export.mp4.quality=final --set export.mp4.crf=8 --set export.mp4.size=720)
        billow bake "$folder/$name.yaml" "${look[@]}" --quick --out "$folder/$name" --force --mute vdb \
            --set checkpoints.every=0 --frames "${entry#*:}-${entry#*:}" >/dev/null &&
            recipe_picture "$name" "$folder/$name" && "$made" "$root" --made "recipes/$entry" ||
            { say "recipes/$name failed"; failed=1; }
    done
    return $failed
}

# gallery_picture NAME: docs/gallery/NAME.jpg from the movie of a bake of one frame.
gallery_picture() {
    local name=$1 movie="$root/out/gallery/$1/$1.mp4" picture="$root/docs/gallery/$1.jpg"
    ffmpeg -v error -y -i "$movie" -vf "scale=-2:$gallery_height" -frames:v 1 -q:v 2 "$picture" </dev/null &&
        [ -s "$picture" ]
}

# The frame that is shown is rendered alone, at final quality; those before it are simulated only.
make_gallery() {
    local entry entries=$gallery name frame failed=0 look made="$root/tests/rooms/gallery.py"
    need ffmpeg
    mkdir -p "$root/docs/gallery"
    local small
    small=$(printf 'recipes/%s ' $recipes)
    if [ $# = 0 ]; then
        entries=$("$made" "$root" --changed $gallery)
        small=$("$made" "$root" --changed $small)
    elif [ "$1" != --all ]; then
        small=$(for entry in $small; do if [[ " $* " == *" ${entry%:*} "* ]]; then echo "$entry"; fi; done)
    fi
    # shellcheck disable=SC2086
    make_recipes $small || failed=1
    for entry in $entries; do
        name=${entry%:*} frame=${entry#*:}
        [ $# = 0 ] || [ "$1" = --all ] || [[ " $* " == *" $name "* ]] || continue
        say "gallery: $name"
        look=(--set export.mp4.quality=final --set export.mp4.crf=8)
        billow bake "$name" "${look[@]}" --out "$root/out/gallery/$name" --force --mute vdb --set checkpoints.every=0 \
            --frames "$frame-$frame" >/dev/null &&
            gallery_picture "$name" && "$made" "$root" --made "$entry" || { say "$name failed"; failed=1; }
    done
    return $failed
}

