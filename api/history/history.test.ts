import { afterEach, describe, expect, it } from 'vitest';
import { history } from '../../data/contract/history.ts';
import { type HistoryPoint, NOTHING_INDEXED } from '../../data/store/ports.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { noFacts } from '../metrics/facts.ts';
import { FakeIndex, SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { HistoryAnswers } from './history-answers.ts';

const MINUTE = 60_000;
const VAULT_DAY = '/api/history?series=vault&range=24h';

const portals: TestPortal[] = [];
afterEach(async () => {
  for (const portal of portals.splice(0)) await portal.close();
});

async function start(points: Record<string, readonly HistoryPoint[]> = {}, index = new FakeIndex()) {
  for (const [key, value] of Object.entries(points)) {
    if (/^(vault|staked|stakers|price)\/(minute|hour|day)$/.test(key))
      index.points.set(key as 'vault/hour', value);
  }
  const counted = { reads: 0 };
  const read = index.history.bind(index);
  index.history = async (...asked) => {
    // A chart asks for its minutes first, and then for what is coarser.
    if (asked[1] === 'minute') counted.reads += 1;
    return read(...asked);
  };
  const portal = await startTestPortal({ index, callsPerMinute: 10_000 });
  portals.push(portal);
  return { portal, index, counted };
}

const minutes = (values: readonly string[]): readonly HistoryPoint[] =>
  values.map((value, index) => ({ at: TEST_START - (values.length - 1 - index) * MINUTE, value }));

describe('the history', () => {
  it.each([
    ['vault', '2500000', '2.5', 'solana'],
    ['staked', '1', '0.000001', 'solana'],
    ['stakers', '8', '8', 'solana'],
    ['price', '0.0001137', '0.0001137', 'demo'],
  ])('of %s tells its values as the figures do, and its source', async (series, stored, told, source) => {
    const { portal } = await start({ [`${series}/minute`]: minutes([stored]) });
    const answer = await ask(portal.port, `/api/history?series=${series}&range=24h`);
    expect(answer.status).toBe(200);
    const body = history.response.parse(JSON.parse(answer.body));
    expect(body).toMatchObject({
      series,
      range: '24h',
      resolution: 'minute',
      points: [{ at: '2026-01-01T00:00:00.000Z', value: told }],
      source: [source],
      state: 'live',
      slot: series === 'price' ? null : 4_242,
    });
  });

  it.each([
    ['/api/history', ['series', 'range']],
    ['/api/history?series=vault', ['range to one of 24h, 7d, 30d, all']],
    ['/api/history?series=gold&range=7d', ['series to one of vault, staked, stakers, price']],
    ['/api/history?series=vault&series=price&range=7d', ['series']],
    ['/api/history?series=vault&range=7D', ['range']],
    ['/api/history?series[]=vault&range=7d', ['series']],
    ['/api/history?__proto__=vault&range=7d', ['series']],
  ])('of %s is refused with what can be asked for', async (path, words) => {
    const { portal } = await start();
    const answer = await ask(portal.port, path);
    expect(answer.status).toBe(400);
    const body = JSON.parse(answer.body);
    expect(body).toMatchObject({ success: false, code: 'invalid-query' });
    for (const word of words) expect(body.error).toContain(word);
  });

  it('is not known yet, rather than empty, while nothing was read', async () => {
    const { portal, index } = await start();
    for (const series of ['vault', 'staked', 'stakers', 'price']) {
      const answer = await ask(portal.port, `/api/history?series=${series}&range=all`);
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
    }
    index.points.set('vault/minute', minutes(['1']));
    index.commit({});
    await portal.lookAt(TEST_START);
    expect((await ask(portal.port, VAULT_DAY)).status).toBe(200);
    const empty = await start({ 'price/minute': minutes(['1']) }, new FakeIndex(NOTHING_INDEXED));
    expect((await ask(empty.portal.port, '/api/history?series=price&range=24h')).status).toBe(503);
  });

  it('is read once while the index stands still, and at most every few seconds while it moves', async () => {
    const { portal, index, counted } = await start({ 'vault/minute': minutes(Array(30).fill('1')) });
    const read = async (now: number) => {
      await portal.lookAt(now);
      await ask(portal.port, VAULT_DAY);
      return counted.reads;
    };
    expect(await read(TEST_START)).toBe(1);
    expect(await read(TEST_START + 60_000)).toBe(1);
    index.commitChain({ slot: 5_000 });
    expect(await read(TEST_START + 63_000)).toBe(2);
    index.commitChain({ slot: 5_001 });
    expect(await read(TEST_START + 65_999)).toBe(2);
    expect(await read(TEST_START + 66_000)).toBe(3);
  });

  it('is read once for all who ask at the same time', async () => {
    const index = new FakeIndex();
    index.points.set('vault/minute', minutes(['1']));
    const read = index.history.bind(index);
    const versions: number[] = [];
    index.history = async (series, resolution, since) => {
      if (resolution === 'minute') versions.push(await index.dataVersion());
      return read(series, resolution, since);
    };
    const answers = new HistoryAnswers({
      reader: index,
      facts: () => ({ ...noFacts('solana', new Set()), index: index.index }),
      clocks: { wall: () => TEST_START, steady: () => 0 },
      security: [],
    });
    const told = await Promise.all(Array.from({ length: 20 }, () => answers.answer('vault', '24h')));
    expect(new Set(told).size).toBe(1);
    expect(versions).toHaveLength(1);
  });

  it('answers 304 to who holds the same bytes, and ages by the clock', async () => {
    const { portal } = await start({ 'vault/minute': minutes(['1']) });
    const { headers } = await ask(portal.port, VAULT_DAY);
    const conditional = { headers: { 'If-None-Match': headers.etag ?? '' } };
    expect(headers['cache-control']).toBe('no-cache');
    expect((await ask(portal.port, VAULT_DAY, conditional)).status).toBe(304);
    await portal.lookAt(TEST_START + 60_001);
    const aged = await ask(portal.port, VAULT_DAY, conditional);
    expect([aged.status, JSON.parse(aged.body).state]).toEqual([200, 'stale']);
  });

  it('stays what it was while the index cannot be read, and is refused where it was not read before', async () => {
    const { portal, index } = await start({ 'vault/minute': minutes(['1']), 'price/minute': minutes(['1']) });
    const before = await ask(portal.port, VAULT_DAY);
    index.fault = new StoreUnavailableError('/srv/index.db is damaged');
    await portal.lookAt(TEST_START + 5_000);
    expect((await ask(portal.port, VAULT_DAY)).body).toBe(before.body);
    const refused = await ask(portal.port, '/api/history?series=price&range=24h');
    expect([refused.status, JSON.parse(refused.body).code]).toEqual([503, 'index-unreadable']);
    expect(refused.body).not.toContain('/srv');
  });

  it('of a made-up price says so', async () => {
    const index = new FakeIndex({
      ...SAMPLE_INDEX,
      quote: SAMPLE_INDEX.quote && { ...SAMPLE_INDEX.quote, source: 'demo' },
    });
    const { portal } = await start({ 'price/minute': minutes(['0.1']) }, index);
    const { body } = await ask(portal.port, '/api/history?series=price&range=24h');
    expect(JSON.parse(body).source).toEqual(['demo']);
  });

  it('of a price names every feed that told one of its points, the newest last, and no other', async () => {
    const quote = SAMPLE_INDEX.quote && { ...SAMPLE_INDEX.quote, source: 'dexscreener' };
    const feeds = ['jupiter', 'dexscreener', 'dexscreener', 'jupiter'];
    const points = minutes(feeds.map((_feed, number) => `${number + 1}`));
    const told = points.map((point, index) => ({ ...point, source: feeds[index] ?? '' }));
    const { portal } = await start({ 'price/minute': told }, new FakeIndex({ ...SAMPLE_INDEX, quote }));
    const { body } = await ask(portal.port, '/api/history?series=price&range=24h');
    expect(JSON.parse(body).source).toEqual(['dexscreener', 'jupiter']);
    expect(JSON.parse(body).points[0]).toEqual({ at: expect.any(String), value: '1' });
  });
});
