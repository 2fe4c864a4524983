import { z } from 'zod';
import { decimals } from './arithmetic.ts';
import type { ChainReading } from './chain-reading.ts';
import { type Check, partOf, type Rows, toldBy } from './checks.ts';
import { VERIFICATIONS, type VerifiedKind } from './read-api.ts';
import { cardName, stakingWallets } from './staking-wallets.ts';

const TRANSFERS = '/api/staking/transfers';
/** Ended stakes that the list holds. */
const ENDED_TOLD = 100;

const endedList = z.object({
  ended: z.array(
    z.object({
      wallet: z.string().nullable(),
      amount: z.string(),
      startDate: z.string().nullable(),
      endDate: z.string().nullable(),
      openedBy: z.string().nullable(),
      endedBy: z.string(),
    }),
  ),
});
type EndedRow = z.infer<typeof endedList>['ended'][number];

const endedRow = (row: EndedRow) =>
  `${row.wallet ?? 'no wallet'} ${row.amount}, from ${row.startDate} (${row.openedBy}) to ${row.endDate} (${row.endedBy})`;

const isoTime = (seconds: number | null | undefined) =>
  seconds == null ? null : new Date(seconds * 1_000).toISOString();

/** Stakes that ended, newest first: what opened one is what named its entry last before. */
function endedStakes({ accounts, poolEvents }: ChainReading): readonly EndedRow[] {
  return poolEvents.flatMap((ending, index) => {
    if (ending.type !== 'unstake' || ending.stakeEntry === null) return [];
    const before = poolEvents.slice(index + 1).find(({ stakeEntry }) => stakeEntry === ending.stakeEntry);
    const opener = before?.type === 'stake' ? before : undefined;
    return {
      wallet: ending.wallet,
      amount: decimals(-ending.change, accounts.decimals),
      startDate: isoTime(opener?.blockTime),
      endDate: isoTime(ending.blockTime),
      openedBy: opener?.signature ?? null,
      endedBy: ending.signature,
    };
  });
}

const verification = z.object({
  walletAddress: z.string(),
  isStaking: z.boolean(),
  stakedAmountText: z.string(),
  tier: z.string(),
});

function verificationCheck(kind: VerifiedKind): Check {
  const path = VERIFICATIONS[kind];
  const row = ({ walletAddress, isStaking, stakedAmountText, tier }: z.infer<typeof verification>) =>
    `${walletAddress} ${isStaking ? 'stakes' : 'does not stake'}, ${stakedAmountText}, tier ${tier.toLowerCase()}`;
  return {
    figure: `verification of a wallet ${kind === 'staker' ? 'that stakes' : 'without a stake'}`,
    told: toldBy(path, verification, (body) => [row(body)]),
    expected: (chain, api) => {
      const walletAddress = partOf(api.answer(path), verification)?.walletAddress;
      if (walletAddress === undefined) return [];
      const staking = stakingWallets(chain).find(({ wallet }) => wallet === walletAddress);
      const staked = staking?.staked ?? 0n;
      const { decimals: places } = chain.accounts;
      const tier = cardName(staked, places);
      const stakedAmountText = decimals(staked, places);
      return [[row({ walletAddress, isStaking: staking !== undefined, stakedAmountText, tier })]];
    },
  };
}

/** Ended stakes, and what is said of single wallets. */
export const STAKE_CHECKS: readonly Check[] = [
  {
    figure: `newest ${ENDED_TOLD} ended stakes`,
    told: toldBy(TRANSFERS, endedList, ({ ended }) => ended.map(endedRow).toSorted()),
    expected: (chain, api) => {
      const told = partOf(api.answer(TRANSFERS), endedList)?.ended;
      if (told === undefined) return [];
      const all = endedStakes(chain);
      // Which of those that ended in one slot a full list leaves out is its own affair.
      const isTold = new Set(told.map(({ endedBy }) => endedBy));
      const rows: Rows = (
        told.length < ENDED_TOLD ? all : all.filter(({ endedBy }) => isTold.has(endedBy))
      ).map(endedRow);
      return [rows.toSorted()];
    },
  },
  verificationCheck('staker'),
  verificationCheck('other'),
];
