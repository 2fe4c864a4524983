// @module-tag slow
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  MAX_EVENTS_CHARTED,
  MAX_EVENTS_READ,
  stakeHistory,
  WALLET_EVENT_COLUMNS,
  type WalletEvent,
  walletHistory,
  walletHistoryExport,
} from '../../data/contract/wallet-history.ts';
import { exactUnits, scaledDecimal } from '../../data/model/amounts.ts';
import { readCsv } from '../../data/model/testing/read-csv.ts';
import type { ChainEvent } from '../../data/store/chain-rows.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { FakeIndex, SAMPLE_INDEX, TEST_START, vaultEvent } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { openedStake, signatureOf, walletOf } from '../testing/sample-stakes.ts';
import { startTestPortal } from '../testing/test-portal.ts';
import { mergePrices, priceAt } from './past-prices.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const wallet = walletOf(1);
const poolVault = SAMPLE_INDEX.identity?.poolVault ?? '';
const stakeEvent = (number: number, changes: Partial<ChainEvent> = {}) =>
  vaultEvent(number, {
    wallet,
    account: poolVault,
    kind: 'stake',
    delta: 2_000_000_000_000n,
    blockTime: TEST_START - number * DAY_MS,
    slot: 4_000 - number,
    status: 'finalized',
    ...changes,
  });

const pageSchema = walletHistory.response
  .extend({ rows: walletHistory.response.shape.rows.unwrap() })
  .strict();

/** @param events newest first */
async function start(events: readonly ChainEvent[], prepare: (index: FakeIndex) => void = () => {}) {
  const index = new FakeIndex();
  prepare(index);
  index.commit({ recentEvents: events });
  const portal = await startTestPortal({ index });
  onTestFinished(() => portal.close());
  const get = (path: string, query = '') => ask(portal.port, `${path}?walletAddress=${wallet}${query}`);
  return {
    index,
    get,
    page: async (query = '') => pageSchema.parse(JSON.parse((await get(walletHistory.path, query)).body)),
    exported: async (query = '') =>
      walletHistoryExport.response.parse(JSON.parse((await get(walletHistoryExport.path, query)).body)),
    stake: async (query = '') =>
      stakeHistory.response.strict().parse(JSON.parse((await get(stakeHistory.path, query)).body)),
  };
}

const signatures = (rows: readonly WalletEvent[]) => rows.map(({ signature }) => signature);

describe('the events of a wallet', () => {
  it('have exact amounts, the lock, and the price at their time with its source', async () => {
    const entry = openedStake(1, { openedBy: stakeEvent(3).signature });
    const stake = stakeEvent(3, { stakeEntry: entry.address });
    const { page } = await start(
      [vaultEvent(1, { wallet, delta: -1n, kind: 'withdraw' }), stake],
      (index) => {
        index.storedStakes = { entries: [entry], ended: [], transactionCounts: new Map() };
        index.points.set('price/hour', [
          { at: TEST_START - 3 * DAY_MS - HOUR_MS, value: '0.000123', source: 'jupiter' },
        ]);
      },
    );
    const { rows, next, isComplete } = await page();
    expect([next, isComplete]).toEqual([null, true]);
    expect(rows[1]).toEqual({
      timeUtc: '2025-12-29T00:00:00.000Z',
      type: 'stake',
      signature: stake.signature,
      account: 'stake-pool',
      entry: entry.address,
      amountBd: '2000000',
      lockedUntil: new Date(entry.unlocksAt).toISOString(),
      usdPerBd: '0.000123',
      usdValue: '246',
      priceSource: 'jupiter',
      priceAt: '2025-12-28T23:00:00.000Z',
      priceInterval: 'hour',
      slot: 3_997,
      status: 'finalized',
      part: 0,
    });
    // The price is too old for this event.
    const unknownPrice = { usdPerBd: null, usdValue: null, priceSource: null };
    expect(rows[0]).toMatchObject({
      amountBd: '0.000001',
      ...unknownPrice,
      priceAt: rows[1]?.priceAt,
      lockedUntil: null,
    });
  });

  it('have no lock if their entry is gone or was opened again, and no price if they have no time', async () => {
    const entry = openedStake(1, { openedBy: signatureOf(9) });
    const events = [
      stakeEvent(1, { stakeEntry: entry.address, blockTime: null }),
      stakeEvent(2, { stakeEntry: walletOf(70) }),
    ];
    const { page } = await start(events, (index) => {
      index.storedStakes = { entries: [entry], ended: [], transactionCounts: new Map() };
      index.points.set('price/day', [{ at: TEST_START - 9 * DAY_MS, value: '1' }]);
    });
    const { rows } = await page();
    expect(rows.map(({ lockedUntil }) => lockedUntil)).toEqual([null, null]);
    expect(rows[0]).toMatchObject({ timeUtc: null, usdPerBd: null, priceAt: null });
    expect(rows[1]).toMatchObject({ usdPerBd: null, priceAt: '2025-12-23T00:00:00.000Z' });
  });

  it('are the same in pages and in exports, each once, for any range and type', async () => {
    const kinds = ['stake', 'unstake', 'deposit', 'withdraw', 'other'] as const;
    const events = Array.from({ length: 40 }, (_, index) =>
      stakeEvent(index + 1, {
        kind: kinds[index % 5] ?? 'other',
        blockTime: TEST_START - index * 7 * HOUR_MS,
      }),
    );
    const { page, exported } = await start(events, ({ points }) => {
      points.set('price/day', [{ at: TEST_START - 3 * DAY_MS, value: '0.5', source: 'raydium, "x"' }]);
    });
    const dayOf = (daysAgo: number) => new Date(TEST_START - daysAgo * DAY_MS).toISOString().slice(0, 10);
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          from: fc.option(fc.nat({ max: 14 })),
          to: fc.option(fc.nat({ max: 14 })),
          type: fc.option(fc.constantFrom(...kinds)),
          limit: fc.integer({ min: 3, max: 41 }),
        }),
        async ({ from, to, type, limit }) => {
          const expectedEvents = events.filter(({ kind, blockTime }) => {
            const day = new Date(blockTime ?? 0).toISOString().slice(0, 10);
            return (type ?? kind) === kind && day >= dayOf(from ?? 99) && day <= dayOf(to ?? -99);
          });
          const query =
            (from === null ? '' : `&from=${dayOf(from)}`) +
            (to === null ? '' : `&to=${dayOf(to)}`) +
            (type === null ? '' : `&type=${type}`);
          const pagedRows: WalletEvent[] = [];
          let next: string | null = '';
          while (next !== null) {
            const before: string = next === '' ? '' : `&before=${next}`;
            const pageBody = await page(`${query}&limit=${limit}${before}`);
            expect(pageBody.rows.length).toBeLessThanOrEqual(limit);
            pagedRows.push(...pageBody.rows);
            next = pageBody.next;
          }
          expect(signatures(pagedRows)).toEqual(expectedEvents.map(({ signature }) => signature));
          expect(await exported(query)).toEqual(pagedRows);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('are read in parts if there are many, so a page may stop early, but a file has all of them', async () => {
    const events = Array.from({ length: MAX_EVENTS_READ + 1_500 }, (_, index) =>
      stakeEvent(0, {
        signature: signatureOf(index),
        slot: 90_000 - index,
        kind: index > 11_000 ? 'unstake' : 'stake',
      }),
    );
    const { page, exported } = await start(events);
    const first = await page('&type=unstake');
    expect(first).toMatchObject({ rows: [], next: expect.any(String) });
    const second = await page(`&type=unstake&limit=500&before=${first.next}`);
    expect([second.rows.length, second.next]).toEqual([499, null]);
    expect(new Set(signatures(await exported())).size).toBe(events.length);
  });

  it('are exported as valid CSV with the same values and no formulas', async () => {
    const sources = ['=cmd|x', 'a,b', 'say "no"', 'two\nlines', '+1', '@x'];
    const events = sources.map((_, index) => stakeEvent(index * 3 + 1, { delta: 10n ** BigInt(index * 3) }));
    const { get, exported } = await start(events, ({ points }) => {
      points.set(
        'price/day',
        sources
          .map((source, index) => ({
            at: TEST_START - (index * 3 + 1) * DAY_MS,
            value: `0.${index}7`,
            source,
          }))
          .toReversed(),
      );
    });
    const answer = await get(walletHistoryExport.path, '&format=csv&from=2025-01-01&type=stake');
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="blackduck-${wallet.slice(0, 8)}-stake-2025-01-01-2026-01-01.csv"`,
    });
    const [header, ...rows] = readCsv(answer.body.replace(/^\uFEFF/, ''));
    expect(header).toEqual(WALLET_EVENT_COLUMNS);
    const json = await exported();
    expect(json.map(({ priceSource }) => priceSource)).toEqual(sources);
    const guardFormula = (text: string) => (/^[=+@]/.test(text) ? `'${text}` : text);
    expect(rows).toEqual(
      json.map((row) => WALLET_EVENT_COLUMNS.map((column) => guardFormula(`${row[column] ?? ''}`))),
    );
    for (const { amountBd, usdPerBd, usdValue } of json) {
      expect(scaledDecimal(usdValue ?? '', 36)).toBe(exactUnits(amountBd) * exactUnits(usdPerBd ?? ''));
    }
  });

  it('are marked as possibly incomplete if the chain was not read recently', async () => {
    const { chain } = SAMPLE_INDEX;
    const { page } = await start([stakeEvent(1)], (index) =>
      index.commit({ chain: chain && { ...chain, readAt: TEST_START - 3_600_000 } }),
    );
    expect(await page()).toMatchObject({ state: 'stale', isComplete: false });
  });

  it('are null, and cannot be exported, while the history is still being read from the chain', async () => {
    const { get } = await start([stakeEvent(1)], (index) => index.commit({ isHistoryCaughtUp: false }));
    const readBody = async (path: string) => JSON.parse((await get(path)).body);
    expect(await readBody(walletHistory.path)).toMatchObject({ rows: null, next: null });
    expect(await readBody(stakeHistory.path)).toMatchObject({ points: null, unknownFor: 'not-read-yet' });
    expect(await readBody(walletHistoryExport.path)).toMatchObject({ code: 'history-not-read-yet' });
  });

  it('are answered with an error instead of a file while the index cannot be read, or if a date is invalid', async () => {
    const { index, get } = await start([stakeEvent(1)]);
    const paths = [walletHistory.path, walletHistoryExport.path, stakeHistory.path];
    index.walletEvents = () => Promise.reject(new StoreUnavailableError('gone'));
    for (const path of paths) {
      const { status, headers, body } = await get(path);
      expect([status, JSON.parse(body).code, headers['content-disposition']]).toEqual([
        503,
        'index-unreadable',
        undefined,
      ]);
    }
    for (const path of paths) {
      const { status, body } = await get(path, '&from=2026-02-30');
      expect([status, JSON.parse(body).code]).toEqual([400, 'invalid-query']);
    }
  });
});

describe('the price at a moment', () => {
  const pricePoint = (hours: number, value: string) => ({ at: hours * HOUR_MS, value, source: value });

  it('is the newest of the last 48 hours at the finest resolution, or else the nearest, marked as not known', () => {
    const prices = mergePrices(
      {
        day: [pricePoint(0, 'a'), pricePoint(24, 'b'), pricePoint(240, 'repeated')],
        hour: [pricePoint(240, 'c'), pricePoint(241, 'repeated')],
        minute: [pricePoint(241, 'd')],
      },
      'latest',
    );
    expect(prices.map(({ usd, interval }) => [usd, interval])).toEqual([
      ['a', 'day'],
      ['b', 'day'],
      ['c', 'hour'],
      ['d', 'minute'],
    ]);
    const foundPrice = (hours: number) => {
      const { price, isKnown } = priceAt(prices, hours * HOUR_MS);
      return [price?.usd, isKnown];
    };
    expect([-1, 0, 23, 72, 73, 155, 157, 240, 289, 290].map(foundPrice)).toEqual([
      ['a', false],
      ['a', true],
      ['a', true],
      ['b', true],
      ['b', false],
      ['c', false],
      ['c', false],
      ['c', true],
      ['d', true],
      ['d', false],
    ]);
    expect(priceAt([], 1)).toEqual({ price: null, isKnown: false });
  });
});

describe('the stake over time', () => {
  const events = [
    stakeEvent(1, { kind: 'unstake', delta: -500_000n }),
    stakeEvent(2, { kind: 'deposit', account: SAMPLE_INDEX.identity?.vault ?? '' }),
    stakeEvent(3),
  ];
  const stakesOf = (amount: bigint) => ({
    entries: [openedStake(1, { amount })],
    ended: [],
    transactionCounts: new Map(),
  });

  it('changes at each stake and unstake, ends at the current stake, and can be limited to a range', async () => {
    const { stake } = await start(events, (index) => {
      index.storedStakes = stakesOf(1_999_999_500_000n);
    });
    const points = [
      { at: '2025-12-29T00:00:00.000Z', staked: '2000000' },
      { at: '2025-12-31T00:00:00.000Z', staked: '1999999.5' },
    ];
    expect(await stake()).toMatchObject({ staked: '1999999.5', points, unknownFor: null, slot: 4_242 });
    expect((await stake('&from=2025-12-30')).points).toEqual(points);
    expect((await stake('&to=2025-12-30')).points).toEqual(points.slice(0, 1));
  });

  it('is unknown, not wrong, while the events do not add up to the current stake', async () => {
    const { stake } = await start(events, (index) => {
      index.storedStakes = stakesOf(2_000_000_000_000n);
    });
    expect(await stake()).toMatchObject({ staked: '2000000', points: null, unknownFor: 'no-match' });
  });

  it('is unknown, with a separate reason, if there are too many events', async () => {
    const { index, stake } = await start(events);
    const read = await index.walletEvents(wallet, 9, null);
    const manyEvents = Array.from({ length: MAX_EVENTS_CHARTED / 4 }, () => read.events[0] ?? []).flat();
    const [last] = manyEvents;
    if (!last) throw new Error('The wallet has no events.');
    vi.spyOn(index, 'walletEvents').mockResolvedValue({ events: manyEvents, next: last });
    expect(await stake()).toMatchObject({ points: null, unknownFor: 'too-many-events' });
  });
});
