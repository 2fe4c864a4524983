// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONNECTED_STATE } from '../testing/samples.ts';
import { $session, $wallet, DISCONNECTED_STATE } from '../wallet/wallet-stores.ts';
import { ConnectedTopUps } from './CardTopUps.tsx';
import { OTHER_WALLET, openPart, page, respondMine, session } from './testing/card-page.tsx';

const FUNDING = 'GET /api/virtual-card/funding';
const TOP_UPS = 'GET /api/virtual-card/top-ups';
const funding = {
  ...{ isOpen: true, address: '0x52908400098527886E0F7030069857D2E4169EE7', isCreditedAutomatically: true },
  ...{ token: 'USDT', network: 'ERC-20', isTestCard: true },
};
const transfer = { id: 'a', at: '2026-11-21T09:00:00.000Z', transaction: '0xa', amount: '100.123455' };
const creditedTopUp = { ...transfer, state: 'credited', fee: '4.505555', credited: '95.6179' };
const confirmingTopUp = { ...transfer, id: 'b', state: 'confirming', fee: null, credited: null };
const topUpsBody = {
  cardId: 'card-1',
  decimals: '123455',
  smallest: '1',
  topUps: [confirmingTopUp, creditedTopUp],
};

beforeEach(() => {
  $wallet.set(DISCONNECTED_STATE);
  $session.set(null);
});
afterEach(() => page.close());

const open = async (isCreditedAutomatically = true) => {
  await openPart(<ConnectedTopUps />, {
    [FUNDING]: { ...funding, isCreditedAutomatically },
    [TOP_UPS]: topUpsBody,
  });
  respondMine({});
};

const connectProven = () =>
  page.advance(1, () => {
    $session.set(session);
    $wallet.set(CONNECTED_STATE);
  });
const view = () => page.root.querySelector<HTMLElement>('[data-top-ups]');
const states = () =>
  [...page.root.querySelectorAll<HTMLElement>('[data-top-up]')].map(({ dataset }) => dataset.topUp);
const topUpRequestCount = () => page.requests.filter(({ call }) => call === TOP_UPS).length;

describe('the top-ups of a card', () => {
  it('are read only for the proven owner of a card', async () => {
    await open();
    expect(view()).toBeNull();
    await page.advance(1, () => $wallet.set(CONNECTED_STATE));
    expect(topUpRequestCount()).toBe(0);
    respondMine({ state: 'pending' });
    await page.advance(1, () => $session.set(session));
    expect(view()?.dataset.topUps).toBe('none');
    expect(topUpRequestCount()).toBe(0);
    respondMine({});
    await page.advance(4);
    expect(view()?.dataset.topUps).toBe('2');
    await page.advance(1, () => $wallet.set({ ...CONNECTED_STATE, walletAddress: OTHER_WALLET }));
    expect(page.text()).not.toContain('123455');
  });

  it('show a transfer as confirming until it is credited', async () => {
    await open();
    await connectProven();
    expect(page.root.querySelector('[data-decimals]')?.textContent).toBe('.123455');
    expect(states()).toEqual(['confirming', 'credited']);
    expect(page.text()).toContain('95.6179');
    page.respond(TOP_UPS, { ...topUpsBody, topUps: [creditedTopUp] });
    await page.advance(30);
    expect(states()).toEqual(['credited']);
  });

  it('stay visible after a failed update, with a notice and a retry', async () => {
    await open();
    await connectProven();
    expect(page.root.querySelector('[role=status]')).toBeNull();
    page.respond(TOP_UPS, {}, 502);
    await page.advance(40);
    expect(states()).toEqual(['confirming', 'credited']);
    expect(page.root.querySelector('[role=status]')).not.toBeNull();
    page.respond(TOP_UPS, { ...topUpsBody, topUps: [creditedTopUp] });
    await page.press('Retry your top-ups');
    expect(states()).toEqual(['credited']);
    expect(page.root.querySelector('[role=status]')).toBeNull();
  });

  it('show a notice while the card has no decimals yet', async () => {
    await open();
    page.respond(TOP_UPS, { ...topUpsBody, decimals: null });
    await connectProven();
    expect(page.root.querySelector('[role=status]')).not.toBeNull();
    expect(page.root.querySelector('[data-decimals]')).toBeNull();
  });

  it('are shown without decimals if the portal no longer reads transfers', async () => {
    await open(false);
    await connectProven();
    expect(page.root.querySelector('[role=status], [data-decimals]')).toBeNull();
    expect(states()).toEqual(['confirming', 'credited']);
  });

  it('can be read again after a failure', async () => {
    await open();
    page.respond(TOP_UPS, { error: 'unavailable' }, 503);
    await connectProven();
    await page.advance(10);
    expect(page.root.querySelector('[role=alert]')).not.toBeNull();
    page.respond(TOP_UPS, topUpsBody);
    await page.advance(1, () => page.root.querySelector('button')?.click());
    expect(states()).toEqual(['confirming', 'credited']);
  });
});
