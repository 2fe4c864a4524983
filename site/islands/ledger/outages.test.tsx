// @vitest-environment happy-dom
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FigurePath } from '../../data/figure-strategies.ts';
import { queryClient } from '../../data/query-client.ts';
import { FakeEventSource } from '../testing/fake-event-source.ts';
import { type LivePage, openLivePage } from '../testing/live-page.tsx';
import { sampleBodies } from '../testing/sample-bodies.ts';
import Ledger from './Ledger.tsx';

let page: LivePage;

beforeAll(async () => {
  page = await openLivePage(<Ledger explorer="https://e.example" />);
});
afterAll(() => page.close());
beforeEach(async () => {
  // Long enough for a stream that a test broke to be opened again.
  await page.pass(12);
  await page.heartbeat({ chain: 0, market: 0 });
});

function tile(label: string): HTMLElement {
  const heading = [...page.place.querySelectorAll('h3')].find(({ textContent }) => textContent === label);
  const found = heading?.closest<HTMLElement>('[data-state]');
  if (!found) throw new Error(`There is no tile ${label}.`);
  return found;
}
/** Of the three live cards and of what is worked out from two of them. */
const states = () => [...page.states().slice(0, 3), tile('Current Reduced Supply').dataset.state];

describe('the dashboard', () => {
  it('with the market down shows the published price as a reference, and every chain figure live', async () => {
    const { '/api/trading/market-data': _market, ...chain } = sampleBodies(0);
    await page.change(chain, ['/api/trading/market-data']);
    expect(states()).toEqual(['live', 'live', 'reference', 'live']);
    expect(tile('BD Price').textContent).toContain('0.000114');
    expect(tile('BD Price').textContent).toContain('Market cap —');
    expect(tile('BD Price').textContent).toContain('Reference valueNot read yet');
  });

  it('with an empty store shows references, a dash for what needs both, and that there is no slot yet', async () => {
    const { '/api/network/health': health, ...figures } = sampleBodies(0);
    await page.change({ '/api/network/health': health }, Object.keys(figures) as FigurePath[]);
    await page.heartbeat({ chain: null, market: null });
    expect(states()).toEqual(['reference', 'reference', 'reference', 'unavailable']);
    expect(page.place.textContent).toContain('no slot yet');
    expect(tile('Current Reduced Supply').textContent).toContain('Needs both live figures above');
    expect(page.place.textContent).not.toContain('Retry');
  });

  it('with no endpoint answering says so, keeps the last chain figures as stale, and the price live', async () => {
    await page.change(sampleBodies(0));
    await page.pass(20);
    await page.heartbeat({ chain: 20, market: 1 });
    expect(states()).toEqual(['ageing', 'ageing', 'live', 'ageing']);
    await page.change({
      '/api/network/health': sampleBodies(0, { status: 'offline' })['/api/network/health'],
    });
    for (const age of [35, 50, 65]) {
      await page.pass(15);
      await page.heartbeat({ chain: age, market: 1 });
    }
    expect(states()).toEqual(['stale', 'stale', 'live', 'stale']);
    expect(tile('Vault Balance').textContent).toContain('100.00');
    expect(tile('Vault Balance').textContent).toContain('Stale · 1 min ago');
    expect(page.place.textContent).toContain('the chain cannot be read');
  });

  it('with the server gone says Reconnecting, grows stale, and is live again by itself', async () => {
    await page.change(sampleBodies(0));
    await page.pass(0, () => FakeEventSource.newest.break());
    expect(page.place.textContent).toContain('Reconnecting');
    await page.pass(61);
    expect(states()).toEqual(['stale', 'stale', 'ageing', 'stale']);
    expect(page.place.textContent).toContain('state of the endpoints unknown');
    await page.change(sampleBodies(0, { vault: '101' }));
    expect(states()).toEqual(['live', 'live', 'live', 'live']);
    expect(page.place.textContent).not.toContain('Reconnecting');
    expect(tile('Vault Balance').textContent).toContain('101.00');
  });

  it('that could read nothing at all offers to read each figure again', async () => {
    page.serve({});
    await page.pass(0, () => FakeEventSource.newest.break());
    await page.pass(9, () => void queryClient.resetQueries());
    expect(states()).toEqual(['reference', 'reference', 'reference', 'unavailable']);
    expect(tile('Vault Balance').textContent).toContain('Could not be read · Retry');
    page.serve(sampleBodies(0));
    await page.pass(1, () => tile('Vault Balance').querySelector('button')?.click());
    expect(tile('Vault Balance').dataset.state).toBe('live');
  });
});
