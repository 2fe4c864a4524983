import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HISTORY_RESOLUTIONS, type IndexReader, type IndexWriter } from './ports.ts';
import { ADAPTERS } from './testing/adapters.ts';
import { type ChartWorld, DAY, HOUR, MINUTE, openChartWorld, START } from './testing/chart-world.ts';
import { beginOf, cutBefore, KEPT_MS, type Sample, sampled, valueAt } from './testing/plain-charts.ts';
import { sampleEntry, sampleQuote, sampleSnapshot } from './testing/sample-rows.ts';

describe.each(ADAPTERS)('the history for charts in $name', ({ open }) => {
  let writer: IndexWriter;
  let reader: IndexReader;
  let stand: ChartWorld['stand'];
  let values: ChartWorld['values'];
  let dispose: ChartWorld['dispose'];
  const openWorld = async () => {
    ({ writer, reader, stand, values, dispose } = await openChartWorld(open));
  };
  beforeEach(openWorld);
  afterEach(() => dispose());

  describe('samples', () => {
    it('keep the last value of each interval, and nothing where it stays the same', async () => {
      for (const [minutes, balance] of [
        [0, 1n],
        [0.5, 2n],
        [1, 2n],
        [59, 3n],
        [61, 3n],
        [90, 4n],
      ] as const) {
        await stand(START + minutes * MINUTE, { vaultBalance: balance });
      }
      expect(await values('vault', 'minute', 0)).toEqual([
        [0, '2'],
        [59 * MINUTE, '3'],
        [90 * MINUTE, '4'],
      ]);
      expect(await values('vault', 'hour', 0)).toEqual([
        [0, '3'],
        [HOUR, '4'],
      ]);
      expect(await values('vault', 'day', 0)).toEqual([[0, '4']]);
      expect(await values('staked', 'minute', 0)).toHaveLength(1);
    });

    it('count wallets, not entries, as stakers', async () => {
      const entries = ['a', 'b', 'c'].map((address, nonce) =>
        sampleEntry(address, { wallet: nonce < 2 ? 'one' : 'other', nonce }),
      );
      await stand(START, { entries });
      expect(await values('stakers', 'day', 0)).toEqual([[0, '2']]);
    });

    it('of a snapshot that is older than the stored one are not taken', async () => {
      const slot = await stand(START, { vaultBalance: 1n });
      await writer.commitSnapshot(sampleSnapshot(slot - 1, { readAt: START + HOUR, vaultBalance: 9n }));
      expect(await values('vault', 'hour', 0)).toEqual([[0, '1']]);
    });

    it('are read from a moment on, with the last one before it', async () => {
      for (const hour of [0, 1, 5]) await stand(START + hour * HOUR, { vaultBalance: BigInt(hour) });
      expect(await values('vault', 'hour', START + 3 * HOUR)).toEqual([
        [HOUR, '1'],
        [5 * HOUR, '5'],
      ]);
      expect(await values('vault', 'hour', START + 9 * HOUR)).toEqual([[5 * HOUR, '5']]);
      expect(await values('vault', 'hour', START)).toHaveLength(3);
    });

    it('of a price are not changed by a quote that is older than the stored one', async () => {
      await writer.commitQuote(sampleQuote('0.1', START));
      await writer.commitQuote(sampleQuote('0.2', START + MINUTE));
      await writer.commitQuote(sampleQuote('9', START + MINUTE - 1));
      expect((await reader.latestSnapshot(0)).quote?.priceUsd).toBe('0.2');
      expect(await values('price', 'minute', 0)).toEqual([
        [0, '0.1'],
        [MINUTE, '0.2'],
      ]);
    });

    it('of a price go on after one whose clock was ahead', async () => {
      await writer.commitQuote(sampleQuote('9', Date.now() + DAY));
      await writer.commitQuote(sampleQuote('0.1', START));
      expect((await reader.latestSnapshot(0)).quote).toMatchObject({ priceUsd: '0.1', readAt: START });
    });

    it('of a made-up price never stand among those of a market', async () => {
      expect(await reader.history('price', 'minute', 0)).toEqual([]);
      await writer.commitQuote(sampleQuote('0.1', START));
      await writer.commitQuote(sampleQuote('0.2', START + 1, 'dexscreener'));
      await writer.commitQuote(sampleQuote('0.3', START + MINUTE, 'jupiter'));
      expect(await values('price', 'minute', 0)).toEqual([
        [0, '0.2'],
        [MINUTE, '0.3'],
      ]);
      const feeds = (await reader.history('price', 'minute', 0)).map(({ source }) => source);
      expect(feeds).toEqual(['dexscreener', 'jupiter']);
      await writer.commitQuote(sampleQuote('0.10', START + HOUR));
      expect(await values('price', 'minute', 0)).toEqual([
        [0, '0.1'],
        [HOUR, '0.10'],
      ]);
    });
  });

  it('is at any time what the samples say, cut where it is old', async () => {
    const step = fc.record({
      later: fc.oneof(fc.nat(90_000), fc.nat(5 * HOUR), fc.nat(60 * DAY)),
      balance: fc.bigInt({ min: 0n, max: 3n }),
      stakers: fc.nat(2),
      price: fc.constantFrom('1.5', '2'),
      source: fc.constantFrom('demo', 'dexscreener', 'jupiter'),
      rollUp: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        await dispose();
        await openWorld();
        const told = {
          vault: [] as Sample[],
          stakers: [] as Sample[],
          demo: [] as Sample[],
          market: [] as Sample[],
        };
        let now = START;
        let lastSource = '';
        const cuts = {
          minute: Number.NEGATIVE_INFINITY,
          hour: Number.NEGATIVE_INFINITY,
          day: Number.NEGATIVE_INFINITY,
        };
        for (const { later, balance, stakers, price, source, rollUp } of steps) {
          now += later;
          lastSource = source;
          const entries = Array.from({ length: stakers }, (_, index) => sampleEntry(String(index)));
          await stand(now, { vaultBalance: balance, entries });
          await writer.commitQuote(sampleQuote(price, now, source));
          told.vault.push({ at: now, value: String(balance) });
          told.stakers.push({ at: now, value: String(stakers) });
          told[source === 'demo' ? 'demo' : 'market'].push({ at: now, value: price });
          if (!rollUp) continue;
          await writer.rollUpHistory(now);
          for (const resolution of HISTORY_RESOLUTIONS) cuts[resolution] = now - KEPT_MS[resolution];
        }
        for (const resolution of HISTORY_RESOLUTIONS) {
          const prices = lastSource === 'demo' ? told.demo : told.market;
          for (const [series, samples] of [
            ['vault', told.vault],
            ['stakers', told.stakers],
            ['price', prices],
          ] as const) {
            const points = await reader.history(series, resolution, 0);
            const stored = points.map(({ at, value }) => ({ at, value }));
            expect(stored).toEqual(cutBefore(sampled(samples, resolution), cuts[resolution]));
            for (const { at } of samples) {
              if (at < cuts[resolution]) continue;
              const stood = samples.findLast((one) => beginOf(one.at, resolution) <= beginOf(at, resolution));
              expect(valueAt(points, at, resolution)).toBe(stood?.value);
            }
            expect(points.at(-1)?.value).toBe(samples.at(-1)?.value);
          }
        }
      }),
      { numRuns: 40, interruptAfterTimeLimit: 20_000 },
    );
  });

  it('stays bounded: minutes go after two days and hours after a hundred, however often it is rolled up', async () => {
    for (let index = 0; index < 200; index += 1) {
      await stand(START + index * 30 * MINUTE, { vaultBalance: BigInt(index) });
    }
    const now = START + 200 * 30 * MINUTE;
    await writer.rollUpHistory(now);
    const once = await reader.history('vault', 'minute', 0);
    expect(once).toHaveLength(97);
    await writer.rollUpHistory(now);
    expect(await reader.history('vault', 'minute', 0)).toEqual(once);
    expect(await reader.history('vault', 'hour', 0)).toHaveLength(100);
    await writer.rollUpHistory(now + 101 * DAY);
    expect(await values('vault', 'hour', 0)).toEqual([[99 * HOUR, '199']]);
    expect(await reader.history('vault', 'day', 0)).toHaveLength(5);
  });
});
