import { atom } from 'nanostores';
import type { LiveFresh } from '../../data/contract/live.ts';
import type { ChainName } from '../../data/contract/provenance.ts';
import { ageState, FRESHNESS, type Freshness } from '../../data/model/value-state.ts';
import type { CallReads } from './call-reads.ts';
import type { FigurePath } from './figure-strategies.ts';

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

/** When and where a figure was read. */
export interface FigureRead {
  /** Unix ms. */
  readonly asOf: number;
  readonly source: Source;
  /** The calls that brought it; answers of all of them that bring the same again say that it still holds. */
  readonly calls: readonly FigurePath[];
  /** Of a figure that is read at a pace of its own: nothing that is heard of its source or calls makes it younger. */
  readonly pace?: Freshness;
  /** Whether a later read is known to have failed: what is heard of the source since then says nothing of the figure. */
  readonly isBehind?: boolean;
}

/** What was heard of the sources and of the calls since a figure was read. */
export interface Heard {
  readonly sources: LastReads;
  readonly calls: CallReads;
}

/**
 * When a figure was last known to hold (Unix ms): its own reading, a later one of its source that changed nothing, or a
 * later answer of every call that it came by.
 */
export function heldAt({ asOf, source, calls, pace, isBehind }: FigureRead, heard: Heard): number {
  if (pace || isBehind) return asOf;
  const answered = calls.length === 0 ? asOf : Math.min(...calls.map((call) => heard.calls[call] ?? asOf));
  return Math.max(asOf, heard.sources[source] ?? asOf, answered);
}

/** How far a figure can be trusted at `now` (Unix ms). */
export function figureState(read: FigureRead, heard: Heard, now: number) {
  return ageState(heldAt(read, heard), now, read.pace ?? FRESHNESS[read.source]);
}
