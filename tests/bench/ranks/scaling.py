# SPDX-License-Identifier: Apache-2.0
"""What several ranks cost, and what many would: ./dev bench ranks [CHECKPOINT]

    python3 scaling.py BILLOW PARTITION FOLDER [CHECKPOINT]

Bakes scaling.yaml alone, on 2 and on 4 ranks, fits a model of a step's time to it and says what it makes of 16, 64 and
256 ranks on three networks. Then deals the tiles of a real sparse frame (CHECKPOINT, else the preset plume's last one,
at half its resolution) out to up to 64 ranks, as it is and with finer voxels. Times are of processor, so that a busy
machine does little harm. Assumed, not measured: the networks, and that a rank has 16 cores that are 12 together."""
import csv
import os
import subprocess
import sys
from pathlib import Path

TILE = 16384  # bytes of a component
NETWORKS = {"10 Gbit/s": (30e-6, 1.1e9), "100 Gbit/s": (10e-6, 11e9), "InfiniBand 200": (2e-6, 23e9)}  # s, B/s
CORES = 12.0
# bytes that each rank gets for every tile there is: moments of the right-hand side; a cycle: what level 1 gets, squares
ALL_STEP, ALL_CYCLE, FACE_CYCLE = 2960 + 200, 2048 + 64, 8 * 512
FRAMES = (4, 8)  # steps between are measured
MEASURE = """import os, resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
open(sys.argv[1] + "." + os.environ.get("OMPI_COMM_WORLD_RANK", "0"), "w").write(str(used.ru_utime + used.ru_stime))
sys.exit(code)"""


def bake(billow, folder, ranks, last):
    """Processor seconds of each rank, and the frames' rows of timings.csv."""
    out, notes = folder / f"{ranks}_{last}", folder / "cpu"
    env = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1")
    run = [sys.executable, "-c", MEASURE, str(notes), billow, "bake", str(Path(__file__).with_name("scaling.yaml")),
           "--out", str(out), "--force", "--threads", "1", "--frames", f"1-{last}"]
    mpi = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(ranks)] if ranks > 1 else []
    subprocess.run(mpi + run, check=True, env=env, capture_output=True)
    with open(out / "timings.csv") as file:
        rows = list(csv.DictReader(file))
    return [float((folder / f"cpu.{r}").read_text()) for r in range(ranks)], rows


def step(billow, folder, ranks):
    """Of one step of the first rank: processor seconds but for those spent in MPI, bytes and messages sent."""
    few, _ = bake(billow, folder, ranks, FRAMES[0])
    many, rows = bake(billow, folder, ranks, FRAMES[1])
    steps = FRAMES[1] - FRAMES[0]
    sent = [sum(float(r.get(f"ranks.{what}", 0)) for r in rows[FRAMES[0]:]) / steps
            for what in ("busy", "bytes", "messages")]
    return (many[0] - few[0]) / steps - sent[0], *sent[1:]


def partition(program, checkpoint, refine):
    """By the number of ranks: tiles in all, most and mean, ghosts most and mean, ranks beside, faces."""
    said = subprocess.run([program, checkpoint, str(refine)], check=True, capture_output=True, text=True).stdout
    return {int(line.split()[0]): [float(x) for x in line.split()[1:]] for line in said.splitlines()}


def shell(tiles):
    """Tiles round a cube of as many."""
    return (tiles ** (1 / 3) + 2) ** 3 - tiles


class Model:
    def __init__(self, one, two, four, parts, cycles):
        tiles, most, _, _, ghosts, beside, faces = parts[4]
        self.cycles = cycles
        self.alike = max(0.0, (four[0] - one[0] * most / tiles) / (tiles - most))  # s a tile that is another's
        self.own = one[0] / tiles
        shared = most * (ALL_STEP + ALL_CYCLE * cycles) + faces * FACE_CYCLE * cycles
        self.comps = (four[1] - shared) / (ghosts * TILE)
        self.exchanges = (four[2] - two[2]) / (beside - parts[2][5])
        self.gathers = two[2] - self.exchanges * parts[2][5]

    def parts(self, rows, ranks):
        if ranks in rows:
            return rows[ranks]
        tiles, share = rows[64][0], rows[64][0] / ranks  # beyond 64 the shape of what 64 have
        like = shell(share) / shell(rows[64][2])
        return [tiles, share * rows[64][1] / rows[64][2], share, rows[64][3] * like, rows[64][4] * like, rows[64][5],
                rows[64][6] * (share / rows[64][2]) ** (2 / 3)]

    def seconds(self, rows, ranks, network):
        """Own work, work that all do alike, halos, what goes to all, messages."""
        tiles, most, _, ghosts, _, beside, faces = self.parts(rows, ranks)
        latency, rate = network
        everyone = (tiles - most) * (ALL_STEP + ALL_CYCLE * self.cycles) / rate
        halo = (ghosts * self.comps * TILE + faces * FACE_CYCLE * self.cycles) / rate
        hops = self.exchanges * beside + self.gathers * max(1, (ranks - 1).bit_length())
        return (self.own * most / CORES, self.alike * (tiles - most) / CORES, halo, everyone, hops * latency)


def predict(model, rows):
    tiles = rows[1][0]
    alone = model.own * tiles / CORES
    print(f"\n{tiles:.0f} tiles, {tiles * 4096 / 1e6:.0f} million cells; one rank {alone:.2f} s a step\n")
    print("| ranks | network | s a step | own | alike | halos | to all | messages | of ideal |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for ranks in (16, 64, 256):
        for name, network in NETWORKS.items():
            part = model.seconds(rows, ranks, network)
            print(f"| {ranks} | {name} | {sum(part):.3f} | " + " | ".join(f"{x:.3f}" for x in part) +
                  f" | {alone / ranks / sum(part):.0%} |")


def table(rows, comps):
    print("| tiles | ranks | most of one | imbalance | ghosts, most | halo a step | ranks beside |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for each in rows:
        for ranks in (4, 16, 64):
            tiles, most, mean, ghosts, _, beside, _ = each[ranks]
            print(f"| {tiles:.0f} | {ranks} | {most:.0f} | {most / mean:.2f} | {ghosts:.0f} | "
                  f"{ghosts * comps * TILE / 1e6:.0f} MB | {beside:.0f} |")


def main():
    billow, program, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    one, two, four = (step(billow, folder, n) for n in (1, 2, 4))
    own = folder / "own"
    subprocess.run([billow, "bake", str(Path(__file__).with_name("scaling.yaml")), "--out", str(own), "--force",
                    "--frames", "1-4", "--set", "checkpoints.frames=4"], check=True, capture_output=True)
    with open(own / "metrics.csv") as file:
        cycles = float(list(csv.DictReader(file))[-1]["mac.project.iterations"])
    mine = str(next((own / "checkpoints").glob("*.bwck")))
    model = Model(one, two, four, partition(program, mine, 1), cycles)
    print(f"a step: {one[0]:.2f} s of processor alone, {two[0]:.2f} s the first of 2 ranks, {four[0]:.2f} s of 4")
    print(f"a tile: {model.own * 1e3:.2f} ms, of another's {model.alike * 1e3:.3f} ms; {cycles:.0f} cycles")
    print(f"{model.comps:.1f} components of ghosts, {model.exchanges:.0f} exchanges, {model.gathers:.0f} gathers")
    for refine in (2, 4):
        predict(model, partition(program, mine, refine))
    real = sys.argv[4] if len(sys.argv) > 4 else None
    if not real:
        subprocess.run([billow, "bake", "plume", "--quick", "--out", str(folder / "plume"), "--force", "--set",
                        "export=[]"], check=True, capture_output=True)
        real = str(max((folder / "plume" / "checkpoints").glob("*.bwck")))
    print()
    table([partition(program, real, refine) for refine in (2, 4, 8)], model.comps)


main()
