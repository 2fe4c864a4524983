import type { RequestHandler } from 'express';
import type { ResponseOf } from '../../data/contract/call.ts';
import { cardEligibility } from '../../data/contract/eligibility.ts';
import { fromDecimalText, toDecimalText } from '../../data/model/amounts.ts';
import { valueUsd } from '../../data/model/supply.ts';
import { type CardTier, higherTier, nextCardTier } from '../../data/model/tiers.ts';
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

interface EligibilityOptions extends VerificationOptions {
  /** The card tier that the team admitted a wallet to; null where it did not. */
  readonly whitelistedTier: (walletAddress: string) => Promise<CardTier | null>;
}

/** @throws as `verifyWallet` */
async function eligibilityOf(
  walletAddress: string,
  facts: Facts,
  options: EligibilityOptions,
): Promise<Eligibility> {
  const [found, admitted] = await Promise.all([
    verifyWallet(walletAddress, facts, options),
    options.whitelistedTier(walletAddress),
  ]);
  const known = chainOf(facts);
  if (!known) throw new NotIndexedYetError();
  const { decimals } = known.identity;
  const staked = fromDecimalText(found.stakedAmountText, decimals);
  const balance = found.heldAmount ?? found.stakedAmountText;
  const price = youngPrice(facts, options.now());
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
 * `GET /api/virtual-card/eligibility`: what the making of a card goes by, so a wallet that the team admitted is told so.
 * Public data, so no signature is asked for.
 */
export function eligibilityRoute(
  options: EligibilityOptions & { readonly facts: () => Facts; readonly limit: RequestHandler },
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
