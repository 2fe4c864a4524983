import type { ReactNode } from 'react';
import { vi } from 'vitest';
import type { CardSummary } from '../../../../data/contract/cards.ts';
import { queryClient } from '../../../data/query-client.ts';
import { CONNECTED_STATE, SAMPLE_WALLET, sampleEligibility } from '../../testing/samples.ts';
import { openServedPage, type ServedPage } from '../../testing/served-page.tsx';
import { LiveRoot } from '../../ui/Live.tsx';
import { WalletContext } from '../../wallet/WalletProvider.tsx';
import { $session, $wallet } from '../../wallet/wallet-stores.ts';
import { ConnectedStepper } from '../CardStepper.tsx';

export const NUMBER = '4242424242424242';
export const CVV = '987';
export const OTHER_WALLET = '7sbniKpM9gv4U7QcKkAewH7Comd1nKNoWyH8UR8sHuDv';
export const testCardTexts = { badge: 'TEST CARD – not a payment instrument', text: 'It cannot pay.' };
export const card: CardSummary = {
  cardId: 'card-1',
  walletAddress: SAMPLE_WALLET,
  state: 'active',
  tier: 'Banker',
  holderName: 'Ada Lovelace',
  lastFour: '4242',
  expiryDate: '11/29',
  isTestCard: true,
  frozenFor: null,
  closesAt: null,
  limits: { daily: 5_000, monthly: 5_000, arePending: false },
  hasSpendNotices: false,
  isClosing: false,
  createdAt: '2026-11-21T10:00:00.000Z',
};
const secret = { cardNumber: NUMBER, expiryDate: '11/29', cvv: CVV, holderName: 'Ada Lovelace' };
export const session = {
  walletAddress: SAMPLE_WALLET,
  provedAt: '2026-11-21T10:00:00.000Z',
  expiresAt: '2026-11-21T22:00:00.000Z',
};
export const noSession = { walletAddress: null, provedAt: null, expiresAt: null };

export let page: ServedPage;
export const connect = vi.fn(async () => $wallet.set(CONNECTED_STATE));
export const prove = vi.fn(async () => {
  $session.set(session);
  return session;
});
const walletActions = { connect, prove, disconnect: vi.fn(), signTransaction: vi.fn() };

/** @param responses by method and path */
export async function openPart(
  part: ReactNode,
  responses: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  page = await openServedPage(
    <LiveRoot>
      <WalletContext value={walletActions}>{part}</WalletContext>
    </LiveRoot>,
    responses,
  );
  page.respond('GET /api/wallet/session', noSession);
}

export async function open(): Promise<void> {
  await openPart(
    <ConnectedStepper texts={testCardTexts} market="https://example.com">
      The sample
    </ConnectedStepper>,
  );
  page.respond('GET /api/virtual-card/eligibility', sampleEligibility());
  page.respond('GET /api/virtual-card/mine', {
    card: null,
    lastClosed: null,
    noticesTo: null,
    cardsLeft: 12,
  });
  page.respond('POST /api/virtual-card/create', { ...secret, card });
  page.respond('POST /api/virtual-card/reveal', secret);
}

export function respondMine(overrides: Partial<CardSummary>, responseFields: object = {}): void {
  page.respond('GET /api/virtual-card/mine', {
    card: { ...card, ...overrides },
    lastClosed: null,
    noticesTo: 'email',
    cardholderFields: [],
    cardsLeft: 12,
    ...responseFields,
  });
}

export async function openWithCard(
  overrides: Partial<CardSummary> = {},
  responseFields: object = {},
): Promise<void> {
  await open();
  page.respond('GET /api/wallet/session', session);
  respondMine(overrides, responseFields);
  await page.advance(1, () => $wallet.set(CONNECTED_STATE));
  await page.settle();
}

/** Everything that outlives the component: caches, storage and the URL. */
export function cachedData(): string {
  const caches = [...queryClient.getQueryCache().getAll(), ...queryClient.getMutationCache().getAll()];
  return JSON.stringify([caches.map(({ state }) => state), localStorage, sessionStorage, location.href]);
}
/** Opens the page for a proven owner without a card. */
export async function openProven(responses: Readonly<Record<string, unknown>> = {}): Promise<void> {
  await open();
  for (const [call, body] of Object.entries(responses)) page.respond(call, body);
  await page.advance(1, () => {
    $session.set(session);
    $wallet.set(CONNECTED_STATE);
  });
}
export const requestsTo = (action: string) =>
  page.requests
    .filter(({ call }) => call === `POST /api/virtual-card/${action}`)
    .map(({ payload }) => payload);
export const holderNameInput = () => page.root.querySelector<HTMLInputElement>('#holder-name');
/** The labels of the gold buttons: the actions that the page suggests next. */
export const goldButtonTexts = () =>
  [...page.root.querySelectorAll('.gold')].map(({ textContent }) => textContent?.trim());
export const alertOf = (step: string) =>
  [...(page.root.querySelector(`#step-${step}`)?.closest('li')?.querySelectorAll('[role=alert]') ?? [])]
    .map(({ textContent }) => textContent)
    .join('');
export const stepStates = () =>
  [...page.root.querySelectorAll<HTMLElement>('[data-step]')].map(({ dataset }) => dataset.step);
