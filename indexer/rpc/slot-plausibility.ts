/**
 * Slots that two healthy nodes may be apart. An Agave node calls itself unhealthy when it is 128 slots behind
 * (`--health-check-slot-distance`, `DELINQUENT_VALIDATOR_SLOT_DISTANCE` in `rpc-client-api/src/request.rs`), which takes
 * it out of its provider's rotation.
 */
export const SLOTS_APART = 128;

const SLOT_MS = 400;
/** A node that catches up goes through slots faster than they are made, and may begin far behind. */
const CATCHING_UP_TIMES = 4;
const CATCHING_UP_SLOTS = 512;

/** A slot that was believed, and when, in milliseconds of a clock that never steps back. */
export interface SlotSeen {
  readonly slot: number;
  readonly at: number;
}

/** Whether a slot is further from one seen before than a chain can have gone on meanwhile. */
export type OutrunsTime = (slot: number, before: SlotSeen, now: number) => boolean;

export const outrunsTime: OutrunsTime = (slot, before, now) =>
  slot - before.slot > ((now - before.at) / SLOT_MS) * CATCHING_UP_TIMES + CATCHING_UP_SLOTS;

/** The slot that half of the endpoints have reached; of two, the further one. Null of none. */
export function medianSlot(slots: readonly number[]): number | null {
  return slots.toSorted((one, other) => one - other)[Math.floor(slots.length / 2)] ?? null;
}

/**
 * Whether an endpoint's slot has to be compared with what the others tell at the same moment: it is far ahead of what they
 * told lately, or where they told nothing, of what time allows.
 * @param others slots that others told lately
 * @param outruns whether it outruns time since the slot it told before; null where it told none
 */
export function isDoubtful(slot: number, others: readonly number[], outruns: boolean | null): boolean {
  const median = medianSlot(others);
  return median === null ? outruns !== false : slot > median + SLOTS_APART;
}

/**
 * Why a slot cannot be true, or null where it can. Several others decide alone. Against one other, which may lag itself,
 * an endpoint whose slots have kept to time is believed; where none answers, time alone decides.
 * @param others slots that others tell at the same moment
 */
export function slotFault(slot: number, others: readonly number[], outruns: boolean | null): string | null {
  const median = medianSlot(others);
  if (median === null) return outruns ? `its slot ${slot} is further than time allows` : null;
  if (slot <= median + SLOTS_APART || (others.length === 1 && outruns === false)) return null;
  return `it told slot ${slot}, while the other endpoints are at ${median}`;
}
