import { z } from 'zod';
import { STREAMFLOW } from './chain-accounts.ts';
import type { ChainReading } from './chain-reading.ts';
import {
  bdAmountText,
  type Check,
  expectedFrom,
  incompleteUpToSlot,
  isHistoryComplete,
  oneRow,
  portalSource,
  type Rows,
  SLOT_TOLERANCE,
  SUMMARY_PATH,
  sourceWithoutSlot,
} from './checks.ts';
import { TRANSACTIONS_PATH } from './read-api.ts';

/** The maximum number of alarms that the portal lists. It lists the newest ones. */
const MAX_LISTED_ALARMS = 100;
/** The number of milliseconds by which the portal's clock may be ahead of this machine's clock. */
const CLOCK_TOLERANCE_MS = 60_000;

/** The portal reports this difference while transactions are quarantined. */
const UNREAD_DIFFERENCE = 'history.unread-transactions';

const summary = z.object({
  programAddress: z.string(),
  stakePool: z.string(),
  tokenAddress: z.string(),
  isActive: z.boolean().nullable(),
  totalAccounts: z.number(),
  totalValue: z.string(),
});
const verificationSummary = z.object({
  lastVerified: z.string().nullable(),
  verification: z.object({
    state: z.string(),
    slot: z.number().nullable(),
    at: z.string().nullable(),
    differences: z.array(z.object({ what: z.string() })),
  }),
});
type VerificationSummary = z.infer<typeof verificationSummary>;
const alarmSummary = z.object({
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
type AlarmRow = z.infer<typeof alarmSummary>['alarms'][number];

const openTotal = ({ accounts }: Pick<ChainReading, 'accounts'>) =>
  accounts.openEntries.reduce((sum, { amount }) => sum + amount, 0n);

/**
 * The balance may have been read between two events of one slot. So each possible total counts all, some or none of the events
 * in slot `upTo`, and all earlier ones.
 */
function possibleTotals(newestFirst: ChainReading['vaultEvents'], upTo: number): readonly bigint[] {
  const events = newestFirst.filter(({ slot }) => slot <= upTo);
  let total = events.reduce((sum, { change }) => sum + change, 0n);
  const inSlot = events.filter(({ slot }) => slot === upTo);
  return [
    total,
    ...inSlot.map(({ change }) => {
      total -= change;
      return total;
    }),
  ];
}

function expectedDifferences({ accounts, vaultEvents, poolEvents }: ChainReading): readonly string[] {
  const stakes = poolEvents.filter(({ type }) => type === 'stake' || type === 'unstake');
  const comparisons = [
    ['vault.balance', accounts.vaultAmount ?? 0n, possibleTotals(vaultEvents, accounts.slot)],
    ['stake-pool.vault-balance', accounts.poolVaultAmount, possibleTotals(poolEvents, accounts.slot)],
    ['stake-pool.total-staked', accounts.totalStake, possibleTotals(stakes, accounts.slot)],
    ['stake-pool.open-entries', accounts.totalStake, [openTotal({ accounts })]],
  ] as const;
  return comparisons.filter(([, onChain, possible]) => !possible.includes(onChain)).map(([what]) => what);
}

const stateRow = (state: string, what: readonly string[]) => [state, ...what.toSorted()].join(' ');

function timingProblem(
  { lastVerified, verification }: VerificationSummary,
  { slot }: ChainReading,
): string | null {
  if ((verification.slot ?? 0) > slot + SLOT_TOLERANCE) return `slot ${verification.slot} does not exist yet`;
  const moments = [lastVerified, verification.at].filter((at) => at !== null);
  const ahead = moments.find((at) => !(Date.parse(at) <= Date.now() + CLOCK_TOLERANCE_MS));
  if (ahead !== undefined) return `${ahead} is in the future`;
  const isLast = lastVerified === verification.at;
  if (verification.state === 'agree' && !isLast) return `it agreed at ${verification.at}`;
  return verification.state === 'differs' && isLast ? `it did not agree at ${verification.at}` : null;
}

const alarmRow = ({ slot, signature, account, kind, address, blockTime }: AlarmRow) =>
  `${slot} ${signature} ${account} ${kind} ${address ?? 'no address'} ${blockTime ?? 'no time'}`;

/** The alarms between two slots, without those two slots, because a list may contain only some of their alarms. */
function alarmRows(alarms: readonly AlarmRow[], after: number, before: number): Rows {
  return alarms
    .filter(({ slot }) => slot > after && slot < before)
    .map(alarmRow)
    .toSorted();
}

export const PROGRAM_CHECKS: readonly Check[] = [
  {
    figure: 'staking program, stake pool, mint',
    ...portalSource(SUMMARY_PATH, summary, ({ programAddress, stakePool, tokenAddress }) => [
      `${programAddress} ${stakePool} ${tokenAddress}`,
    ]),
    expected: ({ addresses }) => oneRow(`${STREAMFLOW} ${addresses.stakePool} ${addresses.mint}`),
  },
  {
    figure: 'program is active',
    ...portalSource(SUMMARY_PATH, summary, ({ isActive }) => (isActive === null ? null : [String(isActive)])),
    expected: ({ accounts }) => oneRow(String(accounts.openEntries.length > 0)),
  },
  {
    figure: 'program accounts',
    ...portalSource(SUMMARY_PATH, summary, ({ totalAccounts }) => [String(totalAccounts)]),
    expected: ({ accounts }) => oneRow(String(accounts.openEntries.length)),
  },
  {
    figure: 'program value',
    ...portalSource(SUMMARY_PATH, summary, ({ totalValue }) => [totalValue]),
    expected: (chain) => oneRow(bdAmountText(chain, openTotal(chain))),
  },
  {
    figure: 'accounts and history agree',
    // The slot in the response is ignored, because the reconciliation may be from an earlier slot.
    ...sourceWithoutSlot(
      SUMMARY_PATH,
      verificationSummary,
      ({ verification: { state, differences: found } }) => {
        const what = found.map((difference) => difference.what);
        if (what.includes(UNREAD_DIFFERENCE))
          return 'the portal does not reconcile while transactions are missing';
        const isCurrent = state === 'agree' || state === 'differs';
        return isCurrent ? [stateRow(state, what)] : `the portal's reconciliation is ${state}`;
      },
    ),
    expected: (chain) => {
      const differences = expectedDifferences(chain);
      return oneRow(stateRow(differences.length === 0 ? 'agree' : 'differs', differences));
    },
  },
  {
    figure: 'last comparison of accounts and history',
    ...sourceWithoutSlot(SUMMARY_PATH, verificationSummary, ({ verification }) =>
      verification.at === null ? null : ['plausible'],
    ),
    expected: expectedFrom(SUMMARY_PATH, verificationSummary, (reported, chain) =>
      oneRow(timingProblem(reported, chain) ?? 'plausible'),
    ),
  },
  {
    figure: 'transactions that could not be read',
    ...sourceWithoutSlot(SUMMARY_PATH, z.object({ quarantined: z.number() }), ({ quarantined }) =>
      quarantined === 0 ? ['0'] : `the portal has not read ${quarantined} transactions yet`,
    ),
    expected: () => oneRow('0'),
  },
  {
    figure: `newest ${MAX_LISTED_ALARMS} alarms`,
    hasFinalRows: true,
    ...sourceWithoutSlot(SUMMARY_PATH, alarmSummary, ({ alarms }, chainSlot, api) =>
      isHistoryComplete(api)
        ? alarmRows(alarms, incompleteUpToSlot(alarms, alarms.length === MAX_LISTED_ALARMS), chainSlot)
        : null,
    ),
    calls: [TRANSACTIONS_PATH, SUMMARY_PATH],
    expected: expectedFrom(SUMMARY_PATH, alarmSummary, ({ alarms: reported }, { accounts, alarms }) => {
      const after = incompleteUpToSlot(reported, reported.length === MAX_LISTED_ALARMS);
      return [alarmRows(alarms, after, accounts.slot)];
    }),
  },
];
