import { atom, map } from 'nanostores';
import type { LiveFresh } from '../../data/contract/live.ts';
import type { ChainName } from '../../data/contract/provenance.ts';
import { ageState, FRESHNESS, type Freshness } from '../../data/model/value-state.ts';
import type { FigurePath } from './figure-strategies.ts';

/** When the source of each call's newest response was read (Unix ms), by path. */
type CallReads = Readonly<Partial<Record<string, number>>>;

/** Kept apart from the figures, so that a new read time updates their age without rendering a tile again. */
export const $callReads = map<Partial<Record<string, number>>>({});

/** Records when the source of a call's response was read, if the response says so. */
export function recordCallRead(path: string, body: unknown): void {
  if (typeof body !== 'object' || body === null || !('asOf' in body) || typeof body.asOf !== 'string') return;
  const readAt = Date.parse(body.asOf);
  if (Number.isFinite(readAt)) $callReads.setKey(path, readAt);
}

/** The two sources that figures come from. */
type Source = keyof typeof FRESHNESS;

/** When each source was last read (Unix ms), as the stream reports it; null until it does. */
type LastReads = Readonly<Record<Source, number | null>>;

/** Separate from the figures, so that a heartbeat on a quiet chain updates the age labels only. */
export const $lastReads = atom<LastReads>({ chain: null, market: null });

/** The newest slot that the chain was read at, as the stream reports it; null until it does. */
export const $newestSlot = atom<number | null>(null);

/** The reads in a `fresh` event. */
export function lastReadsOf(fresh: LiveFresh): LastReads {
  return {
    chain: fresh.chain === null ? null : Date.parse(fresh.chain.asOf),
    market: fresh.market === null ? null : Date.parse(fresh.market.asOf),
  };
}

// Typed by the contract: the compiler reports a chain that is missing here.
const CHAIN_NAMES: Readonly<Record<ChainName, true>> = { solana: true, 'embedded-ledger': true };

/** The source that a body's `source` field names: a chain, or otherwise a market feed. */
export function sourceOf(name: string): Source {
  return Object.hasOwn(CHAIN_NAMES, name) ? 'chain' : 'market';
}

/** When and where a figure was read. */
export interface FigureRead {
  /** Unix ms. */
  readonly asOf: number;
  readonly source: Source;
  /** The calls it comes from. Newer responses to all of them confirm it. */
  readonly calls: readonly FigurePath[];
  /** For a figure with its own interval. Later reads of its source or calls do not confirm such a figure. */
  readonly freshness?: Freshness;
  /** Whether a later read of the figure failed. Reads of its source then do not confirm it. */
  readonly isOutdated?: boolean;
}

/** When the sources and the calls were last read. */
interface LatestReads {
  readonly sources: LastReads;
  readonly calls: CallReads;
}

/**
 * When a figure was last known to be current (Unix ms): at its own read, at a later read of its source, or at later
 * responses to every call that it comes from.
 */
export function lastConfirmedAt(
  { asOf, source, calls, freshness, isOutdated }: FigureRead,
  latest: LatestReads,
): number {
  if (freshness || isOutdated) return asOf;
  const callsReadAt =
    calls.length === 0 ? asOf : Math.min(...calls.map((call) => latest.calls[call] ?? asOf));
  return Math.max(asOf, latest.sources[source] ?? asOf, callsReadAt);
}

/** How far a figure can be trusted at `now` (Unix ms). */
export function figureState(read: FigureRead, latest: LatestReads, now: number) {
  return ageState(lastConfirmedAt(read, latest), now, read.freshness ?? FRESHNESS[read.source]);
}
