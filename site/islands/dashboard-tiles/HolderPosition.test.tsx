// @vitest-environment happy-dom
import { act } from 'react';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WalletPosition } from '../../../data/contract/position.ts';
import type { PositionError } from '../../data/position-query.ts';
import { $lastReads } from '../../data/source-freshness.ts';
import type { PositionReading } from '../position/use-position.ts';
import { htmlOf, textOf } from '../testing/render.ts';
import { CONNECTED_STATE, SAMPLE_WALLET, samplePosition } from '../testing/samples.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import { $wallet, DISCONNECTED_STATE } from '../wallet/wallet-stores.ts';
import Holder from './ConnectedPosition.tsx';
import { HolderView } from './HolderPosition.tsx';

/** A position just below the Banker tier, with a lock that ends in `days` days. */
const stakingPosition = (days: number, fields: Partial<WalletPosition> = {}) =>
  samplePosition(
    {
      staked: '4999999.999999',
      nextTier: { tier: 'Banker', minimumStake: '5000000', missing: '0.000001' },
      ...fields,
    },
    days,
  );
const knownReading = (position: WalletPosition): Extract<PositionReading, { kind: 'known' }> => ({
  kind: 'known',
  position,
  refresh: null,
});
const view = (reading: PositionReading) => <HolderView wallet={SAMPLE_WALLET} reading={reading} />;
const html = (reading: PositionReading) => htmlOf(view(reading));
const text = (reading: PositionReading) => textOf(view(reading));
const nextHref = (reading: PositionReading) => /href="([^"]+)"/.exec(html(reading))?.[1];
const WITHOUT_STAKE: Partial<WalletPosition> = {
  isStaking: false,
  staked: '0',
  lock: null,
  stakes: [],
  tier: 'None',
};

describe('the holder’s view on the dashboard', () => {
  it('shows the stake, the tier, the amount for the next tier and the unlock date', () => {
    const viewText = text(
      knownReading(stakingPosition(170, { lock: { startDate: '', unlockDate: '2126-05-20T16:02:48.000Z' } })),
    );
    expect(viewText).toMatch(/4,999,999\.99 BD.*Duckling 0\.000001 BD more for Banker.*20 May 2126/);
    expect(nextHref(knownReading(stakingPosition(170)))).toBe('/virtual-card');
    expect(text(knownReading(stakingPosition(170, { tier: 'Raven', nextTier: null })))).toContain('Raven');
  });

  it('links to the card, even without a tier, or to the withdrawal once the lock has ended', () => {
    // Even without a tier, the next step is the card page, because the team may have whitelisted the wallet.
    expect(nextHref(knownReading(stakingPosition(170, { tier: 'None' })))).toBe('/virtual-card');
    expect(nextHref(knownReading(stakingPosition(-1)))).toBe('/my-position');
  });

  it('shows the address of a wallet without a stake, and links to staking', () => {
    const reading = knownReading(stakingPosition(0, WITHOUT_STAKE));
    expect(html(reading)).toContain('data-holder="no-stake"');
    expect(text(reading)).toContain('4MvN…sie4');
    expect(text(reading)).not.toContain('0.00');
    expect(nextHref(reading)).toBe('/staking#stake');
  });

  it('shows no figure while it loads, and a retry instead of a figure after a failed read', () => {
    expect(text({ kind: 'loading' })).not.toMatch(/\d/);
    const failedHtml = (failure: PositionError) =>
      html({ kind: 'failed', failure, retry: () => {}, isRetrying: false });
    for (const failure of ['not-known', 'no-network', 'failed'] as const) {
      expect(failedHtml(failure)).toContain('<button');
      expect(failedHtml(failure)).not.toMatch(/>[^<]*\d/);
    }
  });

  it('ages after a failed update, even if the chain was just read, and then offers a retry', () => {
    $lastReads.set({ chain: Date.now(), market: null });
    const oldPosition = stakingPosition(170, { asOf: new Date(Date.now() - 3_600_000).toISOString() });
    const outdatedReading = { ...knownReading(oldPosition), refresh: { run: () => {}, running: false } };
    expect(html(outdatedReading)).toContain('data-state="stale"');
    expect(html(outdatedReading)).toContain('<button');
    expect(html(knownReading(stakingPosition(170)))).not.toContain('<button');
    const withoutStake = { ...oldPosition, ...WITHOUT_STAKE };
    expect(html({ ...outdatedReading, position: withoutStake })).toContain('data-state="stale"');
    expect(html({ ...outdatedReading, position: withoutStake })).toContain('<button');
    $lastReads.set({ chain: null, market: null });
  });
});

describe('the holder island', () => {
  let page: ServedPage;
  beforeAll(async () => {
    page = await openServedPage(<Holder />);
  });
  afterAll(() => page.close());
  beforeEach(() => act(async () => $wallet.set(DISCONNECTED_STATE)));
  const connect = async (walletAddress: string) => {
    await act(async () => $wallet.set({ ...CONNECTED_STATE, walletAddress }));
    await page.settle();
  };
  const state = () => page.root.querySelector<HTMLElement>('[data-holder]')?.dataset.holder;

  it('is empty until a wallet connects, and again once it disconnects', async () => {
    page.respond('GET /api/wallet/position', stakingPosition(170));
    expect(page.root.textContent).toBe('');
    expect(page.requests).toEqual([]);
    await connect(SAMPLE_WALLET);
    expect(state()).toBe('staking');
    await act(async () => $wallet.set(DISCONNECTED_STATE));
    expect(page.root.textContent).toBe('');
  });

  it('follows the wallet to another account', async () => {
    page.respond('GET /api/wallet/position', stakingPosition(170));
    await connect(SAMPLE_WALLET);
    page.respond('GET /api/wallet/position', stakingPosition(0, WITHOUT_STAKE));
    await connect('9hQzLm7cVau1tVau1tVau1tVau1tVau1tVau1tVau1tV');
    expect(state()).toBe('no-stake');
    expect(page.text()).toContain('9hQz…u1tV');
  });

  it('takes the focus from the button that connected the wallet', async () => {
    page.respond('GET /api/wallet/position', stakingPosition(170));
    page.root.dataset.holderStage = '';
    const button = document.createElement('button');
    button.dataset.wallet = '';
    page.root.prepend(button);
    button.focus();
    await connect(SAMPLE_WALLET);
    expect(document.activeElement).toBe(page.root.querySelector('[data-holder]'));
    button.remove();
  });
});
