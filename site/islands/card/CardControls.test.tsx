// @module-tag slow
// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CONNECTED_STATE } from '../testing/samples.ts';
import { ProofError } from '../wallet/proof-session.ts';
import { $session, $wallet, DISCONNECTED_STATE } from '../wallet/wallet-stores.ts';
import {
  alertOf,
  CVV,
  cachedData,
  card,
  goldButtonTexts,
  open,
  openWithCard,
  page,
  prove,
  requestsTo,
  respondMine,
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
    expect(cachedData()).not.toContain(CVV);
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
    [
      'another wallet is connected',
      () => $wallet.set({ ...CONNECTED_STATE, walletAddress: testCardTexts.text }),
    ],
    ['the wallet is disconnected', () => $wallet.set(DISCONNECTED_STATE)],
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
    expect(requestsTo('reveal')).toEqual([]);
    expect(page.text()).toContain(new ProofError('not-signed').message);
  });

  it('is not revealed if the visitor leaves while it loads', async () => {
    await openWithCard();
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    await page.press('Reveal');
    expect(page.text()).not.toContain(CVV);
    vi.restoreAllMocks();
  });

  it('shows an error and offers Freeze again if the server does not respond', async () => {
    await openWithCard();
    const endWait = page.stopResponding();
    await page.press('Freeze');
    await page.press('Yes, Freeze');
    expect(page.button('Updating…').getAttribute('aria-disabled')).toBe('true');
    await endWait();
    expect(alertOf('get')).not.toBe('');
    expect(page.button('Freeze').getAttribute('aria-disabled')).toBe('false');
  });

  it('is frozen after a confirmation, and stays frozen if unfreezing fails', async () => {
    await openWithCard();
    await page.press('Freeze');
    expect(requestsTo('freeze')).toEqual([]);
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

  it('is closed permanently after a confirmation and a new signature', async () => {
    await openWithCard();
    await page.press('Close Card');
    await page.press('Keep the Card');
    expect(document.activeElement).toBe(page.button('Close Card'));
    expect(requestsTo('close')).toEqual([]);
    await page.press('Close Card');
    page.respond('POST /api/virtual-card/close', { card: { ...card, isClosing: true } });
    respondMine({ isClosing: true });
    await page.press('Sign and Close');
    expect(prove).toHaveBeenCalledWith({ withinSeconds: 0 });
    expect(requestsTo('close')).toEqual([{ cardId: card.cardId }]);
    expect(page.root.querySelector('[data-card-closing]')).not.toBeNull();
    expect(page.root.querySelector('details')).toBeNull();
    expect(page.text()).not.toContain('Reveal');
    await page.settle();
    expect(document.querySelector('.toast')?.textContent).toContain('Closing Virtual Card');
  });

  it('has limits that its holder can change, up to those of the tier; a higher limit requires a signature', async () => {
    await openWithCard();
    const saveLimits = async (daily: string, monthly: string) => {
      for (const [name, text] of Object.entries({ daily, monthly })) await page.type(`limit-${name}`, text);
      await page.press('Save Limits');
    };
    await saveLimits('5001', '150,000');
    expect(requestsTo('limits')).toEqual([]);
    expect(document.activeElement?.getAttribute('name')).toBe('daily');
    const changedCard = { ...card, limits: { daily: 100, monthly: 900, arePending: true } };
    page.respond('POST /api/virtual-card/limits', { card: changedCard });
    await saveLimits('100', '900');
    expect(prove).not.toHaveBeenCalled();
    expect(page.root.querySelector('[data-limits=pending]')).not.toBeNull();
    await saveLimits('100', '901');
    expect(prove).toHaveBeenCalledWith({ withinSeconds: 0 });
    const cardId = card.cardId;
    expect(requestsTo('limits')).toEqual([
      { cardId, dailyLimit: 100, monthlyLimit: 900 },
      { cardId, dailyLimit: 100, monthlyLimit: 901 },
    ]);
  });

  it('has one switch for messages about payments, which is disabled without an address', async () => {
    const paymentsSwitch = () => page.root.querySelector<HTMLInputElement>('[data-switch=payments]');
    await openWithCard();
    page.respond('POST /api/virtual-card/spend-notices', { card: { ...card, hasSpendNotices: true } });
    await page.advance(0, () => paymentsSwitch()?.click());
    await page.settle();
    expect(requestsTo('spend-notices')).toEqual([{ cardId: card.cardId, isOn: true }]);
    expect(paymentsSwitch()?.checked).toBe(true);
    await page.close();
    await openWithCard({}, { noticesTo: null });
    expect(paymentsSwitch()?.disabled).toBe(true);
  });

  it('is shown again after one new proof if the session has ended', async () => {
    await openWithCard();
    page.respond('POST /api/virtual-card/freeze', { code: 'not-proven' }, 401);
    page.respond('GET /api/virtual-card/mine', { code: 'not-proven' }, 401);
    await page.press('Freeze');
    await page.press('Yes, Freeze');
    expect(stepStates()).toEqual(['done', 'due', 'done', 'later']);
    respondMine({});
    await page.press('Prove Ownership');
    await page.advance(1);
    expect(prove).toHaveBeenCalledOnce();
    expect($session.get()).toEqual(session);
    page.respond('POST /api/virtual-card/freeze', { card: { ...card, state: 'frozen' } });
    await page.press('Freeze');
    await page.press('Yes, Freeze');
    expect(page.text()).toContain('Unfreeze');
  });

  it('can be read again with the same proof if the first read after the proof fails', async () => {
    await openWithCard();
    page.respond('POST /api/virtual-card/freeze', { code: 'not-proven' }, 401);
    page.respond('GET /api/virtual-card/mine', { code: 'not-proven' }, 401);
    await page.press('Freeze');
    await page.press('Yes, Freeze');
    page.respond('GET /api/virtual-card/mine', {}, 502);
    await page.press('Prove Ownership');
    await page.advance(10);
    expect($session.get()).toEqual(session);
    respondMine({});
    await page.press('Retry the card');
    expect(page.text()).toContain('ends in 4242');
  });

  it('has no Unfreeze button and links to support if the team froze it', async () => {
    await openWithCard({ state: 'frozen', frozenFor: 'team' });
    const reason = page.root.querySelector('[data-frozen-for=team]');
    expect(reason?.querySelector('a')?.getAttribute('href')).toBe('/contact');
    expect(page.text()).not.toContain('Unfreeze');
    expect(page.text()).toContain('another one only if our team approves it');
  });

  it('frozen for a missing stake shows the required stake and the closing date, and can be unfrozen', async () => {
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

  it('frozen for a missing stake asks for the stake of its own tier, even if the wallet still has a lower tier', async () => {
    await openWithCard({ state: 'frozen', tier: 'Raven', frozenFor: 'no-stake' });
    expect(stepStates()).toEqual(['done', 'done', 'due', 'later']);
    expect(page.root.querySelector('[aria-current=step]')?.textContent).toContain('7,500,000 BD');
    expect(page.root.querySelector('[aria-current=step] a')?.getAttribute('href')).toBe('/staking#stake');
    expect(page.root.querySelector('[data-card=frozen]')).not.toBeNull();
    expect(goldButtonTexts()).toEqual(['Stake BD Token to Qualify']);
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

  it.each(['team', 'issuer', 'no-stake'] as const)(
    'is mentioned above the steps to a new card after it was closed (%s)',
    async (closedFor) => {
      await open();
      page.respond('GET /api/wallet/session', session);
      const lastClosed = { closedFor, closedAt: card.createdAt, lastFour: '4242' };
      page.respond('GET /api/virtual-card/mine', { card: null, lastClosed, cardsLeft: 12 });
      await page.advance(1, () => $wallet.set(CONNECTED_STATE));
      await page.settle();
      const closedNotice = page.root.querySelector(`[data-closed-for=${closedFor}]`);
      expect(closedNotice?.textContent).toContain('4242');
      expect(closedNotice?.querySelector('a[href="/contact"]') !== null).toBe(closedFor !== 'no-stake');
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
    await openWithCard({ walletAddress: testCardTexts.text });
    expect(page.text()).not.toContain('ends in');
  });
});
