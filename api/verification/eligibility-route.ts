import type { ResponseOf } from '../../data/contract/call.ts';
import { cardEligibility } from '../../data/contract/eligibility.ts';
import { fromDecimalText, toDecimalText } from '../../data/model/amounts.ts';
import { valueUsd } from '../../data/model/supply.ts';
import { higherTier, nextCardTier } from '../../data/model/tiers.ts';
import { ageState, FRESHNESS } from '../../data/model/value-state.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { ApiError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { chainOf, type FigureInputs } from '../metrics/figure.ts';
import { readQuery } from '../request-input.ts';
import { checkAddress } from '../wallet-address.ts';
import { type VerificationContext, verifyWallet } from './verify-route.ts';

type Eligibility = ResponseOf<typeof cardEligibility>;

/** The current price; null when it is stale, since a value from it would look current. */
function youngPrice({ index: { quote } }: FigureInputs, now: number): Eligibility['price'] {
  if (!quote || ageState(quote.readAt, now, FRESHNESS.market) === 'stale') return null;
  return { usd: quote.priceUsd, asOf: new Date(quote.readAt).toISOString(), source: quote.source };
}

interface EligibilityContext extends VerificationContext {
  readonly store: Pick<AppStore, 'sessions'>;
}

/** @throws as `verifyWallet` */
async function eligibilityOf(walletAddress: string, context: EligibilityContext): Promise<Eligibility> {
  const facts = context.facts();
  const [found, admitted] = await Promise.all([
    verifyWallet(walletAddress, facts, context),
    context.store.sessions.whitelistedTier(walletAddress),
  ]);
  const known = chainOf(facts);
  if (!known) throw new ApiError('not-indexed-yet');
  const { decimals } = known.identity;
  const staked = fromDecimalText(found.stakedAmountText, decimals);
  const balance = found.heldAmount ?? found.stakedAmountText;
  const price = youngPrice(facts, context.now());
  const { detectionMethod, asOf, slot, source, state } = found;
  const tier = higherTier(found.tier, admitted) ?? 'None';
  const toLowest = tier === 'None' ? nextCardTier(staked, decimals) : null;
  return {
    walletAddress,
    eligible: tier !== 'None',
    bdBalance: Number(balance),
    bdBalanceText: balance,
    usdValue: price && valueUsd(fromDecimalText(balance, decimals), price.usd, decimals),
    tier,
    missing: toDecimalText(toLowest?.missing ?? 0n, decimals),
    detectionMethod,
    price,
    asOf,
    slot,
    source,
    state,
  };
}

/**
 * `GET /api/virtual-card/eligibility`: the same decision as for issuing a card, including whitelisted wallets. The data is
 * public, so no signature is needed.
 */
export function eligibilityRoute(context: EligibilityContext): ApiRoute {
  return {
    method: cardEligibility.method,
    path: cardEligibility.path,
    limit: 'verifications',
    handle: async (request, response) => {
      const { walletAddress } = readQuery(cardEligibility.query, request.query);
      checkAddress(walletAddress);
      response.json(await eligibilityOf(walletAddress, context));
    },
  };
}
