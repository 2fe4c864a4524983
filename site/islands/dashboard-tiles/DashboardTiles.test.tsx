// @module-tag slow
// @vitest-environment happy-dom
import '../testing/count-renders.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FigureBodies, FigurePath } from '../../data/figure-strategies.ts';
import { queryClient } from '../../data/query-client.ts';
import { takeRenders } from '../testing/count-renders.ts';
import { FakeEventSource } from '../testing/fake-event-source.ts';
import { htmlOf, textOf } from '../testing/render.ts';
import { knownReading, SAMPLE_ADDRESS, sampleBodies, sampleProgram } from '../testing/samples.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import { explorerLink } from '../ui/explorer-link.ts';
import DashboardTiles, { TileGrid } from './DashboardTiles.tsx';

/** Seconds within which every figure on the dashboard is polled once. */
const LONGEST_INTERVAL_SECONDS = 31;

const SLOT = 5_000;

// All tests share one page, because the query client and the stream are module state.
let page: ServedPage;
let version = 0;

/** Sets the response to each call, by path. A call without a response gets a 502. */
function serve(bodies: Partial<FigureBodies>): void {
  page.clearResponses();
  for (const [path, body] of Object.entries(bodies)) page.respond(`GET ${path}`, body);
}

function sendChange(bodies: Partial<FigureBodies>, missing: readonly FigurePath[] = []): Promise<void> {
  version += 1;
  const message = { version: `a-${version}`, bodies, announced: [], missing: [...missing] };
  return page.advance(0, () => FakeEventSource.newest.send('change', message));
}

/** Sends a heartbeat. The parameters are the seconds since each source was read; null if it was never read. */
function sendHeartbeat({ chain, market }: Record<'chain' | 'market', number | null>): Promise<void> {
  const readAt = (ageSeconds: number) => new Date(Date.now() - ageSeconds * 1_000).toISOString();
  return page.advance(0, () =>
    FakeEventSource.newest.send('fresh', {
      now: readAt(0),
      chain: chain === null ? null : { asOf: readAt(chain), slot: SLOT - 2 * chain },
      market: market === null ? null : { asOf: readAt(market) },
    }),
  );
}

beforeAll(async () => {
  page = await openServedPage(<DashboardTiles explorerUrl="https://e.example" provenanceText="" />);
});
afterAll(() => page.close());
beforeEach(async () => {
  // If the previous test broke the stream, gives it time to reopen.
  await page.advance(12);
  await sendHeartbeat({ chain: 0, market: 0 });
  const bodies = sampleBodies(0);
  // A page does not replace its figures with older ones, so those of the previous test are removed first.
  await sendChange({}, Object.keys(bodies) as FigurePath[]);
  await sendChange(bodies);
  takeRenders();
});

function tile(label: string): HTMLElement {
  const heading = [...page.root.querySelectorAll('h3')].find(({ textContent }) => textContent === label);
  const found = heading?.closest<HTMLElement>('[data-state]');
  if (!found) throw new Error(`No tile ${label}.`);
  return found;
}

const liveStates = () =>
  [...page.root.querySelectorAll<HTMLElement>('[data-size]')].slice(0, 3).map(({ dataset }) => dataset.state);
const states = () => [...liveStates(), tile('Current Reduced Supply').dataset.state];

const breakStream = () => page.advance(0, () => FakeEventSource.newest.break());

describe('the dashboard', () => {
  it('without market data shows the reference price and live chain figures', async () => {
    const { '/api/trading/market-data': _market, ...chain } = sampleBodies(0);
    await sendChange(chain, ['/api/trading/market-data']);
    expect(states()).toEqual(['live', 'live', 'reference', 'live']);
    expect(tile('BD Price').textContent).toContain('0.000114');
    expect(tile('BD Price').textContent).toContain('Market cap —');
  });

  it('with an empty store shows reference values, a dash for the derived total, and no slot', async () => {
    const { '/api/network/health': health, ...figures } = sampleBodies(0);
    await sendChange({ '/api/network/health': health }, Object.keys(figures) as FigurePath[]);
    await sendHeartbeat({ chain: null, market: null });
    expect(states()).toEqual(['reference', 'reference', 'reference', 'unavailable']);
    expect(page.root.textContent).not.toMatch(/slot \d/);
    expect(page.root.querySelector('button')).toBeNull();
  });

  it('without a working endpoint keeps the last chain figures as stale, and the price live', async () => {
    await page.advance(20);
    await sendHeartbeat({ chain: 20, market: 1 });
    expect(states()).toEqual(['ageing', 'ageing', 'live', 'ageing']);
    await sendChange({
      '/api/network/health': sampleBodies(0, { status: 'offline' })['/api/network/health'],
    });
    for (const age of [35, 50, 65]) {
      await page.advance(15);
      await sendHeartbeat({ chain: age, market: 1 });
    }
    expect(states()).toEqual(['stale', 'stale', 'live', 'stale']);
    expect(tile('Vault Balance').textContent).toContain('100.00');
    expect(tile('Vault Balance').textContent).toContain('Stale · 1 min ago');
    expect(page.root.querySelector('[data-chain=offline]')).not.toBeNull();
  });

  it('goes stale without the server, and recovers by itself', async () => {
    await breakStream();
    expect(page.root.querySelector('[data-live]')?.textContent).toBe('Reconnecting');
    await page.advance(61);
    expect(states()).toEqual(['stale', 'stale', 'ageing', 'stale']);
    await sendChange(sampleBodies(0, { vault: '101' }));
    expect(states()).toEqual(['live', 'live', 'live', 'live']);
    expect(page.root.querySelector('[data-live]')?.textContent).toBe('Live');
    expect(tile('Vault Balance').textContent).toContain('101.00');
  });

  it('offers a retry for a figure that it could not read', async () => {
    serve({});
    await breakStream();
    await page.advance(9, () => void queryClient.resetQueries());
    expect(states()).toEqual(['reference', 'reference', 'reference', 'unavailable']);
    serve(sampleBodies(0));
    await page.advance(1, () => tile('Vault Balance').querySelector('button')?.click());
    expect(tile('Vault Balance').dataset.state).toBe('live');
  });
});

const renderedTiles = () =>
  takeRenders()
    .filter((name) => name.startsWith('FigureContents '))
    .map((name) => name.slice('FigureContents '.length))
    .toSorted();

describe('the official addresses', () => {
  it('are shown in full, each with a copy button, or as dashes while unknown', async () => {
    const copyButtonCount = () => [...page.root.querySelectorAll('dl button')].length;
    await sendChange({ '/api/staking/program-summary': sampleProgram() });
    expect(copyButtonCount()).toBe(3);
    for (const address of [SAMPLE_ADDRESS, sampleProgram().programAddress, sampleProgram().tokenAddress]) {
      expect(page.root.querySelector('dl')?.textContent).toContain(address);
    }
    await sendChange({}, ['/api/staking/program-summary']);
    expect(copyButtonCount()).toBe(1);
    expect(page.root.querySelectorAll('dl [aria-hidden=true]')).toHaveLength(2);
  });
});

describe('a stream message', () => {
  it('renders only the tile that changed', async () => {
    const { '/api/trading/market-data': market } = sampleBodies(1, { price: '0.0002' });
    await sendChange({ '/api/trading/market-data': market });
    expect(renderedTiles()).toEqual(['BD Price']);
    expect(page.root.textContent).toContain('0.000200');
  });

  it('renders the changed figure and the figures derived from it', async () => {
    const { '/api/staking/total': staking } = sampleBodies(1, { staked: '75000000' });
    await sendChange({ '/api/staking/total': staking });
    expect(renderedTiles()).toEqual(['Current Reduced Supply', 'Total Staked']);
  });

  it('does not render a derived figure that stays the same', async () => {
    const { '/api/staking/total': staking } = sampleBodies(1, { stakers: 9 });
    await sendChange({ '/api/staking/total': staking });
    expect(renderedTiles()).toEqual(['Total Staked']);
    expect(page.root.textContent).toContain('9 Active Stakers');
  });

  it('that is a heartbeat updates the states of the tiles without rendering them', async () => {
    await page.advance(20);
    expect(liveStates()).toEqual(['ageing', 'ageing', 'live']);
    await sendHeartbeat({ chain: 0, market: 0 });
    expect(liveStates()).toEqual(['live', 'live', 'live']);
    expect(renderedTiles()).toEqual([]);
  });
});

describe('a poll', () => {
  async function pollOnce(bodies: Partial<FigureBodies>): Promise<void> {
    await breakStream();
    takeRenders();
    page.requests.splice(0);
    serve(bodies);
    await page.advance(LONGEST_INTERVAL_SECONDS);
    const polledCalls = page.requests.map(({ call }) => call);
    // The shell, not this island, reads the network's health.
    const { '/api/network/health': _health, ...figures } = bodies;
    expect(polledCalls).toEqual(expect.arrayContaining(Object.keys(figures).map((path) => `GET ${path}`)));
    expect(polledCalls).not.toContain('GET /api/network/health');
  }

  it('that reads the same figures again keeps the tiles live without rendering them', async () => {
    await pollOnce(sampleBodies(LONGEST_INTERVAL_SECONDS));
    expect(renderedTiles()).toEqual([]);
    expect(liveStates()).toEqual(['live', 'live', 'live']);
  });

  it('that reads a new figure renders its tile and the figures derived from it', async () => {
    await pollOnce(sampleBodies(LONGEST_INTERVAL_SECONDS, { vault: '5000000' }));
    expect(renderedTiles()).toEqual(['Current Reduced Supply', 'Vault Balance']);
    expect(page.root.textContent).toContain('5,000,000.00');
  });
});

describe('the tiles', () => {
  const link = explorerLink('https://e.example', 'mainnet-beta');
  const loading = { kind: 'loading' } as const;

  it('show only the stated supply figures while they load', () => {
    const text = textOf(<TileGrid link={link} vault={loading} staking={loading} market={loading} />);
    expect(text).toContain('Market Supply 990M BD of 1,000,000,000 in total');
    expect(text).toContain('Streamflow Allocation 46.6M BD for wallets staking 5M+');
    expect(text).not.toContain('99,998,436');
  });

  it('link a figure to its account if the explorer supports the cluster', () => {
    const vault = knownReading(sampleBodies(0)['/api/vault/live-balance']);
    const html = (shownLink: typeof link) =>
      htmlOf(<TileGrid link={shownLink} vault={vault} staking={loading} market={loading} />);
    expect(html(link)).toContain(`href="https://e.example/address/${SAMPLE_ADDRESS}"`);
    expect(html(link)).toContain('rel="noopener noreferrer"');
    expect(html(null)).not.toContain('href="http');
    expect(html(null)).toContain(`title="${SAMPLE_ADDRESS}"`);
  });
});
