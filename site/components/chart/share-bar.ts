/** A part of a whole, by its share in percent. */
export interface Share {
  readonly id: string;
  readonly label: string;
  readonly percent: number;
}

export interface PlacedShare extends Share {
  /** Where the part begins and how wide it is, in user units. */
  readonly x: number;
  readonly width: number;
}

/** Parts laid end to end over a width, in their order, a gap apart. */
export function placeShares(shares: readonly Share[], width: number, gap: number): readonly PlacedShare[] {
  const whole = shares.reduce((sum, { percent }) => sum + percent, 0);
  const room = width - gap * Math.max(0, shares.length - 1);
  let x = 0;
  return shares.map((share) => {
    const placed = { ...share, x: round(x), width: round((share.percent / whole) * room) };
    x += (share.percent / whole) * room + gap;
    return placed;
  });
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
