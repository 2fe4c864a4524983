// @module-tag slow
// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CONNECTED_STATE, SAMPLE_WALLET, sampleEligibility } from '../testing/samples.ts';
import { ProofError } from '../wallet/proof-session.ts';
import { $session, $wallet, DISCONNECTED_STATE } from '../wallet/wallet-stores.ts';
import { holderNameError } from './GenerateCardForm.tsx';
import {
  alertOf,
  CVV,
  cachedData,
  card,
  connect,
  goldButtonTexts,
  holderNameInput,
  NUMBER,
  noSession,
  OTHER_WALLET,
  open,
  openProven,
  page,
  prove,
  requestsTo,
  session,
  stepStates,
  testCardTexts,
} from './testing/card-page.tsx';

beforeEach(() => {
  vi.clearAllMocks();
  $wallet.set(DISCONNECTED_STATE);
  $session.set(null);
});
afterEach(() => page.close());

describe('the card page', () => {
  it('leads through connection and proof to the card, and caches neither its number nor its CVV', async () => {
    await open();
    expect(stepStates()).toEqual(['due', 'later', 'later', 'later']);
    expect(page.requests).toEqual([]);
    await page.press('Connect Wallet');
    await page.advance(1);
    expect(stepStates()).toEqual(['done', 'due', 'done', 'later']);
    await page.press('Prove Ownership');
    await page.advance(1);
    expect(stepStates()).toEqual(['done', 'done', 'done', 'due']);
    expect(page.text()).toContain('12 of 250');

    expect(holderNameError(holderNameInput()?.value ?? '')).toBeNull();
    await page.type('holder-name', ' ');
    await page.press('Generate Virtual Mastercard');
    expect(page.root.querySelector('#holder-name-error')).not.toBeNull();
    await page.type('holder-name', ' Ada Lovelace ');
    await page.press('Generate Virtual Mastercard');
    expect(requestsTo('create')).toEqual([{ walletAddress: SAMPLE_WALLET, holderName: 'Ada Lovelace' }]);
    for (const text of ['4242 4242 4242 4242', CVV, '11/29', 'Ada Lovelace', testCardTexts.badge]) {
      expect(page.text()).toContain(text);
    }
    expect(cachedData()).not.toContain(NUMBER);
    expect(cachedData()).not.toContain(CVV);
  });

  it('generates one card even if the button is clicked twice', async () => {
    await openProven();
    await page.type('holder-name', 'Ada');
    await page.advance(0, () => {
      const generateButton = page.button('Generate Virtual Mastercard');
      generateButton.click();
      generateButton.click();
    });
    await page.advance(1);
    expect(requestsTo('create')).toHaveLength(1);
  });

  it('keeps the name after a failure, and shows the server’s message or a default text', async () => {
    await openProven();
    page.respond('POST /api/virtual-card/create', {}, 502);
    await page.type('holder-name', 'Ada');
    await page.press('Generate Virtual Mastercard');
    expect(page.text()).toContain('Generation Failed: Unable to create virtual card. Please try again.');
    expect(holderNameInput()?.value).toBe('Ada');
    page.respond('POST /api/virtual-card/create', { error: 'No cards left.' }, 409);
    await page.press('Generate Virtual Mastercard');
    expect(page.text()).toContain('No cards left.');
  });

  it('returns to the ownership step if the server no longer accepts the proof', async () => {
    await openProven();
    page.respond('POST /api/virtual-card/create', { error: 'The proof is too old.' }, 401);
    await page.type('holder-name', 'Ada');
    await page.press('Generate Virtual Mastercard');
    expect(stepStates()).toEqual(['done', 'due', 'done', 'later']);
    expect(page.text()).toContain('The proof is too old.');
  });

  it('does not announce the age of the check, which changes every second', async () => {
    await open();
    const body = sampleEligibility({ eligible: false, tier: 'None', missing: '1' });
    page.respond('GET /api/virtual-card/eligibility', body);
    await page.advance(1, () => $wallet.set(CONNECTED_STATE));
    const age = page.root.querySelector('[role=status] [data-state]');
    expect(age?.closest('[role=status], [aria-live]')?.getAttribute('aria-live')).toBe('off');
  });

  it('shows a failure at the step that failed, even if another step is due', async () => {
    await open();
    const body = sampleEligibility({ eligible: false, tier: 'None', missing: '1' });
    page.respond('GET /api/virtual-card/eligibility', body);
    await page.advance(1, () => $wallet.set(CONNECTED_STATE));
    prove.mockRejectedValueOnce(new ProofError('not-signed'));
    await page.press('Prove Ownership');
    expect(stepStates()).toEqual(['done', 'later', 'due', 'later']);
    expect(alertOf('prove')).toBe(new ProofError('not-signed').message);
    expect(alertOf('check')).toBe('');
  });

  it('shows a failed generation at the last step, even if the stake is gone by then', async () => {
    await openProven();
    page.respond('POST /api/virtual-card/create', { error: 'The stake is gone.' }, 409);
    const body = sampleEligibility({ eligible: false, tier: 'None', missing: '1' });
    page.respond('GET /api/virtual-card/eligibility', body);
    await page.press('Generate Virtual Mastercard');
    await page.advance(1);
    expect(stepStates()).toEqual(['done', 'done', 'due', 'later']);
    expect(alertOf('get')).toContain('The stake is gone.');
    expect(alertOf('check')).toBe('');
  });

  it.each([
    ['without', null],
    ['with', card],
  ])('shows a failed sign-out at the ownership step (%s a card)', async (_, ownCard) => {
    await openProven({ 'GET /api/virtual-card/mine': { card: ownCard, lastClosed: null, cardsLeft: 12 } });
    page.respond('POST /api/wallet/sign-out', {}, 502);
    await page.press('Details of “Prove ownership”');
    await page.press('Sign Out');
    expect(alertOf('prove')).not.toBe('');
    expect(alertOf('get')).toBe('');
  });

  it('asks the visitor to stake before signing if the wallet does not qualify', async () => {
    await open();
    const body = sampleEligibility({ eligible: false, tier: 'None', missing: '1' });
    page.respond('GET /api/virtual-card/eligibility', body);
    await page.advance(1, () => $wallet.set(CONNECTED_STATE));
    expect(stepStates()).toEqual(['done', 'later', 'due', 'later']);
    expect(page.root.querySelector('[aria-current=step] a')?.getAttribute('href')).toBe('/staking#stake');
    expect(goldButtonTexts()).toEqual(['Stake BD Token to Qualify']);
    page.button('Request Manual Verification');
  });

  it('starts over when the wallet switches to another account', async () => {
    await openProven();
    await page.type('holder-name', 'Ada');
    await page.press('Change of “Connect your staking wallet”');
    expect(page.text()).toContain(SAMPLE_WALLET);
    await page.advance(1, () => {
      $session.set(null);
      $wallet.set({ ...CONNECTED_STATE, walletAddress: OTHER_WALLET });
    });
    expect(stepStates()).toEqual(['done', 'due', 'done', 'later']);
    expect(page.root.querySelector('[aria-expanded=true]')).toBeNull();
    expect(holderNameInput()).toBeNull();
  });

  it('continues at the same step after a reload, and does not move the focus', async () => {
    await open();
    page.respond('GET /api/wallet/session', session);
    await page.advance(1, () => $wallet.set(CONNECTED_STATE));
    expect(stepStates()).toEqual(['done', 'done', 'done', 'due']);
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
    // Later, the wallet's stake is gone.
    page.respond(
      'GET /api/virtual-card/eligibility',
      sampleEligibility({ eligible: false, tier: 'None', missing: '1' }),
    );
    await page.advance(61);
    expect(stepStates()).toEqual(['done', 'done', 'due', 'later']);
    expect(document.activeElement?.id).toBe('step-get');
  });

  it('asks for no signature while the portal cannot be reached, but offers a retry', async () => {
    await open();
    page.failNetwork('GET /api/wallet/session');
    page.failNetwork('GET /api/virtual-card/eligibility');
    await page.advance(10, () => $wallet.set(CONNECTED_STATE));
    expect(stepStates()).toEqual(['done', 'due', 'later', 'later']);
    expect(page.text()).not.toContain('Prove Ownership');
    page.respond('GET /api/wallet/session', noSession);
    await page.press('Retry the ownership check');
    page.button('Prove Ownership');
  });

  it('offers no card once all cards have been issued', async () => {
    const noCards = { card: null, lastClosed: null, cardsLeft: 0 };
    await openProven({ 'GET /api/virtual-card/mine': noCards });
    expect(page.root.querySelector('[aria-current=step] [data-cards-left="0"]')).not.toBeNull();
    expect(page.root.querySelector('[aria-current=step] a')?.getAttribute('href')).toBe('/contact');
    expect(page.text()).not.toContain('Generate Virtual Mastercard');
    expect(page.text()).not.toContain('Apply for a Card');
  });

  it('links to the status of the wallet’s application', async () => {
    const mineAfterApplying = { card: null, lastClosed: null, cardsLeft: 5, applied: 'BD-20261127-123456' };
    await openProven({ 'GET /api/virtual-card/mine': mineAfterApplying });
    const link = page.root.querySelector('[href^="/application-status"]');
    expect(link?.getAttribute('href')).toBe('/application-status#reference=BD-20261127-123456');
  });

  it('returns to the ownership step when the visitor signs out', async () => {
    await openProven();
    page.respond('POST /api/wallet/sign-out', {});
    await page.press('Details of “Prove ownership”');
    await page.press('Sign Out');
    await page.advance(1);
    expect(stepStates()).toEqual(['done', 'due', 'done', 'later']);
  });
});

describe('an application', () => {
  const overlay = () => page.root.querySelector('dialog');

  it('opens after connection and proof, and closes when another account connects', async () => {
    await open();
    await page.press('Connect Wallet and Apply');
    await page.advance(1);
    await page.settle();
    expect(prove).toHaveBeenCalledTimes(1);
    expect(overlay()?.textContent).toContain(SAMPLE_WALLET);
    await page.advance(1, () => {
      $session.set(null);
      $wallet.set({ ...CONNECTED_STATE, walletAddress: OTHER_WALLET });
    });
    expect(overlay()).toBeNull();
  });

  it.each([
    ['without enough stake', { eligible: false, tier: 'None', missing: '1' }, null],
    ['with a card', {}, card],
  ] as const)('is not opened for a wallet %s', async (_, eligibility, ownCard) => {
    await open();
    page.respond('GET /api/virtual-card/eligibility', sampleEligibility(eligibility));
    page.respond('GET /api/virtual-card/mine', { card: ownCard, lastClosed: null, cardsLeft: 12 });
    await page.press('Connect Wallet and Apply');
    await page.advance(1);
    await page.settle();
    expect(prove).toHaveBeenCalledTimes(ownCard ? 1 : 0);
    expect(overlay()).toBeNull();
  });
});

describe('an attempt to apply', () => {
  it('shows an error if the server has no proof for the wallet that has just signed', async () => {
    await open();
    page.respond('GET /api/virtual-card/mine', {}, 401);
    await page.press('Connect Wallet and Apply');
    await page.advance(1);
    await page.settle();
    expect(prove).toHaveBeenCalledTimes(1);
    expect(stepStates()).toEqual(['done', 'due', 'done', 'later']);
    expect(document.querySelector('.toast.failure > * > .title')?.textContent).toBe('Verification Failed');
  });

  it('is ignored while another action runs', async () => {
    await open();
    await page.advance(1, () => $wallet.set({ ...DISCONNECTED_STATE, isConnecting: true }));
    await page.advance(1, () => {
      page.button('Connecting…').click();
      page.button('Connect Wallet and Apply').click();
    });
    expect(connect).not.toHaveBeenCalled();
    expect(page.requests).toEqual([]);
    await page.advance(1, () => $wallet.set(CONNECTED_STATE));
    prove.mockImplementationOnce(() => new Promise(() => {}));
    await page.press('Prove Ownership');
    const before = page.requests.length;
    await page.press('Apply for a Card');
    expect(page.requests).toHaveLength(before);
  });
});
