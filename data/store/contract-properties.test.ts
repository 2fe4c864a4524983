import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChainEvent, EventBatch } from './ports.ts';
import { ADAPTERS, type StoreWorld } from './testing/adapters.ts';
import { PlainIndex } from './testing/plain-index.ts';
import { IDENTITY, sampleSnapshot } from './testing/sample-rows.ts';

const ACCOUNTS = [IDENTITY.vault, IDENTITY.poolVault] as const;
const account = fc.constantFrom(...ACCOUNTS);
const LAST_SLOT = 40;

/** Few slots, positions and seconds, so that ties and out-of-order events abound. */
const movement = fc.record({
  slotsLater: fc.nat({ max: 3 }),
  position: fc.nat({ max: 2 }),
  blockTime: fc.option(fc.nat({ max: 60 }).map((seconds) => seconds * 1_000)),
  delta: fc.oneof(
    fc.bigInt({ min: -3n, max: 3n }),
    fc.bigInt({ min: -(2n ** 64n) + 1n, max: 2n ** 64n - 1n }),
  ),
  isFinal: fc.boolean(),
});
const caughtUpAt = fc.option(fc.nat(90_000));
const pick = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('follow' as const),
      account,
      movements: fc.array(movement, { maxLength: 6 }),
      caughtUpAt,
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('sendAgain' as const), pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('overlap' as const),
      account,
      from: pick,
      asFinal: fc.boolean(),
      movements: fc.array(movement, { maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('landAgain' as const),
      account,
      pick,
      slot: fc.nat({ max: LAST_SLOT }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('late' as const),
      account,
      slot: fc.nat({ max: LAST_SLOT }),
      movement,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('settle' as const),
      upTo: fc.nat({ max: LAST_SLOT }),
      vanishing: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('snapshot' as const),
      slot: fc.nat({ max: LAST_SLOT }),
      readAt: fc.nat({ max: 100_000 }),
      vaultBalance: fc.bigInt({ min: 0n, max: 6n }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('crash' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Movement = typeof movement extends fc.Arbitrary<infer T> ? T : never;

/** Turns steps into batches and settlements, as an indexer that meets forks, crashes and repeats would send them. */
class Script {
  readonly #model: PlainIndex;
  readonly #sent: EventBatch[] = [];
  readonly #tip = new Map<string, number>();
  #serial = 0;

  constructor(model: PlainIndex) {
    this.#model = model;
  }

  #event(of: string, slot: number, { position, blockTime, delta, isFinal }: Movement): ChainEvent {
    this.#serial += 1;
    const status = isFinal ? 'finalized' : 'confirmed';
    const kind = delta < 0n ? 'withdraw' : 'deposit';
    return {
      signature: `s${this.#serial}`,
      account: of,
      slot,
      position,
      blockTime,
      kind,
      wallet: null,
      delta,
      status,
    };
  }

  #events(of: string, movements: readonly Movement[]): ChainEvent[] {
    return movements.map((each) => {
      const slot = (this.#tip.get(of) ?? 0) + each.slotsLater;
      this.#tip.set(of, slot);
      return this.#event(of, slot, each);
    });
  }

  #batch(of: string, events: readonly ChainEvent[], reached?: number | null): EventBatch {
    const slot = Math.max(this.#tip.get(of) ?? 0, ...events.map((event) => event.slot));
    const last = events.at(-1);
    // A batch may end on a transaction that moved nothing.
    const signature = last?.slot === slot ? last.signature : `nothing-${this.#serial}-${slot}`;
    const batch = {
      account: of,
      events,
      cursor: { account: of, signature, slot },
      caughtUpAt: reached ?? null,
    };
    this.#sent.push(batch);
    return batch;
  }

  batchFor(next: Exclude<Step, { what: 'settle' | 'snapshot' | 'crash' }>): EventBatch | undefined {
    switch (next.what) {
      case 'follow':
        return this.#batch(next.account, this.#events(next.account, next.movements), next.caughtUpAt);
      case 'sendAgain':
        return this.#sent[Math.floor(next.pick * this.#sent.length)];
      case 'overlap': {
        const known = this.#model.history(next.account);
        const again = known
          .slice(Math.floor(next.from * known.length))
          .map((event) => (next.asFinal ? { ...event, status: 'finalized' as const } : event));
        return this.#batch(next.account, [...again, ...this.#events(next.account, next.movements)]);
      }
      case 'landAgain': {
        const known = this.#model.history(next.account);
        const event = known[Math.floor(next.pick * known.length)];
        return event && this.#batch(next.account, [{ ...event, slot: next.slot }]);
      }
      case 'late':
        return this.#batch(next.account, [this.#event(next.account, next.slot, next.movement)]);
    }
  }
}

async function expectSame(
  world: StoreWorld,
  model: PlainIndex,
  writer: Awaited<ReturnType<StoreWorld['openWriter']>>,
) {
  const reader = world.openReader();
  const newestFirst = model.newestFirst();
  const snapshot = await reader.latestSnapshot(1_000);
  expect(snapshot.recentEvents).toEqual(newestFirst);
  expect(snapshot.isHistoryRead).toBe(model.isHistoryRead(ACCOUNTS));
  for (const of of ACCOUNTS) expect(await writer.cursor(of)).toEqual(model.cursor(of));
  expect(await writer.provisionalEvents(20, 1_000)).toEqual(model.provisional(20));
  const moments = [0, 999, 1_000, 20_000, 40_000, 60_000, 90_000];
  expect(await reader.vaultBalanceAt(moments)).toEqual(
    moments.map((moment) => model.balanceAt('vault', moment)),
  );
  for (const moment of moments) {
    expect(await reader.vaultMovements(moment)).toEqual(model.movementsSince('vault', moment));
  }
  await reader.close();
}

describe.each(ADAPTERS)('any course of batches in $name', ({ open }) => {
  it('leaves what a plain count of every event gives: repeated, overlapping, moved, vanished, late or after a crash', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        const world = await open();
        try {
          const model = new PlainIndex();
          const script = new Script(model);
          let writer = await world.openWriter();
          await writer.claim(IDENTITY);
          for (const next of steps) {
            if (next.what === 'crash') {
              await writer.close();
              writer = await world.openWriter();
            } else if (next.what === 'snapshot') {
              const { what: _, slot, ...figures } = next;
              await writer.commitSnapshot(sampleSnapshot(slot, figures));
              model.commitSnapshot(sampleSnapshot(slot, figures));
            } else if (next.what === 'settle') {
              const signatures = model.provisional(next.upTo).map((event) => event.signature);
              const isVanishing = (index: number) => next.vanishing[index % next.vanishing.length] === true;
              const finalized = signatures.filter((_, index) => !isVanishing(index));
              const vanished = signatures.filter((_, index) => isVanishing(index));
              await writer.settleEvents({ finalized, vanished });
              model.settle(finalized, vanished);
            } else {
              const batch = script.batchFor(next);
              if (batch === undefined) continue;
              await writer.commitEvents(batch);
              model.commit(batch);
            }
            await expectSame(world, model, writer);
          }
        } finally {
          await world.dispose();
        }
      }),
      // Within a test's time limit a fault is told by the smallest course found so far.
      { numRuns: 60, interruptAfterTimeLimit: 20_000 },
    );
  });
});
