/** Weights and effective amounts carry nine decimals (`SCALE_PRECISION_FACTOR` of @streamflow/staking). */
export const WEIGHT_SCALE = 1_000_000_000n;

/**
 * What a stake counts for, scaled by 10⁹: amount × weight. The weight rises linearly from 1 at the shortest duration to
 * the pool's largest at the longest, and is 1 where both durations are the same (`calculateStakeWeight` of
 * @streamflow/staking; the scale is that of its reward tests).
 *
 * @param amount base units
 * @param duration seconds
 */
export function effectiveAmount(
  amount: bigint,
  duration: bigint,
  pool: { readonly minDuration: bigint; readonly maxDuration: bigint; readonly maxWeight: bigint },
): bigint {
  const span = pool.maxDuration - pool.minDuration;
  if (span === 0n) return amount * WEIGHT_SCALE;
  const share = ((duration - pool.minDuration) * WEIGHT_SCALE) / span;
  const weight = WEIGHT_SCALE + (share * (pool.maxWeight - WEIGHT_SCALE)) / WEIGHT_SCALE;
  return amount * (weight > WEIGHT_SCALE ? weight : WEIGHT_SCALE);
}
