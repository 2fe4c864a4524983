import { atom } from 'nanostores';
import type { LiveFresh } from '../../data/contract/live.ts';
import type { ChainName } from '../../data/contract/provenance.ts';
import { ageState, FRESHNESS } from '../../data/model/value-state.ts';

/** The two sources that figures come from. */
export type Source = keyof typeof FRESHNESS;

/** When each source was last read (Unix ms), by the stream's word; null where it has not said. */
export type LastReads = Readonly<Record<Source, number | null>>;

/**
 * Kept apart from the figures, so that a heartbeat on a quiet chain moves the age labels and nothing else.
 */
export const $lastReads = atom<LastReads>({ chain: null, market: null });

/** The newest slot that the chain was read at, by the stream's word; null where it has not said. */
export const $newestSlot = atom<number | null>(null);

/** The reads that an event `fresh` reports. */
export function lastReadsOf(fresh: LiveFresh): LastReads {
  return {
    chain: fresh.chain === null ? null : Date.parse(fresh.chain.asOf),
    market: fresh.market === null ? null : Date.parse(fresh.market.asOf),
  };
}

// Typed by the contract, so that a chain that is added there is missed here by the compiler.
const CHAIN_NAMES: Readonly<Record<ChainName, true>> = { solana: true, 'embedded-ledger': true };

/** The source behind a body's `source` field: a chain's name, or any other for a market feed. */
export function sourceOf(name: string): Source {
  return Object.hasOwn(CHAIN_NAMES, name) ? 'chain' : 'market';
}

/** When a figure was last known to hold (Unix ms): its own reading, or a later one of its source that changed nothing. */
export function heldAt(asOf: number, source: Source, reads: LastReads): number {
  return Math.max(asOf, reads[source] ?? asOf);
}

/** How far a figure can be trusted at `now`. All times are Unix milliseconds. */
export function figureState(asOf: number, source: Source, reads: LastReads, now: number) {
  return ageState(heldAt(asOf, source, reads), now, FRESHNESS[source]);
}
