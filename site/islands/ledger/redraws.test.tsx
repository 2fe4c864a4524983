// @vitest-environment happy-dom
import '../testing/draws.ts';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import { takeDraws } from '../testing/draws.ts';
import { FakeEventSource } from '../testing/fake-event-source.ts';
import { type LivePage, openLivePage } from '../testing/live-page.tsx';
import { sampleBodies } from '../testing/sample-bodies.ts';
import Ledger from './Ledger.tsx';

/** Seconds in which each of the dashboard's figures is polled once. */
const LONGEST_INTERVAL = 31;

let page: LivePage;

beforeAll(async () => {
  page = await openLivePage(<Ledger explorer="https://e.example" />);
});
afterAll(() => page.close());
beforeEach(async () => {
  await page.change(sampleBodies(0));
  takeDraws();
});

/** Whose contents were drawn since the last look, by the tiles' labels. */
const tilesDrawn = () =>
  takeDraws()
    .filter((name) => name.startsWith('Contents '))
    .map((name) => name.slice('Contents '.length))
    .toSorted();

/** Breaks the stream and lets every figure be polled once, as the server has them by then. */
async function pollOnce(then: Partial<FigureBodies>): Promise<void> {
  await page.pass(0, () => FakeEventSource.newest.break());
  takeDraws();
  page.asked.clear();
  page.serve(then);
  await page.pass(LONGEST_INTERVAL);
  expect([...page.asked]).toEqual(expect.arrayContaining(Object.keys(then)));
}

describe('a message of the stream', () => {
  it('draws the tile whose value changed, and no other', async () => {
    const { '/api/trading/market-data': market } = sampleBodies(1, { price: '0.0002' });
    await page.change({ '/api/trading/market-data': market });
    expect(tilesDrawn()).toEqual(['BD Price']);
    expect(page.place.textContent).toContain('0.000200');
  });

  it('draws what is worked out from a figure with it', async () => {
    const { '/api/staking/total': staking } = sampleBodies(1, { staked: '75000000' });
    await page.change({ '/api/staking/total': staking });
    expect(tilesDrawn()).toEqual(['Current Reduced Supply', 'Total Staked']);
  });

  it('leaves alone a tile of a body in which another value changed', async () => {
    const { '/api/staking/total': staking } = sampleBodies(1, { stakers: 9 });
    await page.change({ '/api/staking/total': staking });
    expect(tilesDrawn()).toEqual(['Total Staked']);
    expect(page.place.textContent).toContain('9 Active Stakers');
  });

  it('draws no tile where it only says that the sources were read again', async () => {
    await page.pass(20);
    expect(page.states().slice(0, 3)).toEqual(['ageing', 'ageing', 'live']);
    await page.heartbeat({ chain: 0, market: 0 });
    expect(page.states().slice(0, 3)).toEqual(['live', 'live', 'live']);
    expect(tilesDrawn()).toEqual([]);
  });
});

describe('a poll', () => {
  it('that brings the same figures, read later, draws no tile and keeps them young', async () => {
    await pollOnce(sampleBodies(LONGEST_INTERVAL));
    expect(tilesDrawn()).toEqual([]);
    expect(page.states().slice(0, 3)).toEqual(['live', 'live', 'live']);
  });

  it('that brings a new figure draws its tile alone', async () => {
    await pollOnce(sampleBodies(LONGEST_INTERVAL, { vault: '5000000' }));
    expect(tilesDrawn()).toEqual(['Current Reduced Supply', 'Vault Balance']);
    expect(page.place.textContent).toContain('5,000,000.00');
  });
});
