import type { ResponseOf } from '../../data/contract/call.ts';
import { cardEligibility } from '../../data/contract/eligibility.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { valueUsd } from '../../data/model/supply.ts';
import { higherTier, nextCardTier } from '../../data/model/tiers.ts';
import { ageState, FRESHNESS } from '../../data/model/value-state.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import type { FigureInputs } from '../metrics/figure.ts';
import { readQuery } from '../request-input.ts';
import { checkAddress } from '../wallet-address.ts';
import { type CardTierContext, checkStake } from './check-stake.ts';

type Eligibility = ResponseOf<typeof cardEligibility>;

/** The current price; null if it is stale, because a value computed from it would look current. */
function currentPrice({ index: { quote } }: FigureInputs, now: number): Eligibility['price'] {
  if (!quote || ageState(quote.readAt, now, FRESHNESS.market) === 'stale') return null;
  return { usd: quote.priceUsd, asOf: new Date(quote.readAt).toISOString(), source: quote.source };
}

/** @throws {ApiError} the errors of `checkStake` */
async function readEligibility(walletAddress: string, context: CardTierContext): Promise<Eligibility> {
  const inputs = context.figureInputs();
  const [check, whitelistedTier] = await Promise.all([
    checkStake(walletAddress, inputs, context),
    context.store.sessions.whitelistedTier(walletAddress),
  ]);
  const { staked, held, decimals, entries: _entries, ...found } = check;
  const balance = held ?? staked;
  const bdBalanceText = toDecimalText(balance, decimals);
  const price = currentPrice(inputs, context.now());
  const tier = higherTier(found.tier, whitelistedTier) ?? 'None';
  const lowestTier = tier === 'None' ? nextCardTier(staked, decimals) : null;
  return {
    ...found,
    walletAddress,
    eligible: tier !== 'None',
    bdBalance: Number(bdBalanceText),
    bdBalanceText,
    usdValue: price && valueUsd(balance, price.usd, decimals),
    tier,
    missing: toDecimalText(lowestTier?.missing ?? 0n, decimals),
    price,
  };
}

/**
 * `GET /api/virtual-card/eligibility`: whether a wallet may have a card. The rules are the same as for creating a card, so a
 * whitelisted tier counts too. The data is public, so no signature is needed.
 */
export function eligibilityRoute(context: CardTierContext): ApiRoute {
  return callRoute(cardEligibility, { limit: 'verifications' }, async (request, response) => {
    const { walletAddress } = readQuery(cardEligibility.query, request.query);
    checkAddress(walletAddress);
    response.json(await readEligibility(walletAddress, context));
  });
}
