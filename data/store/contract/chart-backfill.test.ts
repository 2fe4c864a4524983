// @module-tag slow
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainEvent } from '../chain-rows.ts';
import {
  type ChartStore,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  openChartStore,
  START,
} from '../testing/chart-store.ts';
import { pastPoints, type Sample, samplePoints, stakerCounts } from '../testing/reference-charts.ts';
import {
  IDENTITY,
  sampleBatch,
  sampleEntry,
  sampleEvent,
  sampleQuote,
  sampleSnapshot,
} from '../testing/sample-rows.ts';
import { PROPERTY_RUNS } from '../testing/test-stores.ts';

const deposit = (second: number, at: number, changes: Partial<ChainEvent> = {}) =>
  sampleEvent(second, { blockTime: at, ...changes });
const poolEvent = (second: number, at: number, changes: Partial<ChainEvent>) =>
  sampleEvent(second, {
    account: IDENTITY.poolVault,
    signature: `pool-${second}`,
    blockTime: at,
    ...changes,
  });
const DIFFERENCES = [{ what: 'vault.balance', onChain: 1n, indexed: 2n }];

describe('the charts before the first sample', () => {
  let charts: ChartStore;
  beforeEach(async () => {
    charts = await openChartStore();
  });
  afterEach(() => charts.dispose());

  const commitEvents = async (vaultCaughtUpAt?: number) => {
    const deposits = [deposit(1, START - 200 * DAY_MS), deposit(2, START - 26 * HOUR_MS)];
    await charts.writer.commitEvents(sampleBatch(deposits, vaultCaughtUpAt));
    const stake = { kind: 'stake', delta: 70n, wallet: 'w', stakeEntry: 'e' } as const;
    await charts.writer.commitEvents(sampleBatch([poolEvent(3, START - 25 * HOUR_MS, stake)], START));
  };
  /** Commits a snapshot whose amounts equal the sums of the events in `commitEvents`. */
  const commitSnapshot = (changes: Parameters<typeof sampleSnapshot>[1] = {}) =>
    charts.commitSnapshotAt(START, {
      vaultBalance: 2_000n,
      totalStaked: 70n,
      poolVaultBalance: 70n,
      entries: [sampleEntry('e')],
      ...changes,
    });
  const commitAll = async () => {
    await commitEvents(START);
    await commitSnapshot();
  };
  const reconcile = (differences = DIFFERENCES) =>
    charts.writer.commitReconciliation({ slot: 1, at: START, differences });

  it('are backfilled from events: hourly for the last 100 days, daily before that', async () => {
    const { writer, points } = charts;
    await commitAll();
    expect(await writer.fillHistory()).toBe(true);
    expect(await points('vault', 'day', 0)).toEqual([
      [-200 * DAY_MS, '1000'],
      [-2 * DAY_MS, '2000'],
      [0, '2000'],
    ]);
    const hours = await points('vault', 'hour', 0);
    expect(hours).toEqual([
      [-200 * DAY_MS, '1000'],
      [-26 * HOUR_MS, '2000'],
      [0, '2000'],
    ]);
    expect(await points('staked', 'hour', 0)).toEqual([
      [-25 * HOUR_MS, '70'],
      [0, '70'],
    ]);
    expect(await points('stakers', 'hour', 0)).toEqual([
      [-25 * HOUR_MS, '1'],
      [0, '1'],
    ]);
    expect(await points('vault', 'minute', 0)).toEqual([[0, '2000']]);
    await writer.commitEvents(sampleBatch([deposit(500, START + HOUR_MS)], START + HOUR_MS));
    await reconcile();
    expect(await writer.fillHistory()).toBe(true);
    expect(await points('vault', 'hour', 0)).toEqual(hours);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['there is no snapshot', async () => {}],
    [
      'a history is not caught up, although it adds up to the snapshot',
      async () => {
        await commitEvents();
        await commitSnapshot();
      },
    ],
    [
      'a history is not indexed',
      async () => {
        const deposits = [deposit(1, START - DAY_MS), deposit(2, START - HOUR_MS)];
        await charts.writer.commitEvents(sampleBatch(deposits, START));
        await commitSnapshot();
      },
    ],
    [
      'the vault’s events do not add up to the snapshot',
      async () => {
        await commitEvents(START);
        await commitSnapshot({ vaultBalance: 2_001n });
      },
    ],
    [
      'the pool’s events do not add up to the snapshot',
      async () => {
        await commitEvents(START);
        await commitSnapshot({ totalStaked: 71n });
      },
    ],
    [
      'the latest reconciliation has a difference',
      async () => {
        await commitAll();
        await reconcile();
      },
    ],
    [
      'a transaction is quarantined',
      async () => {
        await commitAll();
        const position = { account: IDENTITY.poolVault, signature: 'unread', slot: 3, position: 0 };
        const quarantined = { ...position, blockTime: null, reason: 'r', since: 1 };
        const { account } = position;
        await charts.writer.commitEvents({
          account,
          events: [],
          quarantined: [quarantined],
          cursor: position,
        });
      },
    ],
    [
      'an event is provisional',
      async () => {
        await commitAll();
        const changes = { signature: 'late', delta: 0n, kind: 'other', status: 'confirmed' } as const;
        const provisional = { events: [deposit(6, START - 26 * HOUR_MS, changes)] };
        await charts.writer.commitEvents({ account: IDENTITY.vault, events: [], cursor: null, provisional });
      },
    ],
  ])('are not backfilled while %s', async (_, prepare) => {
    await prepare();
    const before = await charts.points('vault', 'day', 0);
    expect(await charts.writer.fillHistory()).toBe(false);
    expect(await charts.points('vault', 'day', 0)).toEqual(before);
  });

  it('are not backfilled if a reconciliation finds a difference during the replay', async () => {
    await commitAll();
    const before = await charts.points('vault', 'hour', 0);
    const filling = charts.writer.fillHistory();
    await reconcile();
    expect(await filling).toBe(false);
    expect(await charts.points('vault', 'hour', 0)).toEqual(before);
  });

  it('are backfilled without the staker count if it would differ from the snapshot’s', async () => {
    const { writer, points } = charts;
    const stake = poolEvent(3, START - 25 * HOUR_MS, { kind: 'stake', delta: 70n, wallet: null });
    await writer.commitEvents(sampleBatch([stake], START));
    await writer.commitEvents({ account: IDENTITY.vault, events: [], cursor: null, caughtUpAt: START });
    await commitSnapshot({ vaultBalance: 0n });
    expect(await writer.fillHistory()).toBe(true);
    expect(await points('staked', 'day', 0)).toHaveLength(2);
    expect(await points('stakers', 'day', 0)).toEqual([[0, '1']]);
  });

  it('are backfilled once, up to the first quote, with prices of its kind: demo or market', async () => {
    const { writer } = charts;
    const points = [-3 * HOUR_MS, -2 * DAY_MS, 5 * HOUR_MS].map((at) => ({ at: START + at, value: `${at}` }));
    expect(await writer.fillHistory({ source: 'demo', points })).toBe(false);
    await writer.commitQuote(sampleQuote('9', START, 'jupiter'));
    expect(await writer.fillHistory({ source: 'demo', points })).toBe(false);
    await writer.fillHistory({ source: 'dexscreener', points });
    await writer.fillHistory({ source: 'dexscreener', points: [{ at: START - 9 * HOUR_MS, value: '1' }] });
    expect(await charts.points('price', 'hour', 0)).toEqual([
      [-2 * DAY_MS, `${-2 * DAY_MS}`],
      [-3 * HOUR_MS, `${-3 * HOUR_MS}`],
      [0, '9'],
    ]);
  });

  it('equal the reference computation for any events', async () => {
    const anyMovement = fc.record({
      elapsedMs: fc.oneof(fc.nat(20 * MINUTE_MS), fc.nat(3 * DAY_MS), fc.nat(40 * DAY_MS)),
      isTimed: fc.boolean(),
      wallet: fc.constantFrom('a', 'b', 'c'),
      kind: fc.constantFrom('deposit' as const, 'withdraw' as const, 'stake' as const, 'unstake' as const),
      amount: fc.bigInt({ min: 1n, max: 5n }),
    });
    type Movement = typeof anyMovement extends fc.Arbitrary<infer T> ? T : never;

    /** Turns movements into events. An unstake ends the oldest open stake, if there is one. */
    const eventsOf = (movements: readonly Movement[]): { events: ChainEvent[]; endedAt: number } => {
      let at = START;
      const open: { stakeEntry: string; wallet: string; delta: bigint }[] = [];
      const events = movements.flatMap(
        ({ elapsedMs, isTimed, wallet, kind, amount }, index): ChainEvent[] => {
          at += elapsedMs;
          const position = { signature: `s${index}`, blockTime: isTimed || index === 0 ? at : null };
          if (kind === 'deposit') return [sampleEvent(index, { ...position, delta: amount })];
          if (kind === 'withdraw') return [sampleEvent(index, { ...position, kind, delta: -amount })];
          const poolFields = { ...position, account: IDENTITY.poolVault, kind };
          if (kind === 'stake') {
            const stake = { stakeEntry: `entry of ${index}`, wallet, delta: amount };
            open.push(stake);
            return [sampleEvent(index, { ...poolFields, ...stake })];
          }
          const ended = open.shift();
          return ended ? [sampleEvent(index, { ...poolFields, ...ended, delta: -ended.delta })] : [];
        },
      );
      return { events, endedAt: at };
    };
    const netDelta = (events: readonly ChainEvent[]) =>
      events.reduce((total, { delta }) => total + delta, 0n);
    const timedSamples = (
      events: readonly ChainEvent[],
      figureAt: (index: number) => bigint | number,
    ): Sample[] => {
      let time: number | null = null;
      return events.flatMap(({ blockTime }, index) => {
        time = blockTime === null ? time : Math.max(time ?? blockTime, blockTime);
        return time === null ? [] : [{ at: time, value: String(figureAt(index)) }];
      });
    };
    const netOf = (events: readonly ChainEvent[]) => (index: number) => netDelta(events.slice(0, index + 1));

    await fc.assert(
      fc.asyncProperty(
        fc.array(anyMovement, { minLength: 1, maxLength: 30 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (movements, share) => {
          await charts.dispose();
          charts = await openChartStore();
          const { writer, reader } = charts;
          const { events, endedAt } = eventsOf(movements);
          const slot = Math.floor(movements.length * share);
          const before = events.filter((event) => event.slot <= slot);
          const [vault, pool] = [IDENTITY.vault, IDENTITY.poolVault].map((account) =>
            before.filter((event) => event.account === account),
          ) as [ChainEvent[], ChainEvent[]];
          const counts = stakerCounts(pool);
          const stakers = counts.at(-1) ?? 0;
          const times = before.map(({ blockTime }) => blockTime ?? 0);
          const sampleAt = Math.max(START, ...times) + MINUTE_MS;
          await writer.commitSnapshot(
            sampleSnapshot(slot, {
              readAt: sampleAt,
              vaultBalance: netDelta(vault),
              totalStaked: netDelta(pool),
              poolVaultBalance: netDelta(pool),
              entries: Array.from({ length: stakers }, (_, index) => sampleEntry(String(index))),
            }),
          );
          const caughtUpAt = endedAt + DAY_MS;
          for (const account of [IDENTITY.vault, IDENTITY.poolVault]) {
            const all = events.filter((event) => event.account === account);
            await writer.commitEvents(
              all.length > 0
                ? sampleBatch(all, caughtUpAt)
                : { account, events: [], cursor: null, caughtUpAt },
            );
          }
          expect(await writer.fillHistory()).toBe(true);

          for (const resolution of ['hour', 'day'] as const) {
            for (const [series, values, sample] of [
              ['vault', timedSamples(vault, netOf(vault)), netDelta(vault)],
              ['staked', timedSamples(pool, netOf(pool)), netDelta(pool)],
              ['stakers', timedSamples(pool, (index) => counts[index] ?? 0), stakers],
            ] as const) {
              expect(await reader.history(series, resolution, 0)).toEqual([
                ...pastPoints(values, resolution, sampleAt),
                ...samplePoints([{ at: sampleAt, value: String(sample) }], resolution),
              ]);
            }
          }
        },
      ),
      PROPERTY_RUNS,
    );
  });
});
