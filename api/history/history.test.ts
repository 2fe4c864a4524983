// @module-tag slow
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { history } from '../../data/contract/history.ts';
import type { HistoryPoint } from '../../data/store/ports.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { FakeIndex, SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { startTestPortal } from '../testing/test-portal.ts';
import { chartPoints, MAX_POINTS, thinPoints } from './history.ts';

const MINUTE_MS = 60_000;
const VAULT_DAY = '/api/history?series=vault&range=24h';

async function start(points: Record<string, readonly HistoryPoint[]> = {}, index = new FakeIndex()) {
  for (const [key, value] of Object.entries(points)) index.points.set(key as 'vault/hour', value);
  const counter = { reads: 0 };
  const read = index.history.bind(index);
  index.history = async (...query) => {
    // Counts only the reads of minutes: reading a chart for a day includes exactly one of them.
    if (query[1] === 'minute') counter.reads += 1;
    return read(...query);
  };
  const portal = await startTestPortal({ index });
  onTestFinished(() => portal.close());
  return { portal, index, counter };
}

const minutes = (values: readonly string[]): readonly HistoryPoint[] =>
  values.map((value, index) => ({ at: TEST_START - (values.length - 1 - index) * MINUTE_MS, value }));

describe('the history', () => {
  it.each([
    ['vault', ['2500000'], ['2.5'], 'solana'],
    ['staked', ['1'], ['0.000001'], 'solana'],
    ['stakers', ['8'], ['8'], 'solana'],
    ['price', ['0.0001137'], ['0.0001137'], 'demo'],
    ['volume', ['14200.55', ''], ['14200.55', null], 'demo'],
    ['network', ['1.000', '0.666', '0.000', ''], ['100', '66.6', '0', null], 'solana'],
  ])('of %s has the units of the figures, and names its source', async (series, stored, shown, source) => {
    const { portal } = await start({ [`${series}/minute`]: minutes(stored) });
    const answer = await ask(portal.port, `/api/history?series=${series}&range=24h`);
    expect(answer.status).toBe(200);
    const body = history.response.parse(JSON.parse(answer.body));
    expect(body).toMatchObject({
      series,
      range: '24h',
      resolution: 'minute',
      source: [source],
      state: 'live',
      slot: ['price', 'volume', 'network'].includes(series) ? null : 4_242,
    });
    expect(body.points.map(({ value }) => value)).toEqual(shown);
    expect(body.points.at(-1)?.at).toBe('2026-01-01T00:00:00.000Z');
  });

  it('rejects an invalid query and lists the valid values', async () => {
    const { portal } = await start();
    for (const [query, ...expectedParts] of [
      ['', 'series', 'range'],
      ['?series=vault', 'range to one of 24h, 7d, 30d, all'],
      ['?series=gold&range=7d', 'series to one of vault, staked, stakers, price, volume, network'],
      ['?series=vault&series=price&range=7d', 'series'],
      ['?series=vault&range=7D', 'range'],
      ['?series[]=vault&range=7d', 'series'],
      ['?__proto__=vault&range=7d', 'series'],
    ]) {
      const answer = await ask(portal.port, `/api/history${query}`);
      expect(answer.status, query).toBe(400);
      const body = JSON.parse(answer.body);
      expect(body, query).toMatchObject({ success: false, code: 'invalid-query' });
      for (const part of expectedParts) expect(body.error, query).toContain(part);
    }
  });

  it('responds with 503 before anything is read', async () => {
    const { portal, index } = await start();
    for (const series of ['vault', 'staked', 'stakers', 'price']) {
      const answer = await ask(portal.port, `/api/history?series=${series}&range=all`);
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
    }
    index.points.set('vault/minute', minutes(['1']));
    index.commit({});
    await portal.pollAt(TEST_START);
    expect((await ask(portal.port, VAULT_DAY)).status).toBe(200);
  });

  it('is read again only after the index changes, at most every three seconds', async () => {
    const { portal, index, counter } = await start({ 'vault/minute': minutes(Array(30).fill('1')) });
    const read = async (now: number) => {
      await portal.pollAt(now);
      await ask(portal.port, VAULT_DAY);
      return counter.reads;
    };
    expect(await read(TEST_START)).toBe(1);
    expect(await read(TEST_START + 60_000)).toBe(1);
    index.commitChain({ slot: 5_000 });
    expect(await read(TEST_START + 63_000)).toBe(2);
    index.commitChain({ slot: 5_001 });
    expect(await read(TEST_START + 65_999)).toBe(2);
    expect(await read(TEST_START + 66_000)).toBe(3);
  });

  it('is read once for concurrent requests', async () => {
    const { portal, counter } = await start({ 'vault/minute': minutes(['1']) });
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(portal.port, VAULT_DAY)));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(counter.reads).toBe(1);
  });

  it('responds with 304 for the same bytes until the chart ages', async () => {
    const { portal } = await start({ 'vault/minute': minutes(['1']) });
    const { headers } = await ask(portal.port, VAULT_DAY);
    const conditional = { headers: { 'If-None-Match': headers.etag ?? '' } };
    expect(headers['cache-control']).toBe('no-cache');
    expect((await ask(portal.port, VAULT_DAY, conditional)).status).toBe(304);
    await portal.pollAt(TEST_START + 60_001);
    const aged = await ask(portal.port, VAULT_DAY, conditional);
    expect([aged.status, JSON.parse(aged.body).state]).toEqual([200, 'stale']);
  });

  it('serves the last chart while the index cannot be read, and responds with 503 without one', async () => {
    const { portal, index } = await start({ 'vault/minute': minutes(['1']), 'price/minute': minutes(['1']) });
    const before = await ask(portal.port, VAULT_DAY);
    index.readError = new StoreUnavailableError('/srv/index.db is damaged');
    await portal.pollAt(TEST_START + 5_000);
    expect((await ask(portal.port, VAULT_DAY)).body).toBe(before.body);
    const rejected = await ask(portal.port, '/api/history?series=price&range=24h');
    expect([rejected.status, JSON.parse(rejected.body).code]).toEqual([503, 'index-unreadable']);
    expect(rejected.body).not.toContain('/srv');
  });

  it('names the feeds of all its points, and the feed of the newest point last', async () => {
    const quote = SAMPLE_INDEX.quote && { ...SAMPLE_INDEX.quote, source: 'dexscreener' };
    const feeds = ['jupiter', 'dexscreener', 'dexscreener', 'jupiter'];
    const points = minutes(feeds.map((_feed, number) => `${number + 1}`));
    const withFeeds = points.map((point, index) => ({ ...point, source: feeds[index] ?? '' }));
    const { portal } = await start({ 'price/minute': withFeeds }, new FakeIndex({ ...SAMPLE_INDEX, quote }));
    const { body } = await ask(portal.port, '/api/history?series=price&range=24h');
    expect(JSON.parse(body).source).toEqual(['dexscreener', 'jupiter']);
    expect(JSON.parse(body).points[0]).toEqual({ at: expect.any(String), value: '1' });
  });
});

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The start of a day, when an interval of every resolution begins. */
const NOW = 20_000 * DAY_MS;

function regularPoints(count: number, intervalMs: number, until: number): readonly HistoryPoint[] {
  return Array.from({ length: count }, (_, index) => ({
    at: until - (count - 1 - index) * intervalMs,
    value: String(index + 1),
  }));
}

function indexWith(series: Partial<Record<'minute' | 'hour' | 'day', readonly HistoryPoint[]>>): FakeIndex {
  const index = new FakeIndex();
  for (const resolution of ['minute', 'hour', 'day'] as const) {
    index.points.set(`vault/${resolution}`, series[resolution] ?? []);
  }
  return index;
}

const readChart = (index: FakeIndex, range: '24h' | '7d' | '30d' | 'all') =>
  chartPoints(index, 'vault', range, NOW);

describe('the points of a chart', () => {
  it.each([
    ['24h', 'minute', MINUTE_MS],
    ['7d', 'hour', HOUR_MS],
    ['30d', 'hour', HOUR_MS],
    ['all', 'day', DAY_MS],
  ] as const)('for the range %s are one %s apart', async (range, resolution, interval) => {
    const stored = regularPoints(30, interval, NOW - interval);
    const shown = await readChart(indexWith({ [resolution]: stored }), range);
    expect(shown).toEqual({ resolution, points: stored });
  });

  it('begin with the last value before the range', async () => {
    const stored = [{ at: NOW - 3 * DAY_MS, value: '1' }, ...regularPoints(30, MINUTE_MS, NOW)];
    expect((await readChart(indexWith({ minute: stored }), '24h')).points[0]).toEqual(stored[0]);
  });

  it('come from a coarser series before the finer one begins', async () => {
    const day = [{ at: NOW - 5 * DAY_MS, value: '1' }, ...regularPoints(5, DAY_MS, NOW)];
    const hour = regularPoints(12, HOUR_MS, NOW - 2 * HOUR_MS);
    const minute = regularPoints(30, MINUTE_MS, NOW);
    const shown = await readChart(indexWith({ day, hour, minute }), '24h');
    expect(shown.resolution).toBe('minute');
    const earlier = hour.filter(({ at }) => at + HOUR_MS <= (minute[0]?.at ?? 0));
    expect(earlier).toHaveLength(12);
    expect(shown.points.slice(-42)).toEqual([...earlier, ...minute]);
    expect(shown.points[0]?.at).toBeLessThanOrEqual(NOW - DAY_MS);
  });

  it('include no coarse value that overlaps the finer ones', async () => {
    const minute = regularPoints(30, MINUTE_MS, NOW - 10 * MINUTE_MS);
    const hour = [{ at: NOW - HOUR_MS, value: 'later' }];
    const shown = await readChart(indexWith({ hour, minute }), '24h');
    expect(shown.points).toEqual(minute);
  });

  it('include no point from the future, which a wrong clock may have stored', async () => {
    const future = (interval: number) => ({ at: NOW + 30 * DAY_MS + interval, value: 'wrong' });
    const day = [...regularPoints(3, DAY_MS, NOW - DAY_MS), future(DAY_MS)];
    const hour = [...regularPoints(30, HOUR_MS, NOW - HOUR_MS), future(HOUR_MS)];
    const minute = [future(MINUTE_MS)];
    const index = indexWith({ day, hour, minute });
    for (const range of ['24h', '7d', '30d', 'all'] as const) {
      const { points } = await readChart(index, range);
      expect(points.at(-1)).toEqual(hour.at(-2));
    }
  });

  it('come from a finer series if the coarser one has few points in the range', async () => {
    const day = regularPoints(3, DAY_MS, NOW - DAY_MS);
    const hour = regularPoints(20, HOUR_MS, NOW - HOUR_MS);
    const shown = await readChart(indexWith({ day, hour }), 'all');
    expect(shown).toEqual({ resolution: 'hour', points: [...day.slice(0, 2), ...hour] });
    const few = await readChart(indexWith({ day, hour: hour.slice(-1) }), 'all');
    expect(few).toEqual({ resolution: 'day', points: day });
  });

  it('are empty if nothing is stored', async () => {
    expect((await readChart(indexWith({}), '7d')).points).toEqual([]);
  });

  it('are thinned to the maximum for a chart, keeping the newest', async () => {
    const shown = await readChart(indexWith({ day: regularPoints(5_000, DAY_MS, NOW) }), 'all');
    expect(shown.points.length).toBeLessThanOrEqual(MAX_POINTS);
    expect(shown.points.at(-1)).toEqual({ at: NOW, value: '5000' });
    fc.assert(
      fc.property(fc.nat(400), fc.integer({ min: 1, max: 50 }), (count, maximum) => {
        const all = regularPoints(count, MINUTE_MS, NOW);
        const some = thinPoints(all, maximum);
        expect(some.length).toBeLessThanOrEqual(maximum);
        expect(some.at(-1)).toEqual(all.at(-1));
        if (count <= maximum) expect(some).toEqual(all);
      }),
    );
  });

  it('are always in order, and end with the newest value of their resolution', async () => {
    const anyPoints = (interval: number, reach: number) =>
      fc
        .uniqueArray(fc.nat(reach), { maxLength: 40 })
        .map((ages) =>
          ages
            .toSorted((one, other) => other - one)
            .map((age) => ({ at: NOW - age * interval, value: String(age) })),
        );
    await fc.assert(
      fc.asyncProperty(
        anyPoints(MINUTE_MS, 1_500),
        anyPoints(HOUR_MS, 800),
        anyPoints(DAY_MS, 60),
        fc.constantFrom('24h', '7d', '30d', 'all'),
        async (minute, hour, day, range) => {
          const shown = await readChart(indexWith({ minute, hour, day }), range);
          for (const [index, { at }] of shown.points.entries()) {
            expect(at).toBeGreaterThan(shown.points[index - 1]?.at ?? Number.NEGATIVE_INFINITY);
          }
          const newest = { minute, hour, day }[shown.resolution].at(-1);
          if (newest) expect(shown.points.at(-1)).toEqual(newest);
        },
      ),
    );
  });
});
