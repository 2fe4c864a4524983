import { z } from 'zod';
import { decimals } from './arithmetic.ts';
import { STREAMFLOW } from './chain-accounts.ts';
import type { ChainReading } from './chain-reading.ts';
import { type Check, partOf, type Rows, toldBy, withoutSlot } from './checks.ts';
import { oldestSlot } from './event-rows.ts';
import { HISTORY_CALLS, isHistoryRead, SUMMARY } from './history-known.ts';

/** Alarms that the list holds. */
const ALARMS_TOLD = 100;
/** Slots that two endpoints may be apart: a minute. */
const SLOT_TOLERANCE = 150;
/** Milliseconds by which the portal's clock may be ahead. */
const CLOCK_TOLERANCE = 60_000;

/** The name by which a comparison tells that transactions could not be read. */
const UNREAD = 'history.unread-transactions';

const summary = z.object({
  programAddress: z.string(),
  stakePool: z.string(),
  tokenAddress: z.string(),
  isActive: z.boolean().nullable(),
  totalAccounts: z.number(),
  totalValue: z.string(),
});
const verified = z.object({
  lastVerified: z.string().nullable(),
  verification: z.object({
    state: z.string(),
    slot: z.number().nullable(),
    at: z.string().nullable(),
    differences: z.array(z.object({ what: z.string() })),
  }),
});
type Verified = z.infer<typeof verified>;
const alarmed = z.object({
  alarms: z.array(
    z.object({
      kind: z.string(),
      account: z.string(),
      signature: z.string(),
      slot: z.number(),
      blockTime: z.number().nullable(),
      address: z.string().nullable(),
    }),
  ),
});
type AlarmRow = z.infer<typeof alarmed>['alarms'][number];

const one = (row: string): readonly Rows[] => [[row]];

const openTotal = ({ accounts }: Pick<ChainReading, 'accounts'>) =>
  accounts.openEntries.reduce((sum, { amount }) => sum + amount, 0n);

/** What events up to a slot add up to: after the last of them, or before those of the slot itself, which may still go on. */
function totals(newestFirst: ChainReading['vaultEvents'], upTo: number): readonly bigint[] {
  const events = newestFirst.filter(({ slot }) => slot <= upTo);
  let total = events.reduce((sum, { change }) => sum + change, 0n);
  const ofSlot = events.filter(({ slot }) => slot === upTo);
  return [
    total,
    ...ofSlot.map(({ change }) => {
      total -= change;
      return total;
    }),
  ];
}

/** What of the accounts is not what their events add up to, by the names that the portal has for it. */
function differences({ accounts, vaultEvents, poolEvents }: ChainReading): readonly string[] {
  const stakes = poolEvents.filter(({ type }) => type === 'stake' || type === 'unstake');
  const pairs = [
    ['vault.balance', accounts.vaultAmount, totals(vaultEvents, accounts.slot)],
    ['stake-pool.vault-balance', accounts.poolVaultAmount, totals(poolEvents, accounts.slot)],
    ['stake-pool.total-staked', accounts.totalStake, totals(stakes, accounts.slot)],
    ['stake-pool.open-entries', accounts.totalStake, [openTotal({ accounts })]],
  ] as const;
  return pairs.filter(([, onChain, summed]) => !summed.includes(onChain)).map(([what]) => what);
}

const stateRow = (state: string, what: readonly string[]) => [state, ...what.toSorted()].join(' ');

/** What is wrong with when, and at which slot, the portal says that it compared; null where nothing is. */
function faultOf({ lastVerified, verification }: Verified, { slot }: ChainReading): string | null {
  if ((verification.slot ?? 0) > slot + SLOT_TOLERANCE) return `slot ${verification.slot} is not there yet`;
  const moments = [lastVerified, verification.at].filter((at) => at !== null);
  const ahead = moments.find((at) => !(Date.parse(at) <= Date.now() + CLOCK_TOLERANCE));
  if (ahead !== undefined) return `${ahead} is not yet`;
  const isLast = lastVerified === verification.at;
  if (verification.state === 'agree' && !isLast) return `it agreed at ${verification.at}`;
  return verification.state === 'differs' && isLast ? `it did not agree at ${verification.at}` : null;
}

const alarmRow = ({ slot, signature, account, kind, address, blockTime }: AlarmRow) =>
  `${slot} ${signature} ${account} ${kind} ${address ?? 'no address'} ${blockTime ?? 'no time'}`;

/** Alarms after a slot and before another, which may still go on. */
function alarmRows(alarms: readonly AlarmRow[], after: number, before: number): Rows {
  return alarms
    .filter(({ slot }) => slot > after && slot < before)
    .map(alarmRow)
    .toSorted();
}

/** What is told of the staking program, and of how the portal checks itself. */
export const PROGRAM_CHECKS: readonly Check[] = [
  {
    figure: 'staking program, stake pool, mint',
    ...toldBy(SUMMARY, summary, ({ programAddress, stakePool, tokenAddress }) => [
      `${programAddress} ${stakePool} ${tokenAddress}`,
    ]),
    expected: ({ addresses }) => one(`${STREAMFLOW} ${addresses.stakePool} ${addresses.mint}`),
  },
  {
    figure: 'program is active',
    ...toldBy(SUMMARY, summary, ({ isActive }) => (isActive === null ? null : [String(isActive)])),
    expected: ({ accounts }) => one(String(accounts.openEntries.length > 0)),
  },
  {
    figure: 'program accounts',
    ...toldBy(SUMMARY, summary, ({ totalAccounts }) => [String(totalAccounts)]),
    expected: ({ accounts }) => one(String(accounts.openEntries.length)),
  },
  {
    figure: 'program value',
    ...toldBy(SUMMARY, summary, ({ totalValue }) => [totalValue]),
    expected: (chain) => one(decimals(openTotal(chain), chain.accounts.decimals)),
  },
  {
    figure: 'accounts and history agree',
    // Told of the moment of its comparison.
    ...withoutSlot(
      toldBy(SUMMARY, verified, ({ verification: { state, differences: found } }) => {
        const what = found.map((difference) => difference.what);
        if (what.includes(UNREAD)) return 'the portal compares nothing while it lacks transactions';
        const isOfNow = state === 'agree' || state === 'differs';
        return isOfNow ? [stateRow(state, what)] : `the portal's own comparison is ${state}`;
      }),
    ),
    expected: (chain) => {
      const found = differences(chain);
      return one(stateRow(found.length === 0 ? 'agree' : 'differs', found));
    },
  },
  {
    figure: 'last comparison of accounts and history',
    ...withoutSlot(
      toldBy(SUMMARY, verified, ({ verification }) => (verification.at === null ? null : ['plausible'])),
    ),
    expected: (chain, api) => {
      const told = partOf(api.answer(SUMMARY), verified);
      return told ? one(faultOf(told, chain) ?? 'plausible') : [];
    },
  },
  {
    figure: 'transactions that could not be read',
    ...withoutSlot(
      toldBy(SUMMARY, z.object({ quarantined: z.number() }), ({ quarantined }) =>
        quarantined === 0 ? ['0'] : `the portal could not read ${quarantined} of them so far`,
      ),
    ),
    expected: () => one('0'),
  },
  {
    figure: `newest ${ALARMS_TOLD} alarms`,
    isBySlot: true,
    ...withoutSlot(
      toldBy(SUMMARY, alarmed, ({ alarms }, chainSlot, api) =>
        isHistoryRead(api)
          ? alarmRows(alarms, oldestSlot(alarms, alarms.length === ALARMS_TOLD), chainSlot)
          : null,
      ),
    ),
    calls: HISTORY_CALLS,
    expected: ({ accounts, alarms }, api) => {
      const told = partOf(api.answer(SUMMARY), alarmed)?.alarms;
      if (told === undefined) return [];
      const after = oldestSlot(told, told.length === ALARMS_TOLD);
      return [alarmRows(alarms, after, accounts.slot)];
    },
  },
];
