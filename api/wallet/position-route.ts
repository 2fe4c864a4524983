import type { ResponseOf } from '../../data/contract/call.ts';
import { TRANSACTIONS_PER_PAGE, type WalletPosition, walletPosition } from '../../data/contract/position.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { statedReward } from '../../data/model/staking-terms.ts';
import { cardTier, nextCardTier, stakerBadge } from '../../data/model/tiers.ts';
import type { EventPlace, IndexReader } from '../../data/store/ports.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { ApiError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { chainOf, chainProvenance, type FigureInputs, transactionRow } from '../metrics/figure.ts';
import { readQuery } from '../request-input.ts';
import type { StakesContent } from '../staking/current-stakes.ts';
import { checkAddress } from '../wallet-address.ts';

/** The requested page of transactions. */
interface Page {
  readonly limit: number;
  readonly before: EventPlace | null;
}

const iso = (at: number) => new Date(at).toISOString();

/** @param text `slot.position.order`, checked by the schema of the query */
function placeOf(text: string): EventPlace {
  const [slot = 0, position = 0, order = 0] = text.split('.').map(Number);
  return { slot, position, order };
}

function placeText({ slot, position, order }: EventPlace): string {
  return `${slot}.${position}.${order}`;
}

/** The stake of a wallet, its tier and its stated reward. */
function stakePart(wallet: string, content: StakesContent) {
  const { decimals } = content;
  const staker = content.byWallet.get(wallet);
  const staked = staker?.staked ?? 0n;
  const next = nextCardTier(staked, decimals);
  return {
    isStaking: staker !== undefined,
    staked: toDecimalText(staked, decimals),
    lock: staker ? { startDate: iso(staker.lockedAt), unlockDate: iso(staker.unlocksAt) } : null,
    stakes: (content.openByWallet.get(wallet) ?? []).map((entry) => ({
      entry: entry.address,
      amount: toDecimalText(entry.amount, decimals),
      startDate: iso(entry.createdAt),
      unlockDate: iso(entry.unlocksAt),
      openedBy: entry.openedBy,
    })),
    tier: cardTier(staked, decimals) ?? 'None',
    badge: stakerBadge(staked, decimals),
    nextTier: next && {
      tier: next.tier,
      minimumStake: toDecimalText(next.minimum, decimals),
      missing: toDecimalText(next.missing, decimals),
    },
    statedReward: toDecimalText(statedReward(staked), decimals),
  } satisfies Partial<WalletPosition>;
}

async function transactionsPart(
  reader: Pick<IndexReader, 'walletEvents'>,
  { index }: FigureInputs,
  wallet: string,
  { limit, before }: Page,
): Promise<WalletPosition['transactions']> {
  const { identity } = index;
  // The index is first filled oldest first: until then, its newest transactions are not the chain's newest.
  if (!identity || !index.isHistoryRead) return null;
  const { events, next } = await reader.walletEvents(wallet, limit, before);
  return {
    rows: events.map((event) => transactionRow(event, identity)),
    next: next && placeText(next),
    isComplete: index.hasWholeHistory && index.quarantinedCount === 0,
  };
}

/**
 * A wallet's position, from the index only.
 * @throws {ApiError} `not-indexed-yet` while the stakes are unknown; `index-unreadable` when the transactions cannot be read.
 */
async function positionOf(
  walletAddress: string,
  page: Page,
  options: {
    readonly facts: FigureInputs;
    readonly reader: Pick<IndexReader, 'walletEvents'>;
    readonly now: number;
  },
): Promise<ResponseOf<typeof walletPosition>> {
  const { facts, reader, now } = options;
  const known = chainOf(facts);
  if (!known || !facts.stakes) throw new ApiError('not-indexed-yet');
  try {
    return {
      walletAddress,
      ...stakePart(walletAddress, facts.stakes.content),
      transactions: await transactionsPart(reader, facts, walletAddress, page),
      ...chainProvenance(known.source, facts.stakes, now),
    };
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw new ApiError('index-unreadable', { cause: error });
    throw error;
  }
}

/** `GET /api/wallet/position`. The data is public, so no signature is needed. */
export function positionRoute(options: {
  readonly facts: () => FigureInputs;
  readonly reader: Pick<IndexReader, 'walletEvents'>;
  readonly now: () => number;
}): ApiRoute {
  return {
    method: walletPosition.method,
    path: walletPosition.path,
    handle: async (request, response) => {
      const { walletAddress, limit, before } = readQuery(walletPosition.query, request.query);
      checkAddress(walletAddress);
      const page: Page = {
        limit: limit === undefined ? TRANSACTIONS_PER_PAGE : Number(limit),
        before: before === undefined ? null : placeOf(before),
      };
      const { reader } = options;
      response.json(
        await positionOf(walletAddress, page, { facts: options.facts(), reader, now: options.now() }),
      );
    },
  };
}
