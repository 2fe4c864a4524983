import type { AuditedEvent } from './chain-events.ts';
import type { ChainReading } from './chain-reading.ts';

/** How a figure went: base units, or a count. */
export interface Timeline {
  readonly now: bigint;
  /** What it stood at from each slot and moment on (Unix seconds), oldest first. */
  readonly steps: readonly { readonly slot: number; readonly time: number; readonly value: bigint }[];
  /** What it stood at before the first; null where that cannot be told. */
  readonly opening: bigint | null;
}

/** The events of up to the accounts' slot, newest first, with their times: one without has that of the event before it. */
function timed({ accounts }: ChainReading, events: readonly AuditedEvent[]) {
  let time = Number.NEGATIVE_INFINITY;
  return events
    .filter(({ slot }) => slot <= accounts.slot)
    .toReversed()
    .map((event) => {
      time = Math.max(time, event.blockTime ?? time);
      return { ...event, time };
    })
    .toReversed();
}

/** Goes back from what stands now: `before` tells what stood before an event, null where it cannot be told. */
function backwards(
  now: bigint,
  newestFirst: readonly (AuditedEvent & { readonly time: number })[],
  before: (event: AuditedEvent) => bigint | null,
): Timeline {
  const steps: { slot: number; time: number; value: bigint }[] = [];
  let value: bigint | null = now;
  for (const event of newestFirst) {
    steps.push({ slot: event.slot, time: event.time, value });
    value = before(event);
    if (value === null) break;
  }
  return { now, steps: steps.toReversed(), opening: value };
}

function ofAmount(chain: ChainReading, amount: bigint, events: readonly AuditedEvent[]): Timeline {
  let value = amount;
  return backwards(amount, timed(chain, events), ({ change }) => {
    value -= change;
    return value;
  });
}

const isStaking = ({ type }: AuditedEvent) => type === 'stake' || type === 'unstake';

/** BD in the vault, in base units. */
export const vaultTimeline = (chain: ChainReading): Timeline =>
  ofAmount(chain, chain.accounts.vaultAmount, chain.vaultEvents);

/** BD staked, in base units. */
export const stakedTimeline = (chain: ChainReading): Timeline =>
  ofAmount(chain, chain.accounts.totalStake, chain.poolEvents.filter(isStaking));

/** Wallets with an open stake: each event opened an entry, or ended one. */
export function stakersTimeline(chain: ChainReading): Timeline {
  const open = new Map<string, string | null>();
  const entries = new Map<string | null, number>();
  const end = (entry: string): void => {
    const wallet = open.get(entry);
    if (wallet === undefined) return;
    const left = (entries.get(wallet) ?? 0) - 1;
    if (left > 0) entries.set(wallet, left);
    else entries.delete(wallet);
    open.delete(entry);
  };
  const begin = (entry: string, wallet: string | null): void => {
    end(entry);
    open.set(entry, wallet);
    entries.set(wallet, (entries.get(wallet) ?? 0) + 1);
  };
  for (const { address, wallet } of chain.accounts.openEntries) begin(address, wallet);
  const events = timed(chain, chain.poolEvents.filter(isStaking));
  return backwards(BigInt(entries.size), events, ({ type, stakeEntry, wallet }) => {
    if (stakeEntry === null) return null;
    if (type === 'stake') end(stakeEntry);
    else begin(stakeEntry, wallet);
    return BigInt(entries.size);
  });
}

/** What it stood at from a slot on, the latest first. */
export function standsSince({ now, steps, opening }: Timeline, slot: number): readonly bigint[] {
  const later = steps.findLastIndex((step) => step.slot <= slot);
  const stood = [
    ...(later < 0 ? [opening] : []),
    ...steps.slice(Math.max(later, 0)).map(({ value }) => value),
  ];
  return [...new Set([now, ...stood.toReversed().filter((value) => value !== null)])];
}

/** The step that stands at a moment; -1 before the first. */
function stepAt({ steps }: Timeline, moment: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle]?.time ?? 0) <= moment) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** What it stood at, at any moment from one to another (Unix seconds), the latest first; null for before its first step. */
export function standsBetween(timeline: Timeline, from: number, to: number): readonly (bigint | null)[] {
  const stood = new Set<bigint | null>();
  const [first, last] = [stepAt(timeline, from), stepAt(timeline, to)];
  for (let at = last; at >= first; at -= 1) {
    const [step, next] = [timeline.steps[at], timeline.steps[at + 1]];
    // Of what came in one second only the last was ever seen.
    if (at < last && step && step.time === next?.time) continue;
    stood.add(step?.value ?? null);
  }
  return [...stood];
}
