// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CardSummary } from '../../../data/contract/cards.ts';
import { queryClient } from '../../data/query-client.ts';
import { SAMPLE_WALLET, sampleEligibility } from '../testing/samples.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import { LiveRoot } from '../ui/Live.tsx';
import { ProofError } from '../wallet/prove-owner.ts';
import { WalletContext } from '../wallet/WalletProvider.tsx';
import { $session, $wallet, DISCONNECTED } from '../wallet/wallet-stores.ts';
import { ConnectedStepper } from './CardStepper.tsx';
import { holderNameError } from './GenerateForm.tsx';

const NUMBER = '4242424242424242';
const CVV = '987';
const OTHER_WALLET = '7sbniKpM9gv4U7QcKkAewH7Comd1nKNoWyH8UR8sHuDv';
const texts = { badge: 'TEST CARD – not a payment instrument', text: 'It cannot pay.' };
const card: CardSummary = {
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
  createdAt: '2026-11-21T10:00:00.000Z',
};
const secret = { cardNumber: NUMBER, expiryDate: '11/29', cvv: CVV, holderName: 'Ada Lovelace' };
const session = {
  walletAddress: SAMPLE_WALLET,
  provedAt: '2026-11-21T10:00:00.000Z',
  expiresAt: '2026-11-21T22:00:00.000Z',
};
const noSession = { walletAddress: null, provedAt: null, expiresAt: null };

let page: ServedPage;
const connect = vi.fn(async () => $wallet.set({ ...connected }));
const prove = vi.fn(async () => {
  $session.set(session);
  return session;
});
const connected = {
  walletAddress: SAMPLE_WALLET,
  isConnected: true,
  isConnecting: false,
  walletName: 'Test',
};
const wallet = { connect, prove, disconnect: vi.fn(), signTransaction: vi.fn() };

async function open(): Promise<void> {
  page = await openServedPage(
    <LiveRoot>
      <WalletContext value={wallet}>
        <ConnectedStepper texts={texts} market="https://example.com">
          The sample
        </ConnectedStepper>
      </WalletContext>
    </LiveRoot>,
  );
  page.respond('GET /api/wallet/session', noSession);
  page.respond('GET /api/virtual-card/eligibility', sampleEligibility());
  page.respond('GET /api/virtual-card/mine', { card: null, lastClosed: null, cardsLeft: 12 });
  page.respond('POST /api/virtual-card/create', { ...secret, card });
  page.respond('POST /api/virtual-card/reveal', secret);
}

function respondMine(overrides: Partial<CardSummary>): void {
  page.respond('GET /api/virtual-card/mine', {
    card: { ...card, ...overrides },
    lastClosed: null,
    cardsLeft: 12,
  });
}

/** Opens the page for a proven owner with a card. */
async function openWithCard(overrides: Partial<CardSummary> = {}): Promise<void> {
  await open();
  page.respond('GET /api/wallet/session', session);
  respondMine(overrides);
  await page.advance(1, () => $wallet.set(connected));
  await page.settle();
}

/** Everything that outlives the component: caches, storage and the page's address. */
function persisted(): string {
  const caches = [...queryClient.getQueryCache().getAll(), ...queryClient.getMutationCache().getAll()];
  return JSON.stringify([caches.map(({ state }) => state), localStorage, sessionStorage, location.href]);
}
/** Opens the page for a proven owner without a card. */
async function openProven(responses: Readonly<Record<string, unknown>> = {}): Promise<void> {
  await open();
  for (const [call, body] of Object.entries(responses)) page.respond(call, body);
  await page.advance(1, () => {
    $session.set(session);
    $wallet.set(connected);
  });
}
const sent = (action: string) =>
  page.requests
    .filter(({ call }) => call === `POST /api/virtual-card/${action}`)
    .map(({ payload }) => payload);
const holderName = () => page.root.querySelector<HTMLInputElement>('#holder-name');
/** The main actions: what the page asks for next. */
const golden = () => [...page.root.querySelectorAll('.gold')].map(({ textContent }) => textContent?.trim());
/** What the alert of a step says. */
const alertOf = (step: string) =>
  [...(page.root.querySelector(`#step-${step}`)?.closest('li')?.querySelectorAll('[role=alert]') ?? [])]
    .map(({ textContent }) => textContent)
    .join('');
const steps = () =>
  [...page.root.querySelectorAll<HTMLElement>('[data-step]')].map(({ dataset }) => dataset.step);

beforeEach(() => {
  vi.clearAllMocks();
  $wallet.set(DISCONNECTED);
  $session.set(null);
});
afterEach(() => page.close());

describe('the card page', () => {
  it('leads through connection and proof to the card, and shows its number once', async () => {
    await open();
    expect(steps()).toEqual(['due', 'later', 'later', 'later']);
    expect(page.requests).toEqual([]);
    await page.press('Connect Wallet');
    await page.advance(1);
    expect(steps()).toEqual(['done', 'due', 'done', 'later']);
    await page.press('Prove Ownership');
    await page.advance(1);
    expect(steps()).toEqual(['done', 'done', 'done', 'due']);
    expect(page.text()).toContain('12 of 250');

    expect(holderNameError(holderName()?.value ?? '')).toBeNull();
    await page.type('holder-name', ' ');
    await page.press('Generate Virtual Mastercard');
    expect(page.root.querySelector('#holder-name-error')).not.toBeNull();
    await page.type('holder-name', ' Ada Lovelace ');
    await page.press('Generate Virtual Mastercard');
    expect(sent('create')).toEqual([{ walletAddress: SAMPLE_WALLET, holderName: 'Ada Lovelace' }]);
    for (const shown of ['4242 4242 4242 4242', CVV, '11/29', 'Ada Lovelace', texts.badge]) {
      expect(page.text()).toContain(shown);
    }
    expect(persisted()).not.toContain(NUMBER);
    expect(persisted()).not.toContain(CVV);
  });

  it('generates one card even if the button is clicked twice', async () => {
    await openProven();
    await page.type('holder-name', 'Ada');
    await page.advance(0, () => {
      const generate = page.button('Generate Virtual Mastercard');
      generate.click();
      generate.click();
    });
    await page.advance(1);
    expect(sent('create')).toHaveLength(1);
  });

  it('keeps the name after a failure, and shows the specified text or the server’s message', async () => {
    await openProven();
    page.respond('POST /api/virtual-card/create', {}, 502);
    await page.type('holder-name', 'Ada');
    await page.press('Generate Virtual Mastercard');
    expect(page.text()).toContain('Generation Failed: Unable to create virtual card. Please try again.');
    expect(holderName()?.value).toBe('Ada');
    page.respond('POST /api/virtual-card/create', { error: 'No cards left.' }, 409);
    await page.press('Generate Virtual Mastercard');
    expect(page.text()).toContain('No cards left.');
  });

  it('returns to the ownership step if the server no longer accepts the proof', async () => {
    await openProven();
    page.respond('POST /api/virtual-card/create', { error: 'The proof is too old.' }, 401);
    await page.type('holder-name', 'Ada');
    await page.press('Generate Virtual Mastercard');
    expect(steps()).toEqual(['done', 'due', 'done', 'later']);
    expect(page.text()).toContain('The proof is too old.');
  });

  it('links to staking if the stake does not qualify', async () => {
    const body = sampleEligibility({ eligible: false, tier: 'None', missing: '1' });
    await openProven({ 'GET /api/virtual-card/eligibility': body });
    const link = page.root.querySelector('a[href="/staking#stake"]');
    expect(link?.textContent?.trim()).toBe('Stake BD Token to Qualify');
    expect(page.text()).not.toContain('Generate Virtual Mastercard');
  });

  it('stays at the ownership step if the wallet refuses to sign', async () => {
    await open();
    await page.advance(1, () => $wallet.set(connected));
    prove.mockRejectedValueOnce(new ProofError('not-signed'));
    await page.press('Prove Ownership');
    expect(steps()).toEqual(['done', 'due', 'done', 'later']);
    expect(page.text()).toContain(new ProofError('not-signed').message);
  });

  it('shows a failure at its own step, even if another step is due', async () => {
    await open();
    const body = sampleEligibility({ eligible: false, tier: 'None', missing: '1' });
    page.respond('GET /api/virtual-card/eligibility', body);
    await page.advance(1, () => $wallet.set(connected));
    prove.mockRejectedValueOnce(new ProofError('not-signed'));
    await page.press('Prove Ownership');
    expect(steps()).toEqual(['done', 'later', 'due', 'later']);
    expect(alertOf('prove')).toBe(new ProofError('not-signed').message);
    expect(alertOf('check')).toBe('');
  });

  it('shows a failed generation at its step after the stake has gone', async () => {
    await openProven();
    page.respond('POST /api/virtual-card/create', { error: 'The stake is gone.' }, 409);
    const body = sampleEligibility({ eligible: false, tier: 'None', missing: '1' });
    page.respond('GET /api/virtual-card/eligibility', body);
    await page.press('Generate Virtual Mastercard');
    await page.advance(1);
    expect(steps()).toEqual(['done', 'done', 'due', 'later']);
    expect(alertOf('get')).toContain('The stake is gone.');
    expect(alertOf('check')).toBe('');
  });

  it.each([
    ['without', null],
    ['with', card],
  ])('shows a failed sign-out at the proof, %s a card', async (_, own) => {
    await openProven({ 'GET /api/virtual-card/mine': { card: own, lastClosed: null, cardsLeft: 12 } });
    page.respond('POST /api/wallet/sign-out', {}, 502);
    await page.press('Details of “Prove ownership”');
    await page.press('Sign Out');
    expect(alertOf('prove')).not.toBe('');
    expect(alertOf('get')).toBe('');
  });

  it('asks a wallet that does not qualify to stake before it signs', async () => {
    await open();
    const body = sampleEligibility({ eligible: false, tier: 'None', missing: '1' });
    page.respond('GET /api/virtual-card/eligibility', body);
    await page.advance(1, () => $wallet.set(connected));
    expect(steps()).toEqual(['done', 'later', 'due', 'later']);
    expect(page.root.querySelector('[aria-current=step] a')?.getAttribute('href')).toBe('/staking#stake');
    expect(golden()).toEqual(['Stake BD Token to Qualify']);
    page.button('Request Manual Verification');
  });

  it('starts over when the wallet switches to another account', async () => {
    await openProven();
    await page.type('holder-name', 'Ada');
    await page.press('Change of “Connect your staking wallet”');
    expect(page.text()).toContain(SAMPLE_WALLET);
    await page.advance(1, () => {
      $session.set(null);
      $wallet.set({ ...connected, walletAddress: OTHER_WALLET });
    });
    expect(steps()).toEqual(['done', 'due', 'done', 'later']);
    expect(page.root.querySelector('[aria-expanded=true]')).toBeNull();
    expect(holderName()).toBeNull();
  });

  it('continues where it was after a reload, and leaves the focus alone', async () => {
    await open();
    page.respond('GET /api/wallet/session', session);
    await page.advance(1, () => $wallet.set(connected));
    expect(steps()).toEqual(['done', 'done', 'done', 'due']);
    expect(document.activeElement).toBe(document.body);
  });

  it('moves the focus to the next step after the visitor’s own action', async () => {
    await open();
    await page.press('Connect Wallet');
    await page.advance(1);
    expect(document.activeElement?.id).toBe('step-prove');
    await page.press('Prove Ownership');
    await page.advance(1);
    expect(document.activeElement?.id).toBe('step-get');
    // Later the stake is gone.
    page.respond(
      'GET /api/virtual-card/eligibility',
      sampleEligibility({ eligible: false, tier: 'None', missing: '1' }),
    );
    await page.advance(61);
    expect(steps()).toEqual(['done', 'done', 'due', 'later']);
    expect(document.activeElement?.id).toBe('step-get');
  });

  it('asks for no signature while the portal cannot be reached, and can be retried', async () => {
    await open();
    page.failNetwork('GET /api/wallet/session');
    page.failNetwork('GET /api/virtual-card/eligibility');
    await page.advance(10, () => $wallet.set(connected));
    expect(steps()).toEqual(['done', 'due', 'later', 'later']);
    expect(page.text()).not.toContain('Prove Ownership');
    page.respond('GET /api/wallet/session', noSession);
    await page.press('Retry the ownership check');
    page.button('Prove Ownership');
  });

  it('offers no way to a card once all have been issued', async () => {
    const none = { card: null, lastClosed: null, cardsLeft: 0 };
    await openProven({ 'GET /api/virtual-card/mine': none });
    expect(page.root.querySelector('[aria-current=step] [data-cards-left="0"]')).not.toBeNull();
    expect(page.root.querySelector('[aria-current=step] a')?.getAttribute('href')).toBe('/contact');
    expect(page.text()).not.toContain('Generate Virtual Mastercard');
    expect(page.text()).not.toContain('Apply for a Card');
  });

  it('ends the proof of a wallet that signs out', async () => {
    await openProven();
    page.respond('POST /api/wallet/sign-out', {});
    await page.press('Details of “Prove ownership”');
    await page.press('Sign Out');
    await page.advance(1);
    expect(steps()).toEqual(['done', 'due', 'done', 'later']);
  });
});

describe('an application', () => {
  const overlay = () => page.root.querySelector('dialog');

  it('takes the steps that are left, and closes when another account connects', async () => {
    await open();
    await page.press('Connect Wallet and Apply');
    await page.advance(1);
    await page.settle();
    expect(prove).toHaveBeenCalledTimes(1);
    expect(overlay()?.textContent).toContain(SAMPLE_WALLET);
    await page.advance(1, () => {
      $session.set(null);
      $wallet.set({ ...connected, walletAddress: OTHER_WALLET });
    });
    expect(overlay()).toBeNull();
  });

  it.each([
    ['without enough stake', { eligible: false, tier: 'None', missing: '1' }, null],
    ['with a card', {}, card],
  ] as const)('is not opened for a wallet %s', async (_, eligibility, own) => {
    await open();
    page.respond('GET /api/virtual-card/eligibility', sampleEligibility(eligibility));
    page.respond('GET /api/virtual-card/mine', { card: own, lastClosed: null, cardsLeft: 12 });
    await page.press('Connect Wallet and Apply');
    await page.advance(1);
    await page.settle();
    expect(prove).toHaveBeenCalledTimes(own ? 1 : 0);
    expect(overlay()).toBeNull();
  });
});

describe('an application that cannot go on', () => {
  it('says so if the server has no proof of the wallet that has just signed', async () => {
    await open();
    page.respond('GET /api/virtual-card/mine', {}, 401);
    await page.press('Connect Wallet and Apply');
    await page.advance(1);
    await page.settle();
    expect(prove).toHaveBeenCalledTimes(1);
    expect(steps()).toEqual(['done', 'due', 'done', 'later']);
    expect(document.querySelector('.toast.failure > * > .title')?.textContent).toBe('Verification Failed');
  });

  it('does not begin while another action runs', async () => {
    await open();
    await page.advance(1, () => $wallet.set({ ...DISCONNECTED, isConnecting: true }));
    await page.advance(1, () => {
      page.button('Connecting…').click();
      page.button('Connect Wallet and Apply').click();
    });
    expect(connect).not.toHaveBeenCalled();
    expect(page.requests).toEqual([]);
    await page.advance(1, () => $wallet.set(connected));
    prove.mockImplementationOnce(() => new Promise(() => {}));
    await page.press('Prove Ownership');
    const before = page.requests.length;
    await page.press('Apply for a Card');
    expect(page.requests).toHaveLength(before);
  });
});

describe('a card', () => {
  it('is masked at first, and revealed for a minute after a new signature', async () => {
    await openWithCard();
    expect(page.text()).toContain('ends in 4242');
    expect(page.text()).not.toContain(CVV);
    page.button('Reveal').focus();
    await page.press('Reveal');
    expect(prove).toHaveBeenCalledWith({ withinSeconds: 0 });
    expect(document.activeElement).toBe(page.button('Hide Now'));
    expect(page.text()).toContain('4242 4242 4242 4242');
    expect(page.text()).toContain(CVV);
    expect(persisted()).not.toContain(CVV);
    await page.advance(59);
    expect(page.text()).toContain(CVV);
    await page.advance(1);
    expect(page.text()).not.toContain(CVV);
    expect(document.activeElement).toBe(page.button('Reveal'));
  });

  it.each([
    ['the window loses the focus', () => window.dispatchEvent(new Event('blur'))],
    ['the page is hidden', () => window.dispatchEvent(new Event('pagehide'))],
    ['its tab is hidden', () => document.dispatchEvent(new Event('visibilitychange'))],
    ['another wallet is connected', () => $wallet.set({ ...connected, walletAddress: texts.text })],
    ['the wallet is disconnected', () => $wallet.set(DISCONNECTED)],
  ])('is masked at once when %s', async (_, leave) => {
    await openWithCard();
    await page.press('Reveal');
    expect(page.text()).toContain(CVV);
    await page.advance(0, leave);
    expect(page.text()).not.toContain(CVV);
    expect(page.text()).not.toContain('4242 4242 4242 4242');
  });

  it('is not revealed without a signature', async () => {
    await openWithCard();
    prove.mockRejectedValueOnce(new ProofError('not-signed'));
    await page.press('Reveal');
    expect(sent('reveal')).toEqual([]);
    expect(page.text()).toContain(new ProofError('not-signed').message);
  });

  it('is not revealed if the visitor leaves while it loads', async () => {
    await openWithCard();
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    await page.press('Reveal');
    expect(page.text()).not.toContain(CVV);
    vi.restoreAllMocks();
  });

  it('is frozen after a confirmation, and stays frozen if unfreezing fails', async () => {
    await openWithCard();
    await page.press('Freeze');
    expect(sent('freeze')).toEqual([]);
    await page.press('Cancel');
    expect(document.activeElement).toBe(page.button('Freeze'));
    page.respond('POST /api/virtual-card/freeze', { card: { ...card, state: 'frozen' } });
    await page.press('Freeze');
    await page.press('Yes, Freeze');
    expect(page.root.querySelector('[data-card=frozen]')).not.toBeNull();
    expect(document.activeElement).toBe(page.button('Unfreeze'));
    respondMine({ state: 'frozen' });
    page.respond('POST /api/virtual-card/unfreeze', {}, 502);
    await page.press('Unfreeze');
    await page.press('Yes, Unfreeze');
    expect(alertOf('get')).not.toBe('');
    expect(page.root.querySelector('[data-card=frozen]')).not.toBeNull();
  });

  it('that the team froze has no Unfreeze button, and says whom to write to', async () => {
    await openWithCard({ state: 'frozen', frozenFor: 'team' });
    const reason = page.root.querySelector('[data-frozen-for=team]');
    expect(reason?.querySelector('a')?.getAttribute('href')).toBe('/contact');
    expect(page.text()).not.toContain('Unfreeze');
  });

  it('whose stake is gone says what it requires and when it is closed, and can be unfrozen', async () => {
    await openWithCard({
      state: 'frozen',
      tier: 'Banker',
      frozenFor: 'no-stake',
      closesAt: '2026-12-24T10:00:00.000Z',
    });
    const reason = page.root.querySelector('[data-frozen-for=no-stake]')?.textContent;
    expect(reason).toContain('5,000,000 BD');
    expect(reason).toContain('24');
    expect(page.text()).toContain('Unfreeze');
  });

  it('whose stake is gone needs that stake first, even if the wallet still has a lower tier', async () => {
    await openWithCard({ state: 'frozen', tier: 'Raven', frozenFor: 'no-stake' });
    expect(steps()).toEqual(['done', 'done', 'due', 'later']);
    expect(page.root.querySelector('[aria-current=step]')?.textContent).toContain('7,500,000 BD');
    expect(page.root.querySelector('[aria-current=step] a')?.getAttribute('href')).toBe('/staking#stake');
    expect(page.root.querySelector('[data-card=frozen]')).not.toBeNull();
    expect(golden()).toEqual(['Stake BD Token to Qualify']);
  });

  it('shows that the team froze it in the meantime if unfreezing is refused', async () => {
    await openWithCard({ state: 'frozen' });
    respondMine({ state: 'frozen', frozenFor: 'team' });
    page.respond('POST /api/virtual-card/unfreeze', { code: 'frozen-by-issuer' }, 409);
    await page.press('Unfreeze');
    await page.press('Yes, Unfreeze');
    await page.settle();
    expect(page.root.querySelector('[data-frozen-for=team]')).not.toBeNull();
  });

  it.each(['team', 'no-stake'] as const)(
    'that was closed (%s) is named beside the steps to a new one',
    async (closedFor) => {
      await open();
      page.respond('GET /api/wallet/session', session);
      const lastClosed = { closedFor, closedAt: card.createdAt, lastFour: '4242' };
      page.respond('GET /api/virtual-card/mine', { card: null, lastClosed, cardsLeft: 12 });
      await page.advance(1, () => $wallet.set(connected));
      await page.settle();
      const closed = page.root.querySelector(`[data-closed-for=${closedFor}]`);
      expect(closed?.textContent).toContain('4242');
      expect(closed?.querySelector('a[href="/contact"]') !== null).toBe(closedFor === 'team');
    },
  );

  it('is read again until the issuer has created it', async () => {
    await openWithCard({ state: 'pending', lastFour: null, expiryDate: null });
    expect(page.root.querySelector('[data-card=pending]')).not.toBeNull();
    page.respond('GET /api/virtual-card/mine', { card, lastClosed: null, cardsLeft: 12 });
    await page.advance(3);
    expect(page.text()).toContain('ends in 4242');
  });

  it('is never shown for a different wallet', async () => {
    await openWithCard({ walletAddress: texts.text });
    expect(page.text()).not.toContain('ends in');
  });
});
