import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const PATH = '/api/staking/total';
const OTHER = '/api/vault/live-balance';
const READ_AT_MS = Date.parse('2026-11-26T12:00:00Z');
/** The store as a page from an older build saved it. */
const OLDER = JSON.stringify({
  version: 'older',
  clockOffset: 0,
  figures: { [PATH]: { at: READ_AT_MS, body: {} } },
});
const body = { balance: '1', asOf: new Date(READ_AT_MS).toISOString(), source: 'solana' };

let storage: Map<string, string>;

/** Imports the modules again, because each page has its own copy of them. */
async function openPage() {
  vi.resetModules();
  const [figures, query, freshness] = await Promise.all([
    import('./stored-figures.ts'),
    import('./figure-query.ts'),
    import('./source-freshness.ts'),
  ]);
  return { ...figures, ...query, ...freshness };
}

async function storeFigure(): Promise<void> {
  const { keepFigure, saveFigures } = await openPage();
  keepFigure(PATH, body);
  saveFigures();
}

const goOffline = () => vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
const signal = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers({ now: READ_AT_MS });
  storage = new Map();
  const localStorage = {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => void storage.set(key, value),
  };
  vi.stubGlobal('window', { localStorage });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe('figures on this device', () => {
  it('are shown without a connection, with their age, and are never live', async () => {
    const first = await openPage();
    first.keepFigure(PATH, body);
    // The chain was read again, and the figure did not change.
    first.$lastReads.set({ chain: READ_AT_MS + 5_000, market: null });
    vi.setSystemTime(READ_AT_MS + 6_000);
    first.saveFigures();

    goOffline();
    const { readFigure, figureState, ...later } = await openPage();
    expect(await readFigure(PATH, null, signal)).toEqual(body);
    const latest = {
      sources: later.$lastReads.get(),
      calls: later.$callReads.get(),
      polls: later.$pollIntervals.get(),
      stored: later.$storedReads.get(),
    };
    const read = { asOf: READ_AT_MS, source: 'chain', calls: [PATH] } as const;
    expect(later.lastConfirmedAt(read, latest)).toBe(READ_AT_MS + 5_000);
    expect(figureState(read, latest, READ_AT_MS + 6_000)).toBe('ageing');
    expect(figureState(read, latest, READ_AT_MS + 66_000)).toBe('stale');
  });

  it('give way to the server’s figures once there is a connection', async () => {
    await storeFigure();
    goOffline();
    const { readFigure, keepFigure, $storedReads } = await openPage();
    await readFigure(PATH, null, signal);
    expect($storedReads.get()).toHaveProperty([PATH]);
    keepFigure(PATH, { ...body, balance: '2' });
    expect($storedReads.get()).toEqual({});
    // A page never goes back to an older figure.
    await expect(readFigure(PATH, null, signal)).rejects.toThrow(TypeError);
  });

  it('do not hide an API error', async () => {
    await storeFigure();
    vi.stubGlobal('fetch', async () => Response.json({ success: false }, { status: 500 }));
    const { readFigure } = await openPage();
    await expect(readFigure(PATH, null, signal)).rejects.toThrow(/^500/);
  });

  it.each<[string, () => Promise<Response>]>([
    ['a proxy answers for the API', async () => new Response('<h1>Bad Gateway</h1>', { status: 502 })],
    ['a network’s sign-in page answers', async () => new Response('<h1>Sign in</h1>')],
    ['the read times out', () => Promise.reject(new DOMException('', 'TimeoutError'))],
  ])('are shown if %s, unless the stream is open', async (_case, answer) => {
    await storeFigure();
    vi.stubGlobal('fetch', answer);
    const { readFigure } = await openPage();
    const { setStreamState } = await import('./connection.ts');
    setStreamState('live');
    await expect(readFigure(PATH, null, signal)).rejects.toThrow();
    setStreamState('reconnecting');
    expect(await readFigure(PATH, null, signal)).toEqual(body);
  });

  it('are not returned for a canceled read', async () => {
    await storeFigure();
    goOffline();
    const { readFigure, $storedReads } = await openPage();
    await expect(readFigure(PATH, null, AbortSignal.abort())).rejects.toThrow();
    expect($storedReads.get()).toEqual({});
  });

  it('are added to those of other pages; beyond the limit, the longest are left out', async () => {
    await storeFigure();
    const second = await openPage();
    second.keepFigure(OTHER, body);
    second.keepFigure('/api/stakers/enhanced', ['x'.repeat(second.MAX_STORED_CHARACTERS)]);
    vi.advanceTimersByTime(60_000);
    const [text = ''] = storage.values();
    expect(Object.keys(JSON.parse(text).figures).sort()).toEqual([PATH, OTHER]);
    expect(text.length).toBeLessThan(second.MAX_STORED_CHARACTERS + 100);
  });

  it('are not replaced by older figures of another page', async () => {
    const first = await openPage();
    first.keepFigure(PATH, body);
    vi.setSystemTime(READ_AT_MS + 3_600_000);
    const second = await openPage();
    const newerBody = { ...body, balance: '2', asOf: new Date().toISOString() };
    second.keepFigure(PATH, newerBody);
    second.saveFigures();
    first.saveFigures();
    goOffline();
    const { readFigure } = await openPage();
    expect(await readFigure(PATH, null, signal)).toEqual(newerBody);
  });

  it('do not include the network’s health', async () => {
    const { keepFigure, saveFigures } = await openPage();
    keepFigure('/api/network/health', { status: 'healthy' });
    saveFigures();
    expect(storage.size).toBe(0);
  });

  it.each(['{', 'null', '[]', '{"figures":null}', OLDER])(
    'are ignored, and later replaced, if the stored text is %s',
    async (text) => {
      storage.set('lastFigures', text);
      goOffline();
      const { readFigure, keepFigure, saveFigures } = await openPage();
      await expect(readFigure(PATH, null, signal)).rejects.toThrow(TypeError);
      keepFigure(PATH, body);
      saveFigures();
      expect(storage.get('lastFigures')).toContain(PATH);
    },
  );

  it('restore the server’s time, so that their age is right even if this device’s clock is wrong', async () => {
    const first = await openPage();
    const { serverClock: clock } = await import('./server-clock.ts');
    clock.sync(READ_AT_MS + 3_600_000);
    first.keepFigure(PATH, { ...body, asOf: new Date(READ_AT_MS + 3_600_000).toISOString() });
    first.saveFigures();
    goOffline();
    const { readFigure } = await openPage();
    await readFigure(PATH, null, signal);
    const reopened = await import('./server-clock.ts');
    expect(reopened.serverClock.now()).toBe(READ_AT_MS + 3_600_000);
  });
});
