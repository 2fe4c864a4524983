import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HISTORY_RESOLUTIONS } from '../ports.ts';
import {
  type ChartStore,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  openChartStore,
  START,
} from '../testing/chart-store.ts';
import {
  dropBefore,
  intervalStart,
  RETENTION_MS,
  type Sample,
  samplePoints,
  valueAt,
} from '../testing/reference-charts.ts';
import { sampleEndpoint, sampleEntry, sampleQuote, sampleSnapshot } from '../testing/sample-rows.ts';
import { PROPERTY_RUNS } from '../testing/test-stores.ts';

describe('charts', () => {
  let charts: ChartStore;
  beforeEach(async () => {
    charts = await openChartStore();
  });
  afterEach(() => charts.dispose());

  it('keep the last value of each interval, and no repeated value', async () => {
    for (const [minutes, balance] of [
      [0, 1n],
      [0.5, 2n],
      [1, 2n],
      [59, 3n],
      [61, 3n],
      [90, 4n],
    ] as const) {
      await charts.commitSnapshotAt(START + minutes * MINUTE_MS, { vaultBalance: balance });
    }
    expect(await charts.points('vault', 'minute', 0)).toEqual([
      [0, '2'],
      [59 * MINUTE_MS, '3'],
      [90 * MINUTE_MS, '4'],
    ]);
    expect(await charts.points('vault', 'hour', 0)).toEqual([
      [0, '3'],
      [HOUR_MS, '4'],
    ]);
    expect(await charts.points('vault', 'day', 0)).toEqual([[0, '4']]);
    expect(await charts.points('staked', 'minute', 0)).toHaveLength(1);
  });

  it('ignore a snapshot that is older than the stored one', async () => {
    const slot = await charts.commitSnapshotAt(START, { vaultBalance: 1n });
    const older = sampleSnapshot(slot - 1, { readAt: START + HOUR_MS, vaultBalance: 9n });
    await charts.writer.commitSnapshot(older);
    expect(await charts.points('vault', 'hour', 0)).toEqual([[0, '1']]);
  });

  it('are read from a given time on, preceded by the last point before it', async () => {
    for (const hour of [0, 1, 5]) {
      await charts.commitSnapshotAt(START + hour * HOUR_MS, { vaultBalance: BigInt(hour) });
    }
    expect(await charts.points('vault', 'hour', START + 3 * HOUR_MS)).toEqual([
      [HOUR_MS, '1'],
      [5 * HOUR_MS, '5'],
    ]);
    expect(await charts.points('vault', 'hour', START + 9 * HOUR_MS)).toEqual([[5 * HOUR_MS, '5']]);
    expect(await charts.points('vault', 'hour', START)).toHaveLength(3);
  });

  it('ignore a quote that is older than the stored one, unless the stored one is from the future', async () => {
    const { writer, reader } = charts;
    const latestQuote = async () => (await reader.latestSnapshot(0)).quote;
    await writer.commitQuote(sampleQuote('9', Date.now() + DAY_MS));
    await writer.commitQuote(sampleQuote('0.1', START));
    expect(await latestQuote()).toMatchObject({ priceUsd: '0.1', readAt: START });
    await writer.commitQuote(sampleQuote('0.2', START + MINUTE_MS));
    await writer.commitQuote(sampleQuote('9', START + MINUTE_MS - 1));
    expect((await latestQuote())?.priceUsd).toBe('0.2');
    expect((await charts.points('price', 'minute', 0)).slice(0, 2)).toEqual([
      [0, '0.1'],
      [MINUTE_MS, '0.2'],
    ]);
  });

  it('use the time of the chain while the clock of the host is behind it', async () => {
    const { writer, reader } = charts;
    await charts.commitSnapshotAt(START);
    await writer.reportEndpoints([sampleEndpoint('a.example.com', { active: true })], START);
    for (const at of [0, MINUTE_MS]) {
      await writer.commitQuote(sampleQuote('0.2', at));
      await writer.reportEndpoints([sampleEndpoint('a.example.com')], at);
    }
    // `endpointsReportedAt` is the host's time, because the API compares it with the host's clock.
    expect((await reader.latestSnapshot(0)).endpointsReportedAt).toBe(MINUTE_MS);
    expect(await charts.points('network', 'day', 0)).toEqual([[0, '0.000']]);
    expect(await charts.points('network', 'minute', 0)).toEqual([[0, '0.000']]);
    expect(await charts.points('price', 'day', 0)).toEqual([[0, '0.2']]);
  });

  it('never mix demo prices with market prices', async () => {
    const { writer, reader } = charts;
    expect(await reader.history('price', 'minute', 0)).toEqual([]);
    await writer.commitQuote(sampleQuote('0.1', START));
    await writer.commitQuote(sampleQuote('0.2', START + 1, 'dexscreener'));
    await writer.commitQuote(sampleQuote('0.3', START + MINUTE_MS, 'jupiter'));
    expect(await reader.history('price', 'minute', 0)).toEqual([
      { at: START, value: '0.2', source: 'dexscreener' },
      { at: START + MINUTE_MS, value: '0.3', source: 'jupiter' },
    ]);
    await writer.commitQuote(sampleQuote('0.10', START + HOUR_MS));
    expect(await charts.points('price', 'minute', 0)).toEqual([
      [0, '0.1'],
      [HOUR_MS, '0.10'],
    ]);
  });

  it('have the volume from the feed, and an empty value while the feed provides none', async () => {
    const { writer } = charts;
    for (const [minute, volume24h, source] of [
      [0, '9', 'demo'],
      [1, '7.5', 'jupiter'],
      [2, '7.5', 'jupiter'],
      [3, null, 'jupiter'],
      [5, '8', 'dexscreener'],
    ] as const) {
      await writer.commitQuote({ ...sampleQuote('0.1', START + minute * MINUTE_MS, source), volume24h });
    }
    expect(await charts.points('volume', 'minute', 0)).toEqual([
      [MINUTE_MS, '7.5'],
      [3 * MINUTE_MS, ''],
      [5 * MINUTE_MS, '8'],
    ]);
  });

  it('show the lowest share of answering endpoints per interval, and a gap while the indexer was silent', async () => {
    const { writer, reader } = charts;
    const report = (minutes: number, ...answering: boolean[]) =>
      writer.reportEndpoints(
        answering.map((active, index) => sampleEndpoint(`${index}.example.com`, { active })),
        START + minutes * MINUTE_MS,
      );
    await report(0, true, true, true);
    await report(0.5, true, false, true);
    await report(0.9, true, true, true);
    await report(1, true, true, true);
    await report(2, true, true, true);
    await report(62.5, true, false);
    await report(63.5, false, false);
    await report(64);
    expect(await charts.points('network', 'minute', 0)).toEqual([
      [0, '0.666'],
      [MINUTE_MS, '1.000'],
      [3 * MINUTE_MS, ''],
      [62 * MINUTE_MS, ''],
      [63 * MINUTE_MS, '0.000'],
      [64 * MINUTE_MS, ''],
    ]);
    expect(await charts.points('network', 'hour', 0)).toEqual([
      [0, ''],
      [HOUR_MS, ''],
    ]);
    await report(64.5, true);
    await report(121, true);
    expect(await charts.points('network', 'hour', 0)).toEqual([
      [0, ''],
      [HOUR_MS, ''],
      [2 * HOUR_MS, ''],
    ]);
    await writer.deleteOldHistory(START + 50 * HOUR_MS);
    expect(await reader.history('network', 'minute', 0)).toHaveLength(2);
  });

  it('show the worst state of the network in each interval, for any reports', async () => {
    const step = fc.record({
      elapsedMs: fc.oneof(
        { weight: 5, arbitrary: fc.integer({ min: 1, max: MINUTE_MS }) },
        fc.integer({ min: MINUTE_MS + 1, max: 90 * MINUTE_MS }),
      ),
      active: fc.constantFrom([true], [true, false], [false], []),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        await charts.dispose();
        charts = await openChartStore();
        const states: (Sample & { until: number })[] = [];
        let now = START + DAY_MS - 10 * MINUTE_MS;
        for (const { elapsedMs, active } of steps) {
          now += elapsedMs;
          const last = states.at(-1);
          if (last) last.until = Math.min(now, last.at + MINUTE_MS);
          if (last && last.until < now) states.push({ at: last.until, value: '', until: now });
          const share = active.filter(Boolean).length / active.length;
          states.push({ at: now, value: active.length === 0 ? '' : share.toFixed(3), until: now });
          const health = active.map((one, index) => sampleEndpoint(`${index}.example.com`, { active: one }));
          await charts.writer.reportEndpoints(health, now);
        }
        for (const resolution of HISTORY_RESOLUTIONS) {
          const points = await charts.reader.history('network', resolution, 0);
          for (const { at: moment } of states) {
            const start = intervalStart(moment, resolution);
            const inInterval = states.filter(
              ({ at, until }) => intervalStart(at, resolution) <= start && until >= start,
            );
            const lowest = inInterval.map(({ value }) => value).toSorted()[0];
            expect(valueAt(points, moment, resolution)).toBe(lowest);
          }
        }
      }),
      PROPERTY_RUNS,
    );
  });

  it('equal the reference computation for any samples', async () => {
    const step = fc.record({
      elapsedMs: fc.oneof(fc.nat(90_000), fc.nat(5 * HOUR_MS), fc.nat(60 * DAY_MS)),
      balance: fc.bigInt({ min: 0n, max: 3n }),
      stakers: fc.nat(2),
      price: fc.constantFrom('1.5', '2'),
      source: fc.constantFrom('demo', 'dexscreener', 'jupiter'),
      deletesOld: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        await charts.dispose();
        charts = await openChartStore();
        const { writer, reader } = charts;
        const samples = { vault: [] as Sample[], stakers: [] as Sample[] };
        const prices = { demo: [] as Sample[], market: [] as Sample[] };
        let now = START;
        let priceKind: keyof typeof prices = 'demo';
        const cutoffs = {
          minute: Number.NEGATIVE_INFINITY,
          hour: Number.NEGATIVE_INFINITY,
          day: Number.NEGATIVE_INFINITY,
        };
        for (const { elapsedMs, balance, stakers, price, source, deletesOld } of steps) {
          now += elapsedMs;
          priceKind = source === 'demo' ? 'demo' : 'market';
          const entries = Array.from({ length: stakers }, (_, index) => sampleEntry(String(index)));
          await charts.commitSnapshotAt(now, { vaultBalance: balance, entries });
          await writer.commitQuote(sampleQuote(price, now, source));
          samples.vault.push({ at: now, value: String(balance) });
          samples.stakers.push({ at: now, value: String(stakers) });
          prices[priceKind].push({ at: now, value: price });
          if (!deletesOld) continue;
          await writer.deleteOldHistory(now);
          for (const resolution of HISTORY_RESOLUTIONS) cutoffs[resolution] = now - RETENTION_MS[resolution];
        }
        const expectedSamples = { ...samples, price: prices[priceKind] };
        for (const resolution of HISTORY_RESOLUTIONS) {
          for (const series of ['vault', 'stakers', 'price'] as const) {
            const points = await reader.history(series, resolution, 0);
            expect(points.map(({ at, value }) => ({ at, value }))).toEqual(
              dropBefore(samplePoints(expectedSamples[series], resolution), cutoffs[resolution]),
            );
            for (const { at } of expectedSamples[series].filter((one) => one.at >= cutoffs[resolution])) {
              const last = expectedSamples[series].findLast(
                (one) => intervalStart(one.at, resolution) <= intervalStart(at, resolution),
              );
              expect(valueAt(points, at, resolution)).toBe(last?.value);
            }
            expect(points.at(-1)?.value).toBe(expectedSamples[series].at(-1)?.value);
          }
        }
      }),
      PROPERTY_RUNS,
    );
  });

  it('stay bounded: minutes are deleted after two days, and hours after a hundred days', async () => {
    const { writer, reader } = charts;
    for (let index = 0; index < 200; index += 1) {
      await charts.commitSnapshotAt(START + index * 30 * MINUTE_MS, { vaultBalance: BigInt(index) });
    }
    const now = START + 200 * 30 * MINUTE_MS;
    await writer.deleteOldHistory(now);
    const afterFirst = await reader.history('vault', 'minute', 0);
    expect(afterFirst).toHaveLength(97);
    await writer.deleteOldHistory(now);
    expect(await reader.history('vault', 'minute', 0)).toEqual(afterFirst);
    expect(await reader.history('vault', 'hour', 0)).toHaveLength(100);
    await writer.deleteOldHistory(START + 100 * DAY_MS + 10 * HOUR_MS);
    expect(await reader.history('vault', 'hour', 0)).toHaveLength(91);
    await writer.deleteOldHistory(now + 101 * DAY_MS);
    expect(await charts.points('vault', 'hour', 0)).toEqual([[99 * HOUR_MS, '199']]);
    expect(await reader.history('vault', 'day', 0)).toHaveLength(5);
  });
});
