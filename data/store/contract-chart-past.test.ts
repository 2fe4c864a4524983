import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainEvent } from './chain-rows.ts';
import type { IndexReader, IndexWriter } from './ports.ts';
import { ADAPTERS } from './testing/adapters.ts';
import { type ChartWorld, DAY, HOUR, MINUTE, openChartWorld, START } from './testing/chart-world.ts';
import { past, type Sample, sampled, stakerCounts } from './testing/plain-charts.ts';
import {
  batchOf,
  IDENTITY,
  sampleEntry,
  sampleEvent,
  sampleQuote,
  sampleSnapshot,
} from './testing/sample-rows.ts';

describe.each(ADAPTERS)('the charts’ past in $name', ({ open }) => {
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

  describe('of the time before the first sample', () => {
    const deposit = (second: number, at: number, changes: Partial<ChainEvent> = {}) =>
      sampleEvent(second, { blockTime: at, ...changes });
    const staking = (second: number, at: number, changes: Partial<ChainEvent>) =>
      sampleEvent(second, {
        account: IDENTITY.poolVault,
        signature: `pool-${second}`,
        blockTime: at,
        ...changes,
      });
    /** Two deposits and one stake, a day before a snapshot that they explain. */
    const readEvents = async (vaultUntil?: number) => {
      await writer.commitEvents(
        batchOf([deposit(1, START - 200 * DAY), deposit(2, START - 26 * HOUR)], vaultUntil),
      );
      const stake = staking(3, START - 25 * HOUR, {
        kind: 'stake',
        delta: 70n,
        wallet: 'w',
        stakeEntry: 'e',
      });
      await writer.commitEvents(batchOf([stake], START));
    };
    const explained = (at: number, changes: Parameters<typeof sampleSnapshot>[1] = {}) =>
      stand(at, {
        vaultBalance: 2_000n,
        totalStaked: 70n,
        poolVaultBalance: 70n,
        entries: [sampleEntry('e')],
        ...changes,
      });
    const readAll = async () => {
      await readEvents(START);
      await explained(START);
    };

    it('is filled from the events, hours for a hundred days and days before that', async () => {
      await readAll();
      expect(await writer.fillHistory()).toBe(true);
      expect(await values('vault', 'day', 0)).toEqual([
        [-200 * DAY, '1000'],
        [-2 * DAY, '2000'],
        [0, '2000'],
      ]);
      expect(await values('vault', 'hour', 0)).toEqual([
        [-200 * DAY, '1000'],
        [-26 * HOUR, '2000'],
        [0, '2000'],
      ]);
      expect(await values('staked', 'hour', 0)).toEqual([
        [-25 * HOUR, '70'],
        [0, '70'],
      ]);
      expect(await values('stakers', 'hour', 0)).toEqual([
        [-25 * HOUR, '1'],
        [0, '1'],
      ]);
      expect(await values('vault', 'minute', 0)).toEqual([[0, '2000']]);
      const before = await values('vault', 'hour', 0);
      await writer.commitEvents(batchOf([deposit(500, START + HOUR)], START + HOUR));
      expect(await writer.fillHistory()).toBe(true);
      expect(await values('vault', 'hour', 0)).toEqual(before);
    });

    it.each<[string, () => Promise<unknown>]>([
      ['there is no snapshot', async () => {}],
      [
        'a history is not read to its end, though it makes what the snapshot holds',
        async () => {
          await readEvents();
          await explained(START);
        },
      ],
      [
        'a history is not read at all',
        async () => {
          await writer.commitEvents(batchOf([deposit(1, START - DAY), deposit(2, START - HOUR)], START));
          await explained(START);
        },
      ],
      [
        'the vault’s events do not make what the snapshot holds',
        async () => {
          await readEvents(START);
          await explained(START, { vaultBalance: 2_001n });
        },
      ],
      [
        'the pool’s events do not make what the snapshot holds',
        async () => {
          await readEvents(START);
          await explained(START, { totalStaked: 71n });
        },
      ],
      [
        'the latest reconciliation found a difference',
        async () => {
          await readAll();
          const differences = [{ what: 'vault.balance', onChain: 1n, indexed: 2n }];
          await writer.commitReconciliation({ slot: 1, at: START, differences });
        },
      ],
      [
        'a transaction is in quarantine',
        async () => {
          await readAll();
          const { signature, account, slot: place, position } = staking(3, 0, {});
          await writer.commitEvents({
            account,
            events: [],
            quarantined: [
              {
                signature: `${signature}-x`,
                account,
                slot: place,
                position,
                blockTime: null,
                reason: 'r',
                since: 1,
              },
            ],
            cursor: { account, signature: `${signature}-x`, slot: place, position },
          });
        },
      ],
      [
        'an event of it is provisional',
        async () => {
          await readAll();
          const late = deposit(2, START - 26 * HOUR, {
            signature: 'late',
            delta: 0n,
            kind: 'other',
            status: 'confirmed',
          });
          await writer.commitEvents(batchOf([late]));
        },
      ],
    ])('is not filled while %s', async (_, begin) => {
      await begin();
      const before = await values('vault', 'day', 0);
      expect(await writer.fillHistory()).toBe(false);
      expect(await values('vault', 'day', 0)).toEqual(before);
    });

    it('stays filled once it was, whatever is found later', async () => {
      await readAll();
      await writer.fillHistory();
      const before = await values('vault', 'hour', 0);
      const differences = [{ what: 'vault.balance', onChain: 1n, indexed: 2n }];
      await writer.commitReconciliation({ slot: 1, at: START, differences });
      expect(await writer.fillHistory()).toBe(true);
      expect(await values('vault', 'hour', 0)).toEqual(before);
    });

    it('is not filled where it is no longer sure once it was read', async () => {
      await readAll();
      const before = await values('vault', 'hour', 0);
      const filling = writer.fillHistory();
      const differences = [{ what: 'vault.balance', onChain: 1n, indexed: 2n }];
      await writer.commitReconciliation({ slot: 1, at: START, differences });
      expect(await filling).toBe(false);
      expect(await values('vault', 'hour', 0)).toEqual(before);
    });

    it('takes no count of stakers from events that do not make the one of the snapshot', async () => {
      await readAll();
      await dispose();
      await openWorld();
      const stake = staking(3, START - 25 * HOUR, { kind: 'stake', delta: 70n, wallet: null });
      await writer.commitEvents(batchOf([stake], START));
      await writer.commitEvents({ account: IDENTITY.vault, events: [], cursor: null, caughtUpAt: START });
      await stand(START, { vaultBalance: 0n, totalStaked: 70n, entries: [sampleEntry('e')] });
      expect(await writer.fillHistory()).toBe(true);
      expect(await values('staked', 'day', 0)).toHaveLength(2);
      expect(await values('stakers', 'day', 0)).toEqual([[0, '1']]);
    });

    it('takes prices of the same kind of source, up to its first quote', async () => {
      const points = [-3 * HOUR, -2 * DAY, 5 * HOUR].map((at) => ({ at: START + at, value: `${at}` }));
      expect(await writer.fillHistory({ source: 'demo', points })).toBe(false);
      await writer.commitQuote(sampleQuote('9', START, 'jupiter'));
      expect(await writer.fillHistory({ source: 'demo', points })).toBe(false);
      await writer.fillHistory({ source: 'dexscreener', points });
      await writer.fillHistory({ source: 'dexscreener', points: [{ at: START - 9 * HOUR, value: '1' }] });
      expect(await values('price', 'hour', 0)).toEqual([
        [-2 * DAY, `${-2 * DAY}`],
        [-3 * HOUR, `${-3 * HOUR}`],
        [0, '9'],
      ]);
    });

    it('is exactly what a replay of every event gives', async () => {
      const movement = fc.record({
        later: fc.oneof(fc.nat(20 * MINUTE), fc.nat(3 * DAY), fc.nat(40 * DAY)),
        isTimed: fc.boolean(),
        wallet: fc.constantFrom('a', 'b', 'c'),
        kind: fc.constantFrom('deposit' as const, 'withdraw' as const, 'stake' as const, 'unstake' as const),
        amount: fc.bigInt({ min: 1n, max: 5n }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(movement, { minLength: 1, maxLength: 30 }),
          fc.double({ min: 0, max: 1, noNaN: true }),
          async (movements, share) => {
            await dispose();
            await openWorld();
            let at = START;
            const held: { entry: string; wallet: string; delta: bigint }[] = [];
            const events = movements.flatMap(
              ({ later, isTimed, wallet, kind, amount }, index): ChainEvent[] => {
                at += later;
                const blockTime = isTimed || index === 0 ? at : null;
                const place = { signature: `s${index}`, blockTime };
                if (kind === 'deposit') return [sampleEvent(index, { ...place, delta: amount })];
                if (kind === 'withdraw') return [sampleEvent(index, { ...place, kind, delta: -amount })];
                const of = { ...place, account: IDENTITY.poolVault };
                if (kind === 'stake') {
                  const one = { entry: `entry of ${index}`, wallet, delta: amount };
                  held.push(one);
                  return [sampleEvent(index, { ...of, kind, wallet, delta: amount, stakeEntry: one.entry })];
                }
                const [ending] = held.splice(0, 1);
                if (ending === undefined) return [];
                const { entry: stakeEntry, delta } = ending;
                return [
                  sampleEvent(index, { ...of, kind, wallet: ending.wallet, delta: -delta, stakeEntry }),
                ];
              },
            );
            const of = (account: string) => events.filter((event) => event.account === account);
            const until = movements.length * share;
            const first = events.filter((event) => event.slot <= until);
            const net = (all: readonly ChainEvent[]) => all.reduce((total, { delta }) => total + delta, 0n);
            const firstOf = (account: string) => first.filter((event) => event.account === account);
            const pool = firstOf(IDENTITY.poolVault);
            const counts = stakerCounts(pool);
            // The snapshot is taken at its slot, a while after the last event before it.
            const times = first.map(({ blockTime }) => blockTime ?? 0);
            const sampleAt = Math.max(START, ...times) + MINUTE;
            await writer.commitSnapshot(
              sampleSnapshot(Math.floor(until), {
                readAt: sampleAt,
                vaultBalance: net(firstOf(IDENTITY.vault)),
                totalStaked: net(pool),
                poolVaultBalance: net(pool),
                entries: Array.from({ length: counts.at(-1) ?? 0 }, (_, index) => sampleEntry(String(index))),
              }),
            );
            for (const account of [IDENTITY.vault, IDENTITY.poolVault]) {
              const all = of(account);
              const caughtUpAt = at + DAY;
              await writer.commitEvents(
                all.length > 0 ? batchOf(all, caughtUpAt) : { account, events: [], cursor: null, caughtUpAt },
              );
            }
            expect(await writer.fillHistory()).toBe(true);

            const timed = (
              all: readonly ChainEvent[],
              told: (index: number) => bigint | number,
            ): Sample[] => {
              let time: number | null = null;
              return all.flatMap(({ blockTime }, index) => {
                time = blockTime === null ? time : Math.max(time ?? blockTime, blockTime);
                return time === null ? [] : [{ at: time, value: String(told(index)) }];
              });
            };
            const netOf = (all: readonly ChainEvent[]) => (index: number) => net(all.slice(0, index + 1));
            for (const resolution of ['hour', 'day'] as const) {
              const live = (value: bigint | number) =>
                sampled([{ at: sampleAt, value: String(value) }], resolution);
              const vault = firstOf(IDENTITY.vault);
              expect(await reader.history('vault', resolution, 0)).toEqual([
                ...past(timed(vault, netOf(vault)), resolution, sampleAt),
                ...live(net(vault)),
              ]);
              expect(await reader.history('staked', resolution, 0)).toEqual([
                ...past(timed(pool, netOf(pool)), resolution, sampleAt),
                ...live(net(pool)),
              ]);
              expect(await reader.history('stakers', resolution, 0)).toEqual([
                ...past(
                  timed(pool, (index) => counts[index] ?? 0),
                  resolution,
                  sampleAt,
                ),
                ...live(counts.at(-1) ?? 0),
              ]);
            }
          },
        ),
        { numRuns: 40, interruptAfterTimeLimit: 20_000 },
      );
    });
  });
});
