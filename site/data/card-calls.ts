import { queryOptions } from '@tanstack/react-query';
import type { ResponseOf } from '../../data/contract/call.ts';
import type {
  CardSummary,
  cardFunding,
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
import { request } from './request.ts';

export type Eligibility = ResponseOf<typeof cardEligibility>;
export type Funding = ResponseOf<typeof cardFunding>;
export type MyCard = ResponseOf<typeof myCard>;
export type Usage = ResponseOf<typeof cardUsage>;
/** Number and CVV of a card. Keep it in the state of the component that shows it, and nowhere else. */
export type CardSecret = ResponseOf<typeof revealCard>;

/** A retry does not help after a refusal or without a proof. */
const retry = (failures: number, error: Error) => callError(error) === 'failed' && failures < 2;

/** The key of a wallet's eligibility in the query cache. */
export function eligibilityKey(wallet: string): readonly string[] {
  return [PATHS.cardEligibility, wallet];
}

/** Whether a wallet's stake qualifies for a card. Slow: the server reads the chain. */
export function eligibilityQuery(wallet: string) {
  return queryOptions<Eligibility>({
    queryKey: eligibilityKey(wallet),
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ walletAddress: wallet });
      return (await request('GET', `${PATHS.cardEligibility}?${query}`, { signal })).json();
    },
    retry,
  });
}

/** The funding address of the cards; null while the server does not know it. */
export function fundingQuery() {
  return queryOptions<Funding | null>({
    queryKey: [PATHS.cardFunding],
    queryFn: ({ signal }) => readBody<Funding>(PATHS.cardFunding, signal),
    staleTime: 300_000,
  });
}

/** The key of the proven wallet's card in the query cache, which holds only the last four digits of its number. */
export function myCardKey(wallet: string): readonly string[] {
  return [PATHS.myCard, wallet];
}

/** The card of a proven wallet; null if the server no longer has a proof. */
export function myCardQuery(wallet: string) {
  return queryOptions<MyCard | null>({
    queryKey: myCardKey(wallet),
    queryFn: async ({ signal }) =>
      (await request('GET', PATHS.myCard, { signal, on401: 'null' }))?.json() ?? null,
    retry,
    // Until the issuer has answered.
    refetchInterval: ({ state }) => (state.data?.card?.state === 'pending' ? 3_000 : false),
  });
}

/** The transactions and totals of a card. */
export function cardUsageQuery(cardId: string) {
  return queryOptions<Usage>({
    queryKey: [PATHS.cardUsage, cardId],
    queryFn: async ({ signal }) => (await request('GET', PATHS.cardUsage, { signal })).json(),
    retry,
    staleTime: 0,
  });
}

/** Creates a wallet's card. Only this response contains the number; later reads require a fresh proof. @throws {RequestError} */
export async function makeCard(
  walletAddress: string,
  holderName: string,
): Promise<ResponseOf<typeof createCard>> {
  return (await request('POST', PATHS.createCard, { payload: { walletAddress, holderName } })).json();
}

/** Reads number and CVV. Requires a fresh proof. @throws {RequestError} */
export async function revealSecret(cardId: string): Promise<CardSecret> {
  return (await request('POST', PATHS.revealCard, { payload: { cardId } })).json();
}

/** Freezes or unfreezes a card. @throws {RequestError} */
export async function setFrozen(cardId: string, frozen: boolean): Promise<CardSummary> {
  const response = await request('POST', frozen ? PATHS.freezeCard : PATHS.unfreezeCard, {
    payload: { cardId },
  });
  const body: ResponseOf<typeof freezeCard> = await response.json();
  return body.card;
}
