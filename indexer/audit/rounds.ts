import type { AuditedChain, ChainReading } from './chain-reading.ts';
import type { Check, Rows } from './checks.ts';
import type { ApiReading, AuditedPortal } from './read-api.ts';

export type Verdict =
  | { readonly kind: 'agree'; readonly rows: Rows }
  | { readonly kind: 'differs'; readonly told: Rows; readonly expected: Rows }
  | { readonly kind: 'not comparable'; readonly reason: string };

export interface Finding {
  readonly figure: string;
  readonly verdict: Verdict;
}

export interface RoundsOptions {
  readonly checks: readonly Check[];
  readonly portal: AuditedPortal;
  readonly chain: AuditedChain;
  readonly pause: () => Promise<void>;
}

/** Rounds after which what never agreed is told. */
const ROUNDS = 6;
/** Rounds of these in which a figure has to differ, since the portal may be a moment behind. */
const ROUNDS_TO_DIFFER = 3;
/** Looks at the portal in which it may come to the chain's slot. */
const LOOKS = 10;

/** The slot of the portal's accounts; null where it does not tell one. */
function slotOf(check: Check, api: ApiReading): number | null {
  const told = check.told(api, 0);
  return told.kind === 'told' ? told.slot : null;
}

/**
 * Compares every figure with the chain. The chain moves, so it is read between two readings of the portal: a figure counts
 * where the portal told the same before and after, or told it at the very slot; one that is told slot by slot counts as far
 * as both have come, and one whose slots before the chain's are known as it was told before. Rounds are repeated, a few times, for what moved meanwhile or did not agree.
 */
export async function compareInRounds(options: RoundsOptions): Promise<readonly Finding[]> {
  const { checks, portal, chain, pause } = options;
  const verdicts = new Map<Check, Verdict>();
  const differed = new Map<Check, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    // What differed often enough is told as that, whatever a later round would say.
    const open = checks.filter(
      (check) => verdicts.get(check)?.kind !== 'agree' && (differed.get(check) ?? 0) < ROUNDS_TO_DIFFER,
    );
    if (open.length === 0) break;
    if (round > 0) await pause();
    const before = await portal.read(callsOf(open));
    const between = await chain.read(before.wallets);
    const after = await readUpTo(between.accounts.slot, open, portal, pause);
    for (const check of open) {
      const verdict = judge(check, { before, between, after });
      if (verdict.kind === 'differs') differed.set(check, (differed.get(check) ?? 0) + 1);
      // What differed before is told as that, rather than that it could not be seen again.
      const isLessTelling = verdict.kind === 'not comparable' && (differed.get(check) ?? 0) > 0;
      if (!isLessTelling) verdicts.set(check, verdict);
    }
  }
  return checks.map((check) => {
    const verdict = verdicts.get(check) ?? notComparable('it was not read');
    const isSeldom = verdict.kind === 'differs' && (differed.get(check) ?? 0) < ROUNDS_TO_DIFFER;
    const { figure } = check;
    return { figure, verdict: isSeldom ? notComparable('it moved while it was read') : verdict };
  });
}

const callsOf = (checks: readonly Check[]): ReadonlySet<string> =>
  new Set(checks.flatMap(({ calls }) => calls));

/** Reads the portal, and what of it has not come to a slot again, a few times: it limits how often one may ask. */
async function readUpTo(
  slot: number,
  checks: readonly Check[],
  portal: AuditedPortal,
  pause: () => Promise<void>,
): Promise<ApiReading> {
  let reading = await portal.read(callsOf(checks));
  for (let look = 1; look < LOOKS; look += 1) {
    const behind = callsOf(checks.filter((check) => (slotOf(check, reading) ?? slot) < slot));
    if (behind.size === 0) break;
    await pause();
    const [earlier, later] = [reading, await portal.read(behind)];
    reading = { ...later, answer: (call) => (behind.has(call) ? later : earlier).answer(call) };
  }
  return reading;
}

function notComparable(reason: string): Verdict {
  return { kind: 'not comparable', reason };
}

const same = (one: Rows, other: Rows) => one.length === other.length && one.join('\n') === other.join('\n');

function judge(
  check: Check,
  readings: { readonly before: ApiReading; readonly between: ChainReading; readonly after: ApiReading },
): Verdict {
  const { before, between, after } = readings;
  const { slot } = between.accounts;
  const first = check.told(before, slot);
  const last = check.told(after, slot);
  if (first.kind === 'none') return notComparable(first.reason);
  if (last.kind === 'none') return notComparable(last.reason);
  const atSlot = [first, last].find((told) => told.slot === slot);
  if (!atSlot && (last.slot ?? slot) < slot) {
    return notComparable(`the portal is behind the chain (slot ${last.slot} of ${slot})`);
  }
  if (!atSlot && (first.slot ?? slot) > slot) {
    return notComparable(`the endpoint is behind the portal (slot ${slot} of ${first.slot})`);
  }
  const isStill = check.isBySlot || same(first.rows, last.rows);
  const reading = atSlot ?? (check.isOfBefore ? first : isStill ? last : null);
  if (reading === null) return notComparable('it moved while it was read');
  const expected = check.expected(between, reading === first ? before : after);
  const [closest] = expected;
  if (closest === undefined) return notComparable('nothing to compare it with');
  if (expected.some((rows) => same(rows, reading.rows))) return { kind: 'agree', rows: reading.rows };
  return { kind: 'differs', told: reading.rows, expected: closest };
}
