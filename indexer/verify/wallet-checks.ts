import { z } from 'zod';
import * as PATHS from '../../data/contract/paths.ts';
import type { ChainReading } from './chain-reading.ts';
import {
  bdAmountText,
  type Check,
  chainRows,
  decimalText,
  eventList,
  expectedFrom,
  historySource,
  incompleteUpToSlot,
  isoDate,
  parseFraction,
  portalSource,
  quotientText,
  type Rows,
  rowsBetween,
  sourceWithoutSlot,
} from './checks.ts';
import { type WalletKind, walletCall } from './read-api.ts';
import {
  badgeName,
  byAge,
  CARD_NAMES,
  cardName,
  nextCard,
  openingSignature,
  type StakingWallet,
  stakingWallets,
} from './stake-checks.ts';

const LOCK_DAYS = 180n;
/** The stated APY in tenths of a percent. */
const APY_PER_MILLE = 887n;
const DAYS_PER_YEAR = 365n;

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

function findStake(chain: ChainReading, wallet: string): StakingWallet | undefined {
  return stakingWallets(chain).find((staking) => staking.wallet === wallet);
}

function tierName({ accounts }: ChainReading, staked: bigint): string {
  return cardName(staked, accounts.decimals) ?? 'None';
}

/** A wallet may be whitelisted for a tier, so a reported tier above the one that its stake earns is also correct. */
function higherTier(earned: string, reported: string): string {
  return CARD_NAMES.indexOf(reported) > CARD_NAMES.indexOf(earned) ? reported : earned;
}

const verificationRow = (body: z.infer<typeof verification>) =>
  `${body.walletAddress} ${body.isStaking ? 'stakes' : 'does not stake'}, ${body.stakedAmountText} (${body.stakedAmount}), tier ${body.tier}, by ${body.detectionMethod}`;

const heldRow = (body: Pick<z.infer<typeof verification>, 'walletAddress' | 'heldAmount'>) =>
  `${body.walletAddress} ${body.heldAmount ?? 'not read'}`;

const detectionMethodOf = (stakingWallet: StakingWallet | undefined) =>
  stakingWallet ? 'stake_entry' : 'token_account_analysis';

function verificationChecks(kind: WalletKind, subject: string): readonly Check[] {
  const call = walletCall(PATHS.verifyBdTokens, kind);
  return [
    {
      figure: `verification of ${subject}`,
      ...portalSource(call, verification, (body) => [verificationRow(body)]),
      expected: expectedFrom(call, verification, (reported, chain) => {
        const stakingWallet = findStake(chain, reported.walletAddress);
        const staked = stakingWallet?.staked ?? 0n;
        const stakedAmountText = bdAmountText(chain, staked);
        const row = verificationRow({
          ...reported,
          isStaking: stakingWallet !== undefined,
          stakedAmount: Number(stakedAmountText),
          stakedAmountText,
          tier: higherTier(tierName(chain, staked), reported.tier),
          detectionMethod: detectionMethodOf(stakingWallet),
        });
        return [[row]];
      }),
    },
    {
      figure: `tokens held by ${subject}`,
      // The portal reads the wallet's tokens at a later slot than the wallet's stake.
      ...sourceWithoutSlot(call, verification, (body) => [heldRow(body)]),
      expected: expectedFrom(call, verification, ({ walletAddress }, chain) => {
        const holding = chain.holdings.get(walletAddress);
        if (holding === undefined) return [];
        const heldAmount = findStake(chain, walletAddress) ? null : bdAmountText(chain, holding);
        return [[heldRow({ walletAddress, heldAmount })]];
      }),
    },
  ];
}

const eligibilityRow = (body: Eligibility) =>
  `${body.walletAddress} ${body.eligible ? 'eligible' : 'not eligible'}, tier ${body.tier}, missing ${body.missing}, ${body.bdBalanceText} (${body.bdBalance}) by ${body.detectionMethod}, worth ${body.usdValue ?? 'unknown'}`;

function eligibilityCheck(kind: WalletKind, subject: string): Check {
  const call = walletCall(PATHS.cardEligibility, kind);
  return {
    figure: `card eligibility of ${subject}`,
    ...sourceWithoutSlot(call, eligibility, (body) => [eligibilityRow(body)]),
    expected: expectedFrom(call, eligibility, (reported, chain) => {
      const holding = chain.holdings.get(reported.walletAddress);
      if (holding === undefined) return [];
      const { decimals } = chain.accounts;
      const stakingWallet = findStake(chain, reported.walletAddress);
      const staked = stakingWallet?.staked ?? 0n;
      const tier = higherTier(tierName(chain, staked), reported.tier);
      const minimumStake = (nextCard(0n, decimals)?.wholeBd ?? 0n) * 10n ** BigInt(decimals);
      const balance = stakingWallet ? staked : holding;
      const price = reported.price && parseFraction(reported.price.usd);
      const bdBalanceText = decimalText(balance, decimals);
      const row = eligibilityRow({
        ...reported,
        eligible: tier !== 'None',
        tier,
        missing: decimalText(tier === 'None' ? minimumStake - staked : 0n, decimals),
        bdBalanceText,
        bdBalance: Number(bdBalanceText),
        detectionMethod: detectionMethodOf(stakingWallet),
        usdValue:
          price && quotientText(balance * price.numerator, price.denominator * 10n ** BigInt(decimals)),
      });
      return [[row]];
    }),
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

function expectedPosition(chain: ChainReading, walletAddress: string): Position {
  const { accounts } = chain;
  const { decimals } = accounts;
  const stakingWallet = findStake(chain, walletAddress);
  const staked = stakingWallet?.staked ?? 0n;
  const next = nextCard(staked, decimals);
  return {
    walletAddress,
    isStaking: stakingWallet !== undefined,
    staked: decimalText(staked, decimals),
    lock: stakingWallet
      ? { startDate: isoDate(stakingWallet.newest.startsAt), unlockDate: isoDate(stakingWallet.unlocksAt) }
      : null,
    stakes: accounts.openEntries
      .filter(({ wallet }) => wallet === walletAddress)
      .toSorted((one, other) => byAge(other, one))
      .map((entry) => ({
        entry: entry.address,
        amount: decimalText(entry.amount, decimals),
        startDate: isoDate(entry.startsAt),
        unlockDate: isoDate(entry.unlocksAt),
        openedBy: openingSignature(chain, entry.address),
      })),
    tier: tierName(chain, staked),
    badge: badgeName(staked, decimals),
    nextTier: next && {
      tier: next.name,
      minimumStake: String(next.wholeBd),
      missing: decimalText(next.wholeBd * 10n ** BigInt(decimals) - staked, decimals),
    },
    statedReward: decimalText((staked * APY_PER_MILLE * LOCK_DAYS) / (1_000n * DAYS_PER_YEAR), decimals),
  };
}

function positionChecks(kind: WalletKind, subject: string): readonly Check[] {
  const call = walletCall(PATHS.walletPosition, kind);
  return [
    {
      figure: `position of ${subject}`,
      ...historySource(
        call,
        position,
        ({ stakes }) => stakes.some(({ openedBy }) => openedBy === null),
        positionRows,
      ),
      expected: expectedFrom(call, position, ({ walletAddress }, chain) => [
        positionRows(expectedPosition(chain, walletAddress)),
      ]),
    },
    {
      figure: `newest transactions of ${subject}`,
      hasFinalRows: true,
      ...sourceWithoutSlot(call, movements, ({ transactions }, chainSlot) => {
        if (transactions === null) return null;
        const { rows, next } = transactions;
        return rowsBetween(rows, incompleteUpToSlot(rows, next !== null), chainSlot);
      }),
      expected: expectedFrom(call, movements, ({ walletAddress, transactions }, chain) => {
        if (!transactions) return [];
        const { rows, next } = transactions;
        const own = chainRows(chain, ({ wallet }) => wallet === walletAddress);
        return [rowsBetween(own, incompleteUpToSlot(rows, next !== null), chain.accounts.slot)];
      }),
    },
  ];
}

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
