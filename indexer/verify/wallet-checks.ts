import { z } from 'zod';
import * as PATHS from '../../data/contract/paths.ts';
import type { ChainReading } from './chain-reading.ts';
import {
  type Check,
  chainRows,
  decimals,
  eventList,
  fraction,
  HISTORY_CALLS,
  isHistoryComplete,
  oldestSlot,
  partOf,
  portalRows,
  type Rows,
  rowsBetween,
  twoPlaces,
  withoutSlot,
} from './checks.ts';
import { type WalletKind, walletCall } from './read-api.ts';
import {
  badge,
  byAge,
  CARD_NAMES,
  cardName,
  nextCard,
  openedBy,
  type StakingWallet,
  stakingWallets,
} from './stake-checks.ts';

/** Days of a lock, and the stated APY in tenths of a percent. */
const LOCK_DAYS = 180n;
const YIELD_PER_MILLE = 887n;
const DAYS_A_YEAR = 365n;

const verification = z.object({
  walletAddress: z.string(),
  isStaking: z.boolean(),
  stakedAmount: z.number(),
  stakedAmountText: z.string(),
  heldAmount: z.string().nullable(),
  tier: z.string(),
  detectionMethod: z.string(),
});
const eligibility = z.object({
  walletAddress: z.string(),
  eligible: z.boolean(),
  bdBalance: z.number(),
  bdBalanceText: z.string(),
  usdValue: z.string().nullable(),
  tier: z.string(),
  missing: z.string(),
  detectionMethod: z.string(),
  price: z.object({ usd: z.string() }).nullable(),
});
type Eligibility = z.infer<typeof eligibility>;
const position = z.object({
  walletAddress: z.string(),
  isStaking: z.boolean(),
  staked: z.string(),
  lock: z.object({ startDate: z.string(), unlockDate: z.string() }).nullable(),
  stakes: z.array(
    z.object({
      entry: z.string(),
      amount: z.string(),
      startDate: z.string(),
      unlockDate: z.string(),
      openedBy: z.string().nullable(),
    }),
  ),
  tier: z.string(),
  badge: z.string().nullable(),
  nextTier: z.object({ tier: z.string(), minimumStake: z.string(), missing: z.string() }).nullable(),
  statedReward: z.string(),
});
type Position = z.infer<typeof position>;
const movements = z.object({
  walletAddress: z.string(),
  transactions: z.object({ rows: eventList, next: z.string().nullable() }).nullable(),
});

const isoDate = (seconds: bigint) => new Date(Number(seconds) * 1_000).toISOString();
const units = ({ accounts }: ChainReading, amount: bigint) => decimals(amount, accounts.decimals);

function stakeOf(chain: ChainReading, wallet: string): StakingWallet | undefined {
  return stakingWallets(chain).find((staking) => staking.wallet === wallet);
}

/** The tier of a stake, as reported for single wallets. */
function tierOf({ accounts }: ChainReading, staked: bigint): string {
  return cardName(staked, accounts.decimals) ?? 'None';
}

const verificationRow = (body: z.infer<typeof verification>) =>
  `${body.walletAddress} ${body.isStaking ? 'stakes' : 'does not stake'}, ${body.stakedAmountText} (${body.stakedAmount}), tier ${body.tier}, by ${body.detectionMethod}`;

const heldRow = (body: Pick<z.infer<typeof verification>, 'walletAddress' | 'heldAmount'>) =>
  `${body.walletAddress} ${body.heldAmount ?? 'not read'}`;

const method = (staking: StakingWallet | undefined) => (staking ? 'stake_entry' : 'token_account_analysis');

function verificationChecks(kind: WalletKind, subject: string): readonly Check[] {
  const call = walletCall(PATHS.verifyBdTokens, kind);
  return [
    {
      figure: `verification of ${subject}`,
      ...portalRows(call, verification, (body) => [verificationRow(body)]),
      expected: (chain, api) => {
        const reported = partOf(api.answer(call), verification);
        if (reported === undefined) return [];
        const staking = stakeOf(chain, reported.walletAddress);
        const staked = staking?.staked ?? 0n;
        const stakedAmountText = units(chain, staked);
        const row = verificationRow({
          ...reported,
          isStaking: staking !== undefined,
          stakedAmount: Number(stakedAmountText),
          stakedAmountText,
          tier: tierOf(chain, staked),
          detectionMethod: method(staking),
        });
        return [[row]];
      },
    },
    {
      figure: `tokens held by ${subject}`,
      // Read at a later slot than the stake.
      ...withoutSlot(portalRows(call, verification, (body) => [heldRow(body)])),
      expected: (chain, api) => {
        const walletAddress = partOf(api.answer(call), verification)?.walletAddress ?? '';
        const held = chain.held.get(walletAddress);
        if (held === undefined) return [];
        const heldAmount = stakeOf(chain, walletAddress) ? null : units(chain, held);
        return [[heldRow({ walletAddress, heldAmount })]];
      },
    },
  ];
}

const eligibilityRow = (body: Eligibility) =>
  `${body.walletAddress} ${body.eligible ? 'eligible' : 'not eligible'}, tier ${body.tier}, missing ${body.missing}, ${body.bdBalanceText} (${body.bdBalance}) by ${body.detectionMethod}, worth ${body.usdValue ?? 'unknown'}`;

/** Eligibility uses the higher of the stake's tier and the whitelisted tier. */
function higherTier(earned: string, reported: string): string {
  return CARD_NAMES.indexOf(reported) > CARD_NAMES.indexOf(earned) ? reported : earned;
}

function eligibilityCheck(kind: WalletKind, subject: string): Check {
  const call = walletCall(PATHS.cardEligibility, kind);
  return {
    figure: `card eligibility of ${subject}`,
    ...withoutSlot(portalRows(call, eligibility, (body) => [eligibilityRow(body)])),
    expected: (chain, api) => {
      const reported = partOf(api.answer(call), eligibility);
      const held = chain.held.get(reported?.walletAddress ?? '');
      if (reported === undefined || held === undefined) return [];
      const { decimals: places } = chain.accounts;
      const staking = stakeOf(chain, reported.walletAddress);
      const staked = staking?.staked ?? 0n;
      const tier = higherTier(tierOf(chain, staked), reported.tier);
      const lowest = (nextCard(0n, places)?.wholeBd ?? 0n) * 10n ** BigInt(places);
      const balance = staking ? staked : held;
      const price = reported.price && fraction(reported.price.usd);
      const bdBalanceText = decimals(balance, places);
      const row = eligibilityRow({
        ...reported,
        eligible: tier !== 'None',
        tier,
        missing: decimals(tier === 'None' ? lowest - staked : 0n, places),
        bdBalanceText,
        bdBalance: Number(bdBalanceText),
        detectionMethod: method(staking),
        usdValue: price && twoPlaces(balance * price.numerator, price.denominator * 10n ** BigInt(places)),
      });
      return [[row]];
    },
  };
}

const positionRows = (body: Position): Rows => [
  `${body.walletAddress} ${body.isStaking ? 'stakes' : 'does not stake'}, ${body.staked}`,
  body.lock ? `locked from ${body.lock.startDate} to ${body.lock.unlockDate}` : 'no lock',
  `tier ${body.tier}, badge ${body.badge ?? 'none'}, stated reward ${body.statedReward}`,
  body.nextTier
    ? `next ${body.nextTier.tier} from ${body.nextTier.minimumStake}, missing ${body.nextTier.missing}`
    : 'no next tier',
  ...body.stakes.map(
    (stake) =>
      `stake ${stake.entry} ${stake.amount}, from ${stake.startDate} to ${stake.unlockDate}, by ${stake.openedBy ?? 'no transaction'}`,
  ),
];

/** The expected position of a wallet. */
function positionOf(chain: ChainReading, walletAddress: string): Position {
  const { accounts } = chain;
  const { decimals: places } = accounts;
  const staking = stakeOf(chain, walletAddress);
  const staked = staking?.staked ?? 0n;
  const next = nextCard(staked, places);
  return {
    walletAddress,
    isStaking: staking !== undefined,
    staked: decimals(staked, places),
    lock: staking
      ? { startDate: isoDate(staking.newest.startsAt), unlockDate: isoDate(staking.unlocksAt) }
      : null,
    stakes: accounts.openEntries
      .filter(({ wallet }) => wallet === walletAddress)
      .toSorted((one, other) => byAge(other, one))
      .map((entry) => ({
        entry: entry.address,
        amount: decimals(entry.amount, places),
        startDate: isoDate(entry.startsAt),
        unlockDate: isoDate(entry.unlocksAt),
        openedBy: openedBy(chain, entry.address),
      })),
    tier: tierOf(chain, staked),
    badge: badge(staked, places),
    nextTier: next && {
      tier: next.name,
      minimumStake: String(next.wholeBd),
      missing: decimals(next.wholeBd * 10n ** BigInt(places) - staked, places),
    },
    statedReward: decimals((staked * YIELD_PER_MILLE * LOCK_DAYS) / (1_000n * DAYS_A_YEAR), places),
  };
}

function positionChecks(kind: WalletKind, subject: string): readonly Check[] {
  const call = walletCall(PATHS.walletPosition, kind);
  return [
    {
      figure: `position of ${subject}`,
      ...portalRows(call, position, (body, _slot, api) =>
        body.stakes.some((stake) => stake.openedBy === null) && !isHistoryComplete(api)
          ? null
          : positionRows(body),
      ),
      calls: [call, ...HISTORY_CALLS],
      expected: (chain, api) => {
        const reported = partOf(api.answer(call), position);
        return reported ? [positionRows(positionOf(chain, reported.walletAddress))] : [];
      },
    },
    {
      figure: `newest transactions of ${subject}`,
      isBySlot: true,
      ...withoutSlot(
        portalRows(call, movements, ({ transactions }, chainSlot) => {
          if (transactions === null) return null;
          const { rows, next } = transactions;
          return rowsBetween(rows, oldestSlot(rows, next !== null), chainSlot);
        }),
      ),
      expected: (chain, api) => {
        const reported = partOf(api.answer(call), movements);
        if (!reported?.transactions) return [];
        const { rows, next } = reported.transactions;
        const own = chainRows(chain, ({ wallet }) => wallet === reported.walletAddress);
        return [rowsBetween(own, oldestSlot(rows, next !== null), chain.accounts.slot)];
      },
    },
  ];
}

/** Figures of single wallets: one with a stake, and one without. */
export const WALLET_CHECKS: readonly Check[] = (
  [
    ['staker', 'a wallet that stakes'],
    ['other', 'a wallet without a stake'],
  ] as const
).flatMap(([kind, subject]) => [
  ...verificationChecks(kind, subject),
  eligibilityCheck(kind, subject),
  ...positionChecks(kind, subject),
]);
