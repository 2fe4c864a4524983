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
  unfreezeCard,
} from '../../data/contract/cards.ts';
import type { cardEligibility } from '../../data/contract/eligibility.ts';
import { callFault } from './call-fault.ts';
import { readBody } from './figure-query.ts';
import { request } from './request.ts';

// Named by their types alone: the declaring modules would bring their schemas into the browser.
const ELIGIBILITY: (typeof cardEligibility)['path'] = '/api/virtual-card/eligibility';
const FUNDING: (typeof cardFunding)['path'] = '/api/virtual-card/funding';
const MINE: (typeof myCard)['path'] = '/api/virtual-card/mine';
const USAGE: (typeof cardUsage)['path'] = '/api/virtual-card/usage';
const CREATE: (typeof createCard)['path'] = '/api/virtual-card/create';
const REVEAL: (typeof revealCard)['path'] = '/api/virtual-card/reveal';
const FREEZE: (typeof freezeCard)['path'] = '/api/virtual-card/freeze';
const UNFREEZE: (typeof unfreezeCard)['path'] = '/api/virtual-card/unfreeze';

export type Eligibility = ResponseOf<typeof cardEligibility>;
export type Funding = ResponseOf<typeof cardFunding>;
export type MyCard = ResponseOf<typeof myCard>;
export type Usage = ResponseOf<typeof cardUsage>;
/** Number and CVV of a card. It belongs into the state of the component that shows it, and nowhere else. */
export type CardSecret = ResponseOf<typeof revealCard>;

/** Asking again mends neither a refusal nor a missing proof. */
const retry = (failures: number, error: Error) => callFault(error) === 'failed' && failures < 2;

/** The key of a wallet's eligibility in the query cache. */
export function eligibilityKey(wallet: string): readonly string[] {
  return [ELIGIBILITY, wallet];
}

/** Whether a wallet's stake earns a card. The server reads the chain for it, which can take up to 60 seconds. */
export function eligibilityQuery(wallet: string) {
  return queryOptions<Eligibility>({
    queryKey: eligibilityKey(wallet),
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ walletAddress: wallet });
      return (await request('GET', `${ELIGIBILITY}?${query}`, { signal })).json();
    },
    retry,
  });
}

/** Where cards are loaded; null while the server cannot say. */
export function fundingQuery() {
  return queryOptions<Funding | null>({
    queryKey: [FUNDING],
    queryFn: ({ signal }) => readBody<Funding>(FUNDING, signal),
    staleTime: 300_000,
  });
}

/** The key of the proved wallet's card in the query cache. Of its number the cache holds the last four digits. */
export function myCardKey(wallet: string): readonly string[] {
  return [MINE, wallet];
}

/** The card of a wallet that is proved; null where the server knows of no proof any more. */
export function myCardQuery(wallet: string) {
  return queryOptions<MyCard | null>({
    queryKey: myCardKey(wallet),
    queryFn: async ({ signal }) => (await request('GET', MINE, { signal, on401: 'null' }))?.json() ?? null,
    retry,
    // A card that the issuer is still being asked for settles by itself.
    refetchInterval: ({ state }) => (state.data?.card?.state === 'pending' ? 3_000 : false),
  });
}

/** What a card has paid for. */
export function cardUsageQuery(cardId: string) {
  return queryOptions<Usage>({
    queryKey: [USAGE, cardId],
    queryFn: async ({ signal }) => (await request('GET', USAGE, { signal })).json(),
    retry,
    staleTime: 0,
  });
}

/** Makes the card of a wallet. The answer is the only one that tells its number without a fresh proof. @throws {RequestError} */
export async function makeCard(
  walletAddress: string,
  holderName: string,
): Promise<ResponseOf<typeof createCard>> {
  return (await request('POST', CREATE, { payload: { walletAddress, holderName } })).json();
}

/** Tells number and CVV again, after a fresh proof. @throws {RequestError} */
export async function revealSecret(cardId: string): Promise<CardSecret> {
  return (await request('POST', REVEAL, { payload: { cardId } })).json();
}

/** Stops the card from paying, or lets it pay again. @throws {RequestError} */
export async function setFrozen(cardId: string, frozen: boolean): Promise<CardSummary> {
  const response = await request('POST', frozen ? FREEZE : UNFREEZE, { payload: { cardId } });
  const body: ResponseOf<typeof freezeCard> = await response.json();
  return body.card;
}
