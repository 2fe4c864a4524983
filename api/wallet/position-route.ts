import { TRANSACTIONS_PER_PAGE, type WalletPosition, walletPosition } from '../../data/contract/position.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { statedReward } from '../../data/model/staking-terms.ts';
import { cardTier, nextCardTier, stakerBadge } from '../../data/model/tiers.ts';
import type { EventCursor, IndexReader } from '../../data/store/ports.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { isHistoryCurrent } from '../metrics/event-history.ts';
import { chainProvenance, chainSnapshot, type FigureInputs, transactionRow } from '../metrics/figure.ts';
import { readQuery } from '../request-input.ts';
import type { StakesContent } from '../staking/current-stakes.ts';
import { checkAddress } from '../wallet-address.ts';

const iso = (at: number) => new Date(at).toISOString();

/** @param text `slot.position.order`, already validated by the query's schema */
export function parseCursor(text: string): EventCursor {
  const [slot = 0, position = 0, order = 0] = text.split('.').map(Number);
  return { slot, position, order };
}

export function cursorText({ slot, position, order }: EventCursor): string {
  return `${slot}.${position}.${order}`;
}

function stakeFields(wallet: string, content: StakesContent) {
  const { decimals } = content;
  const staker = content.stakerByWallet.get(wallet);
  const staked = staker?.staked ?? 0n;
  const next = nextCardTier(staked, decimals);
  return {
    isStaking: staker !== undefined,
    staked: toDecimalText(staked, decimals),
    lock: staker ? { startDate: iso(staker.lockedAt), unlockDate: iso(staker.unlocksAt) } : null,
    stakes: (content.openStakesByWallet.get(wallet) ?? []).map((entry) => ({
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

async function readTransactionPage(
  reader: Pick<IndexReader, 'walletEvents'>,
  { index }: FigureInputs,
  wallet: string,
  limit: number,
  before: EventCursor | null,
): Promise<Omit<NonNullable<WalletPosition['transactions']>, 'isComplete'> | null> {
  const { identity } = index;
  // Until the first sync ends, the newest transactions are missing, because the sync starts with the oldest ones.
  if (!identity || !index.isHistoryCaughtUp) return null;
  const { events, next } = await reader.walletEvents(wallet, limit, before);
  return {
    rows: events.map((event) => transactionRow(event, identity)),
    next: next && cursorText(next),
  };
}

/** `GET /api/wallet/position`, answered from the index only. The data is public, so no signature is needed. */
export function positionRoute(context: {
  readonly figureInputs: () => FigureInputs;
  readonly reader: Pick<IndexReader, 'walletEvents'>;
  readonly now: () => number;
}): ApiRoute {
  return callRoute(walletPosition, {}, async (request, response) => {
    const query = readQuery(walletPosition.query, request.query);
    const { walletAddress } = query;
    checkAddress(walletAddress);
    const limit = query.limit === undefined ? TRANSACTIONS_PER_PAGE : Number(query.limit);
    const before = query.before === undefined ? null : parseCursor(query.before);
    const inputs = context.figureInputs();
    const snapshot = chainSnapshot(inputs);
    if (!snapshot || !inputs.stakes) throw new ApiError('not-indexed-yet');
    try {
      const page = await readTransactionPage(context.reader, inputs, walletAddress, limit, before);
      const isComplete = isHistoryCurrent(inputs.index, context.now());
      response.json({
        walletAddress,
        ...stakeFields(walletAddress, inputs.stakes.content),
        transactions: page && { ...page, isComplete },
        ...chainProvenance(snapshot.source, inputs.stakes, context.now()),
      } satisfies WalletPosition);
    } catch (error) {
      if (error instanceof StoreUnavailableError) throw new ApiError('index-unreadable', { cause: error });
      throw error;
    }
  });
}
