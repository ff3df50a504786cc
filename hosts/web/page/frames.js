// SPDX-License-Identifier: Apache-2.0
// Lists of frames.

/** All available frames of a source, sorted. Files that a bake has written since the last look at its folder are there. */
export function framesOf(source) {
  const out = new Set(source?.unwritten), ranges = source?.ranges ?? [], last = ranges.at(-1)?.[1] ?? Infinity;
  for (const [a, b] of ranges) for (let f = a; f <= b; f++) out.add(f);
  if (source?.running) for (let f = last + 1; f <= (source.written ?? -Infinity); f++) out.add(f);
  return [...out].sort((a, b) => a - b);
}

/** The frame of a list that is nearest to `frame`; Infinity: the list is empty. */
export const nearestFrame = (frames, frame) => frames.reduce((best, f) => Math.abs(f - frame) < Math.abs(best - frame) ? f : best, Infinity);
