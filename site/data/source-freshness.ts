import { atom, map } from 'nanostores';
import type { LiveHeartbeat } from '../../data/contract/live.ts';
import type { ChainName } from '../../data/contract/provenance.ts';
import { ageState, FRESHNESS, type Freshness, freshnessOfReads } from '../../data/model/value-state.ts';
import type { FigurePath } from './figure-strategies.ts';

/** When the data of each call's newest response was read from its source (Unix ms), by path. */
type CallReads = Readonly<Partial<Record<string, number>>>;

/** The read times are kept apart from the figures, so that a new time does not re-render the figures. */
export const $callReads = map<Partial<Record<string, number>>>({});

export function recordCallRead(path: string, body: unknown): void {
  if (typeof body !== 'object' || body === null || !('asOf' in body) || typeof body.asOf !== 'string') return;
  const readAt = Date.parse(body.asOf);
  if (Number.isFinite(readAt)) $callReads.setKey(path, readAt);
}

/** Milliseconds between two polls of a call, by path. The page polls while no stream is open. */
type PollIntervals = Readonly<Partial<Record<string, number>>>;

/** Contains only calls whose last poll succeeded. */
export const $pollIntervals = atom<PollIntervals>({});

/** @param intervalMs milliseconds between two polls; null if the poll failed */
export function recordPoll(path: string, intervalMs: number | null): void {
  const { [path]: before, ...others } = $pollIntervals.get();
  if (before !== (intervalMs ?? undefined)) {
    $pollIntervals.set(intervalMs === null ? others : { ...others, [path]: intervalMs });
  }
}

/** When the bodies that the page shows from this device's storage were read (Unix ms), by path. */
export const $storedReads = map<Partial<Record<string, number>>>({});

type Source = keyof typeof FRESHNESS;

/** When each source was last read (Unix ms); null until the stream reports it. */
type LastReads = Readonly<Record<Source, number | null>>;

export const $lastReads = atom<LastReads>({ chain: null, market: null });

/** The newest slot at which the chain was read; null until the stream reports it. */
export const $newestSlot = atom<number | null>(null);

export function lastReadsOf(heartbeat: LiveHeartbeat): LastReads {
  return {
    chain: heartbeat.chain === null ? null : Date.parse(heartbeat.chain.asOf),
    market: heartbeat.market === null ? null : Date.parse(heartbeat.market.asOf),
  };
}

// The compiler reports any chain that is missing here.
const CHAIN_NAMES: Readonly<Record<ChainName, true>> = { solana: true, 'embedded-ledger': true };

/** The kind of source that a body's `source` field names: a chain, or else a market feed. */
export function sourceOf(name: string): Source {
  return Object.hasOwn(CHAIN_NAMES, name) ? 'chain' : 'market';
}

export interface FigureRead {
  /** Unix ms. */
  readonly asOf: number;
  readonly source: Source;
  /** The calls that the figure comes from. The figure is confirmed once all of them have been read again. */
  readonly calls: readonly FigurePath[];
  /** The figure's own interval and limit. If set, later reads of its source or calls do not confirm the figure. */
  readonly freshness?: Freshness;
}

interface LatestReads {
  readonly sources: LastReads;
  readonly calls: CallReads;
  readonly polls: PollIntervals;
  /** When the bodies from this device's storage were read (Unix ms), by path. Figures from these bodies are never live. */
  readonly stored?: CallReads;
}

/**
 * When a figure was last known to be current (Unix ms). This is the latest of three times: when it was read, when its source
 * was read, and when all of its calls had been read again. For a figure with its own `freshness`, only its own read counts.
 */
export function lastConfirmedAt(
  { asOf, source, calls, freshness }: FigureRead,
  latest: Pick<LatestReads, 'sources' | 'calls'>,
): number {
  if (freshness) return asOf;
  const callsReadAt =
    calls.length === 0 ? asOf : Math.min(...calls.map((call) => latest.calls[call] ?? asOf));
  return Math.max(asOf, latest.sources[source] ?? asOf, callsReadAt);
}

/** A figure's own interval and limit, if set; otherwise those of its polls or, if it is not polled, of its source. */
function freshnessOf({ freshness, calls, source }: FigureRead, polls: PollIntervals): Freshness {
  if (freshness) return freshness;
  const intervals = calls.map((call) => polls[call] ?? 0);
  const isPolled = intervals.length > 0 && !intervals.includes(0);
  return isPolled ? freshnessOfReads(Math.max(...intervals), FRESHNESS[source]) : FRESHNESS[source];
}

/** How far a figure can be trusted at `now` (Unix ms). */
export function figureState(read: FigureRead, latest: LatestReads, now: number) {
  const state = ageState(lastConfirmedAt(read, latest), now, freshnessOf(read, latest.polls));
  const isStored = read.calls.some((call) => latest.stored?.[call] !== undefined);
  return state === 'live' && isStored ? 'ageing' : state;
}
