import { MAX_SLOT_DISTANCE } from '../../data/model/value-state.ts';

export interface EndpointMeasurements {
  /** Failures since the last success. */
  readonly failures: number;
  readonly answersOnlyErrors: boolean;
  /** Slots behind the endpoint with the newest slot; null if this endpoint's slot is not known. */
  readonly slotLag: number | null;
  readonly latencyMs: number | null;
}

/** A lag of up to this many slots (20 seconds) is ignored. */
const LAG_TOLERANCE = 50;
/** An endpoint is much slower than another if its latency is more than twice the other's plus this many milliseconds. */
const LATENCY_TOLERANCE_MS = 100;

const lagOf = ({ slotLag }: EndpointMeasurements): number =>
  (slotLag ?? 0) > LAG_TOLERANCE ? (slotLag ?? 0) : 0;

/**
 * Orders endpoints, best first. Endpoints that return only errors are last. The others are ordered by failures, lag and latency.
 */
export function byHealth(a: EndpointMeasurements, b: EndpointMeasurements): number {
  return (
    Number(a.answersOnlyErrors) - Number(b.answersOnlyErrors) ||
    a.failures - b.failures ||
    lagOf(a) - lagOf(b) ||
    (a.latencyMs ?? 0) - (b.latencyMs ?? 0)
  );
}

/**
 * Whether work should move from a working endpoint to another one. The other one must be ahead by more than the tolerance,
 * or much faster and behind by at most the tolerance. Smaller differences change all the time and are not worth a move.
 */
export function isClearlyBetter(other: EndpointMeasurements, current: EndpointMeasurements): boolean {
  if (other.failures > 0 || other.answersOnlyErrors || other.slotLag === null) return false;
  const lead = (current.slotLag ?? 0) - other.slotLag;
  if (lead > LAG_TOLERANCE) return true;
  if (lead < -LAG_TOLERANCE || other.latencyMs === null || current.latencyMs === null) return false;
  return current.latencyMs > 2 * other.latencyMs + LATENCY_TOLERANCE_MS;
}

const SLOT_MS = 400;
/** A node that is catching up may advance `CATCH_UP_FACTOR` times as fast as the chain, plus `CATCHING_UP_SLOTS`. */
const CATCH_UP_FACTOR = 4;
const CATCHING_UP_SLOTS = 512;

/** A slot, and when it was reported, in milliseconds of a monotonic clock. */
export interface ObservedSlot {
  readonly slot: number;
  readonly at: number;
}

/** Whether a slot is further ahead of an earlier one than a chain can advance in the time between them. */
export type ExceedsSlotRate = (slot: number, before: ObservedSlot, now: number) => boolean;

export const exceedsSlotRate: ExceedsSlotRate = (slot, before, now) =>
  slot - before.slot > ((now - before.at) / SLOT_MS) * CATCH_UP_FACTOR + CATCHING_UP_SLOTS;

/** The median, or the larger of the two middle slots. Null if there are no slots. */
export function medianSlot(slots: readonly number[]): number | null {
  return slots.toSorted((one, other) => one - other)[Math.floor(slots.length / 2)] ?? null;
}

/**
 * Whether an endpoint's slot must be compared with the current slots of the other endpoints. True if the slot is far ahead of
 * their recent slots. If none of them has a recent slot, true if the slot exceeds the slot rate or may exceed it.
 * @param others recent slots of the other endpoints
 * @param isTooFast whether the slot exceeds the slot rate; null if the endpoint has no trusted earlier slot to measure from
 */
export function needsComparison(slot: number, others: readonly number[], isTooFast: boolean | null): boolean {
  const median = medianSlot(others);
  return median === null ? isTooFast !== false : slot > median + MAX_SLOT_DISTANCE;
}

/** A node that was restarted from an older snapshot may be this far behind: a day. */
const MAX_CATCH_UP_SLOTS = 216_000;

/**
 * The reason why an endpoint's slot cannot be true, or null. Two or more other endpoints outvote this one. A single other
 * endpoint may itself be behind, so it outvotes this one only if this one exceeded the slot rate, or if the first slot that
 * this one reports is more than a day ahead. If no other endpoint answers, only the slot rate decides.
 * @param others current slots of the other endpoints
 */
export function impossibleSlotReason(
  slot: number,
  others: readonly number[],
  isTooFast: boolean | null,
): string | null {
  const median = medianSlot(others);
  if (median === null)
    return isTooFast ? `its slot ${slot} is too far ahead for the time since its last one` : null;
  if (slot <= median + MAX_SLOT_DISTANCE) return null;
  const mayOtherLag = isTooFast === null ? slot <= median + MAX_CATCH_UP_SLOTS : !isTooFast;
  if (others.length === 1 && mayOtherLag) return null;
  return `it reported slot ${slot}, while the other endpoints are at ${median}`;
}
