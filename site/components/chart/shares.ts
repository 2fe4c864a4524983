/** A hatching: a tile of `size` user units with one path. Hatchings distinguish the parts of a chart without relying on color. */
interface Hatch {
  readonly size: number;
  readonly path: string;
  /** Stroke width. If it equals `size`, the tile is solid. */
  readonly stroke: number;
}

export const HATCHES: readonly Hatch[] = [
  { size: 4, path: 'M0 2h4', stroke: 4 },
  { size: 6, path: 'M-1 7L7-1M-1 1L1-1M5 7L7 5', stroke: 1.6 },
  { size: 5, path: 'M0 2.5h5', stroke: 1.2 },
  { size: 8, path: 'M0 0L8 8M8 0L0 8', stroke: 1 },
  { size: 5, path: 'M2.5 0v5', stroke: 1.2 },
  { size: 6, path: 'M-1 5L1 7M-1-1L7 7M5-1L7 1', stroke: 1 },
  { size: 7, path: 'M3.5 2.5v2', stroke: 2 },
  { size: 9, path: 'M0 4.5h9M4.5 0v9', stroke: 0.8 },
];

export interface Share {
  readonly id: string;
  readonly label: string;
  readonly percent: number;
}

const roundToHundredths = (value: number) => Math.round(value * 100) / 100;

/** Places shares side by side across a width, with gaps. @returns each share with its position and width, in user units */
export function placeShares(shares: readonly Share[], width: number, gap: number) {
  const total = shares.reduce((sum, { percent }) => sum + percent, 0);
  const availableWidth = width - gap * Math.max(0, shares.length - 1);
  let x = 0;
  return shares.map((share) => {
    const placedShare = {
      ...share,
      x: roundToHundredths(x),
      width: roundToHundredths((share.percent / total) * availableWidth),
    };
    x += (share.percent / total) * availableWidth + gap;
    return placedShare;
  });
}
