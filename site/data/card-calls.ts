import { queryOptions } from '@tanstack/react-query';
import type { BodyOf, ResponseOf } from '../../data/contract/call.ts';
import type {
  CardSummary,
  cardFunding,
  cardTopUps,
  cardUsage,
  createCard,
  freezeCard,
  myCard,
  revealCard,
} from '../../data/contract/cards.ts';
import type { cardEligibility } from '../../data/contract/eligibility.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { callError } from './call-error.ts';
import { readBody } from './figure-query.ts';
import { post, request } from './request.ts';

export type Eligibility = ResponseOf<typeof cardEligibility>;
export type Funding = ResponseOf<typeof cardFunding>;
export type TopUps = ResponseOf<typeof cardTopUps>;
export type MyCard = ResponseOf<typeof myCard>;
export type Usage = ResponseOf<typeof cardUsage>;
/** A card's number and CVV. Keep them only in the state of the component that shows them. */
export type CardSecret = ResponseOf<typeof revealCard>;

/** A retry does not help if the server refused the call, or if there is no proof of ownership. */
const shouldRetryCall = (failures: number, error: Error) => callError(error) === 'failed' && failures < 2;

export const eligibilityKey = (wallet: string): readonly string[] => [PATHS.cardEligibility, wallet];

/** This call is slow, because the server reads the chain. */
export function eligibilityQuery(wallet: string) {
  return queryOptions<Eligibility>({
    queryKey: eligibilityKey(wallet),
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ walletAddress: wallet });
      return (await request('GET', `${PATHS.cardEligibility}?${query}`, { signal })).json();
    },
    retry: shouldRetryCall,
  });
}

/** The address to which transfers for all cards are sent; null while the server does not know it. */
export function fundingQuery() {
  return queryOptions<Funding | null>({
    queryKey: [PATHS.cardFunding],
    queryFn: ({ signal }) => readBody<Funding>(PATHS.cardFunding, signal),
    staleTime: 300_000,
  });
}

export const myCardKey = (wallet: string): readonly string[] => [PATHS.myCard, wallet];

/** The card of a wallet, without its number and CVV; null if the server has no proof of ownership. */
export function myCardQuery(wallet: string) {
  return queryOptions<MyCard | null>({
    queryKey: myCardKey(wallet),
    queryFn: async ({ signal }) =>
      (await request('GET', PATHS.myCard, { signal, on401: 'null' }))?.json() ?? null,
    retry: shouldRetryCall,
    // A missing proof (null) is never fresh, so that the card is read again as soon as there is a proof.
    staleTime: ({ state }) => (state.data === null ? 0 : 30_000),
    // Polled while the card waits for the issuer: while it is pending or being closed.
    refetchInterval: ({ state }) => {
      const card = state.data?.card;
      return card?.state === 'pending' ? 3_000 : card?.isClosing ? 30_000 : false;
    },
  });
}

export function cardUsageQuery(cardId: string) {
  return queryOptions<Usage>({
    queryKey: [PATHS.cardUsage, cardId],
    queryFn: async ({ signal }) => (await request('GET', PATHS.cardUsage, { signal })).json(),
    retry: shouldRetryCall,
    staleTime: 0,
  });
}

/**
 * A card's top-ups, and the six decimals that identify the card in the amount of a transfer. Polled, because a new card gets
 * its decimals later, and a transfer is credited only after its confirmations.
 */
export function cardTopUpsQuery(cardId: string) {
  return queryOptions<TopUps>({
    queryKey: [PATHS.cardTopUps, cardId],
    queryFn: async ({ signal }) => (await request('GET', PATHS.cardTopUps, { signal })).json(),
    retry: shouldRetryCall,
    refetchInterval: 30_000,
  });
}

/** Longer than the calls to a card issuer take together, each with a retry. */
const ISSUER_TIMEOUT_MS = 90_000;

/** The response contains the card's number and CVV. @throws {RequestError} */
export async function makeCard(
  walletAddress: string,
  holderName: string,
  cardholder: BodyOf<typeof createCard>['cardholder'] | null,
): Promise<ResponseOf<typeof createCard>> {
  const payload = { walletAddress, holderName, ...(cardholder && { cardholder }) };
  return post(PATHS.createCard, payload, ISSUER_TIMEOUT_MS);
}

/** Requires a fresh proof of ownership. @throws {RequestError} */
export async function revealSecret(cardId: string): Promise<CardSecret> {
  return post(PATHS.revealCard, { cardId }, ISSUER_TIMEOUT_MS);
}

/** @throws {RequestError} */
async function changeCard(path: string, payload: object): Promise<CardSummary> {
  return (await post<ResponseOf<typeof freezeCard>>(path, payload, ISSUER_TIMEOUT_MS)).card;
}

/** @throws {RequestError} */
export const setFrozen = (cardId: string, isFrozen: boolean) =>
  changeCard(isFrozen ? PATHS.freezeCard : PATHS.unfreezeCard, { cardId });

/** Closes a card permanently. Requires a fresh proof of ownership. @throws {RequestError} */
export const closeCard = (cardId: string) => changeCard(PATHS.closeCard, { cardId });

/** Higher limits require a fresh proof of ownership. @throws {RequestError} */
export const setLimits = (cardId: string, dailyLimit: number, monthlyLimit: number) =>
  changeCard(PATHS.changeCardLimits, { cardId, dailyLimit, monthlyLimit });

/** @throws {RequestError} */
export const setSpendNotices = (cardId: string, isOn: boolean) =>
  changeCard(PATHS.setSpendNotices, { cardId, isOn });
