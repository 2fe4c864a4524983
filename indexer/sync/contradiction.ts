/** What one endpoint says that the followed accounts hold at a slot. */
export interface AccountsTold {
  readonly endpoint: string;
  readonly slot: number;
  /** Equal where the accounts are. */
  readonly digest: string;
}

/**
 * The endpoints whose account state contradicts what others tell for the very same slot: those in the minority, and where
 * the sides are equal, those against the endpoint whose answer is stored. None where no two answered for one slot, or
 * none of equal sides is the stored one's.
 */
export function contradictors(told: readonly AccountsTold[], stored: string): readonly string[] {
  const found: string[] = [];
  for (const slot of new Set(told.map((one) => one.slot))) {
    const sides = Map.groupBy(
      told.filter((one) => one.slot === slot),
      ({ digest }) => digest,
    );
    if (sides.size < 2) continue;
    const largest = Math.max(...[...sides.values()].map((side) => side.length));
    const largestSides = [...sides.values()].filter((side) => side.length === largest);
    const believed =
      largestSides.length === 1
        ? largestSides[0]
        : largestSides.find((side) => side.some(({ endpoint }) => endpoint === stored));
    if (!believed) continue;
    for (const side of sides.values()) {
      if (side !== believed) found.push(...side.map(({ endpoint }) => endpoint));
    }
  }
  return found;
}

/**
 * What two or more endpoints tell alike, whatever their slots, by slot: of several such states the one that most tell, and
 * among equals the furthest. None where no two agree.
 */
export function agreement<T extends AccountsTold>(told: readonly T[]): readonly T[] {
  const endpointsOf = (side: readonly T[]) => new Set(side.map(({ endpoint }) => endpoint)).size;
  const furthestOf = (side: readonly T[]) => Math.max(...side.map(({ slot }) => slot));
  const [agreed = []] = [...Map.groupBy(told, ({ digest }) => digest).values()]
    .filter((side) => endpointsOf(side) > 1)
    .toSorted((a, b) => endpointsOf(b) - endpointsOf(a) || furthestOf(b) - furthestOf(a));
  return agreed.toSorted((a, b) => a.slot - b.slot);
}
