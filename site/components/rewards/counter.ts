/** How the stated yield is counted up to. */
export const COUNTER = { steps: 60, milliseconds: 2_000 } as const;

/**
 * What a counter shows at one of its steps on the way from zero to a target, with as many decimals as the target has.
 * Before the first step it is zero, from the last one the target itself.
 */
export function counterText(target: string, step: number, steps: number): string {
  if (step >= steps) return target;
  const decimals = target.split('.')[1]?.length ?? 0;
  return ((Number(target) * Math.max(0, step)) / steps).toFixed(decimals);
}
