import type { ChainReader, ChainReading } from './chain-reading.ts';
import type { Check, Rows } from './checks.ts';
import type { ApiReading, PortalReader } from './read-api.ts';

export type Verdict =
  | { readonly kind: 'agree'; readonly rows: Rows }
  | { readonly kind: 'differs'; readonly reported: Rows; readonly expected: Rows }
  | { readonly kind: 'not comparable'; readonly reason: string };

export interface CheckResult {
  readonly figure: string;
  readonly verdict: Verdict;
}

interface RoundsOptions {
  readonly checks: readonly Check[];
  readonly portal: PortalReader;
  readonly chain: ChainReader;
  readonly pause: () => Promise<void>;
}

const ROUNDS = 6;
/** A figure counts as different only after it has differed in this many rounds, because the portal may be slightly behind. */
const ROUNDS_TO_DIFFER = 3;
/** After each reading of the chain, the portal is read until it reaches the chain's slot, but at most this many times. */
const PORTAL_READS = 10;

/** The slot at which the portal reports a figure; null if it reports no slot. */
function slotOf(check: Check, api: ApiReading): number | null {
  const reported = check.read(api, 0);
  return reported.kind === 'reported' ? reported.slot : null;
}

/**
 * Compares every figure with the chain. The chain keeps advancing, so each round reads the portal, then the chain, then the
 * portal again. A figure is comparable if either portal reading has the same slot as the chain reading. If neither does,
 * both portal readings must have the same value and, where they carry slots, the chain's slot must lie between them. A check
 * with `hasFinalRows` or `usesFirstReading` may be compared even if the values of the two portal readings differ. Figures
 * that changed or disagreed are retried for a few rounds.
 */
export async function compareInRounds(options: RoundsOptions): Promise<readonly CheckResult[]> {
  const { checks, portal, chain, pause } = options;
  const verdicts = new Map<Check, Verdict>();
  const differenceCounts = new Map<Check, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    // Figures that agreed, or that differed in enough rounds, are not compared again.
    const openChecks = checks.filter(
      (check) =>
        verdicts.get(check)?.kind !== 'agree' && (differenceCounts.get(check) ?? 0) < ROUNDS_TO_DIFFER,
    );
    if (openChecks.length === 0) break;
    if (round > 0) await pause();
    const portalBefore = await portal.read(callsOf(openChecks));
    const chainReading = await chain.read(portalBefore.wallets);
    const portalAfter = await readPortalUpTo(chainReading.accounts.slot, openChecks, portal, pause);
    for (const check of openChecks) {
      const verdict = judge(check, { portalBefore, chainReading, portalAfter });
      if (verdict.kind === 'differs') differenceCounts.set(check, (differenceCounts.get(check) ?? 0) + 1);
      // If a figure differed earlier and cannot be compared now, the earlier verdict stays.
      const isWeaker = verdict.kind === 'not comparable' && (differenceCounts.get(check) ?? 0) > 0;
      if (!isWeaker) verdicts.set(check, verdict);
    }
  }
  return checks.map((check) => {
    const verdict = verdicts.get(check) ?? notComparable('not read');
    const isUnconfirmed = verdict.kind === 'differs' && (differenceCounts.get(check) ?? 0) < ROUNDS_TO_DIFFER;
    const { figure } = check;
    return { figure, verdict: isUnconfirmed ? notComparable('it changed while it was read') : verdict };
  });
}

const callsOf = (checks: readonly Check[]): ReadonlySet<string> =>
  new Set(checks.flatMap(({ calls }) => calls));

/**
 * Reads the portal. Repeats calls whose figures are older than `slot`, but only a few times, because the portal has a rate
 * limit.
 */
async function readPortalUpTo(
  slot: number,
  checks: readonly Check[],
  portal: PortalReader,
  pause: () => Promise<void>,
): Promise<ApiReading> {
  let reading = await portal.read(callsOf(checks));
  for (let reads = 1; reads < PORTAL_READS; reads += 1) {
    const outdatedCalls = callsOf(checks.filter((check) => (slotOf(check, reading) ?? slot) < slot));
    if (outdatedCalls.size === 0) break;
    await pause();
    const [earlier, later] = [reading, await portal.read(outdatedCalls)];
    reading = { ...later, answer: (call) => (outdatedCalls.has(call) ? later : earlier).answer(call) };
  }
  return reading;
}

function notComparable(reason: string): Verdict {
  return { kind: 'not comparable', reason };
}

const hasSameRows = (one: Rows, other: Rows) =>
  one.length === other.length && one.join('\n') === other.join('\n');

function judge(
  check: Check,
  readings: {
    readonly portalBefore: ApiReading;
    readonly chainReading: ChainReading;
    readonly portalAfter: ApiReading;
  },
): Verdict {
  const { portalBefore, chainReading, portalAfter } = readings;
  const { slot } = chainReading.accounts;
  const first = check.read(portalBefore, slot);
  const last = check.read(portalAfter, slot);
  if (first.kind === 'none') return notComparable(first.reason);
  if (last.kind === 'none') return notComparable(last.reason);
  const atSlot = [first, last].find((reported) => reported.slot === slot);
  if (!atSlot && (last.slot ?? slot) < slot) {
    return notComparable(`the portal is behind the chain (slot ${last.slot} of ${slot})`);
  }
  if (!atSlot && (first.slot ?? slot) > slot) {
    return notComparable(`the endpoint is behind the portal (slot ${slot} of ${first.slot})`);
  }
  const isUnchanged = check.hasFinalRows || hasSameRows(first.rows, last.rows);
  const reading = atSlot ?? (check.usesFirstReading ? first : isUnchanged ? last : null);
  if (reading === null) return notComparable('it changed while it was read');
  const expected = check.expected(chainReading, reading === first ? portalBefore : portalAfter);
  const [firstExpected] = expected;
  if (firstExpected === undefined) return notComparable('nothing to compare it with');
  if (expected.some((rows) => hasSameRows(rows, reading.rows))) return { kind: 'agree', rows: reading.rows };
  return { kind: 'differs', reported: reading.rows, expected: firstExpected };
}
