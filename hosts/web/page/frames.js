// SPDX-License-Identifier: Apache-2.0
// Lists of frames.

/** All available frames of a source, sorted. */
export function framesOf(source) {
  const out = new Set(source?.unwritten);
  for (const [a, b] of source?.ranges ?? []) for (let f = a; f <= b; f++) out.add(f);
  return [...out].sort((a, b) => a - b);
}

/** The frame of a list that is nearest to `frame`; Infinity: the list is empty. */
export const nearestFrame = (frames, frame) => frames.reduce((best, f) => Math.abs(f - frame) < Math.abs(best - frame) ? f : best, Infinity);
