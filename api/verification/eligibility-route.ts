import type { RequestHandler } from 'express';
import type { ResponseOf } from '../../data/contract/call.ts';
import { cardEligibility } from '../../data/contract/eligibility.ts';
import { fromDecimalText, toDecimalText } from '../../data/model/amounts.ts';
import { valueUsd } from '../../data/model/supply.ts';
import { nextCardTier } from '../../data/model/tiers.ts';
import { ageState, FRESHNESS } from '../../data/model/value-state.ts';
import { NotIndexedYetError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { chainOf, type Facts } from '../metrics/facts.ts';
import { readQuery } from '../query.ts';
import { limited } from '../security/rate-limit.ts';
import { checkAddress } from '../wallet-address.ts';
import { type VerificationOptions, verifyWallet } from './verify-route.ts';

type Eligibility = ResponseOf<typeof cardEligibility>;

/** The price to reckon with: none where it is stale, since a value made of it would look like one of today. */
function youngPrice({ index: { quote } }: Facts, now: number): Eligibility['price'] {
  if (!quote || ageState(quote.readAt, now, FRESHNESS.market) === 'stale') return null;
  return { usd: quote.priceUsd, asOf: new Date(quote.readAt).toISOString(), source: quote.source };
}

/** @throws as `verifyWallet` */
async function eligibilityOf(
  walletAddress: string,
  facts: Facts,
  options: VerificationOptions,
): Promise<Eligibility> {
  const found = await verifyWallet(walletAddress, facts, options);
  const known = chainOf(facts);
  if (!known) throw new NotIndexedYetError();
  const { decimals } = known.identity;
  const staked = fromDecimalText(found.stakedAmountText, decimals);
  const balance = found.heldAmount ?? found.stakedAmountText;
  const price = youngPrice(facts, options.now());
  const { detectionMethod, tier, asOf, slot, source, state } = found;
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

/** `GET /api/virtual-card/eligibility`. Public data, so no signature is asked for. */
export function eligibilityRoute(
  options: VerificationOptions & { readonly facts: () => Facts; readonly limit: RequestHandler },
): ApiRoute {
  return {
    method: cardEligibility.method,
    path: cardEligibility.path,
    handle: limited(options.limit, async (request, response) => {
      const { walletAddress } = readQuery(cardEligibility.query, request.query);
      checkAddress(walletAddress);
      response.json(await eligibilityOf(walletAddress, options.facts(), options));
    }),
  };
}
