// @module-tag slow
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventStatus } from '../../model/chain-events.ts';
import type { ChainAlarm, ChainEvent, QuarantinedTransaction } from '../chain-rows.ts';
import type { EventBatch, IndexReader, IndexWriter } from '../ports.ts';
import { ReferenceIndex } from '../testing/reference-index.ts';
import { IDENTITY, sampleEntry, sampleSnapshot } from '../testing/sample-rows.ts';
import { openStores, PROPERTY_RUNS } from '../testing/test-stores.ts';

const ACCOUNTS = [IDENTITY.vault, IDENTITY.poolVault] as const;
const account = fc.constantFrom(...ACCOUNTS);
const LAST_SLOT = 40;

/** The ranges of slots, positions and times are small, so that many events are tied or arrive out of order. */
const movement = fc.record({
  slotsLater: fc.nat({ max: 3 }),
  position: fc.nat({ max: 2 }),
  blockTime: fc.option(fc.nat({ max: 60 }).map((seconds) => seconds * 1_000)),
  delta: fc.oneof(
    fc.bigInt({ min: -3n, max: 3n }),
    fc.bigInt({ min: -(2n ** 64n) + 1n, max: 2n ** 64n - 1n }),
  ),
  isStake: fc.boolean(),
  stakeEntry: fc.option(fc.constantFrom('entry-1', 'entry-2')),
  wallet: fc.option(fc.constantFrom('wallet-1', 'wallet-2')),
  alarms: fc.uniqueArray(
    fc.record({
      kind: fc.constantFrom('owner-changed' as const, 'delegate-approved' as const),
      address: fc.option(fc.constantFrom('thief', 'accomplice')),
    }),
    { maxLength: 3, selector: ({ kind, address }) => `${kind} ${address}` },
  ),
  otherChanges: fc.array(
    fc.record({
      kind: fc.constantFrom('stake' as const, 'unstake' as const, 'other' as const),
      delta: fc.bigInt({ min: -3n, max: 3n }),
      stakeEntry: fc.option(fc.constantFrom('entry-1', 'entry-2')),
      wallet: fc.option(fc.constantFrom('wallet-1', 'wallet-2')),
    }),
    { maxLength: 2 },
  ),
  outcome: fc.oneof(
    { weight: 3, arbitrary: fc.constant('moved' as const) },
    { weight: 1, arbitrary: fc.constantFrom('onlyAlarms' as const, 'quarantined' as const) },
  ),
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
      provisional: fc.option(fc.array(movement, { maxLength: 3 })),
      hasBeginning: fc.boolean(),
      caughtUpAt,
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('repeat' as const), pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('overlap' as const),
      account,
      from: pick,
      movements: fc.array(movement, { maxLength: 3 }),
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
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('release' as const), pick, movement: fc.option(movement) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('snapshot' as const),
      slot: fc.nat({ max: LAST_SLOT }),
      readAt: fc.nat({ max: 100_000 }),
      balanceExcess: fc.bigInt({ min: 0n, max: 2n }),
      closed: fc.array(fc.boolean(), { maxLength: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('reconcile' as const),
      slot: fc.nat({ max: LAST_SLOT }),
      balanceExcess: fc.bigInt({ min: 0n, max: 2n }),
      isPoolWrong: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('crash' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Movement = typeof movement extends fc.Arbitrary<infer T> ? T : never;

interface Rows {
  readonly events: readonly ChainEvent[];
  readonly alarms: readonly ChainAlarm[];
  readonly quarantined: readonly QuarantinedTransaction[];
}

function combine(parts: readonly Rows[]): Rows {
  return {
    events: parts.flatMap(({ events }) => events),
    alarms: parts.flatMap(({ alarms }) => alarms),
    quarantined: parts.flatMap(({ quarantined }) => quarantined),
  };
}

/** Turns steps into the batches that an indexer sends, with repeats, overlaps and late events. */
class BatchSimulator {
  readonly #model: ReferenceIndex;
  readonly #sent: EventBatch[] = [];
  readonly #tip = new Map<string, number>();
  #serial = 0;

  constructor(model: ReferenceIndex) {
    this.#model = model;
  }

  #transaction(address: string, slot: number, movement: Movement, status: EventStatus = 'finalized'): Rows {
    this.#serial += 1;
    const { position, blockTime, delta, isStake, stakeEntry, wallet } = movement;
    const kinds = delta < 0n ? (['unstake', 'withdraw'] as const) : (['stake', 'deposit'] as const);
    const kind = kinds[isStake && address === IDENTITY.poolVault && delta !== 0n ? 0 : 1];
    const transactionFields = { signature: `s${this.#serial}`, account: address, slot, blockTime };
    const event: ChainEvent = {
      ...transactionFields,
      position,
      part: 0,
      kind,
      wallet,
      delta,
      stakeEntry: kind === 'stake' || kind === 'unstake' ? stakeEntry : null,
      status,
    };
    const more = movement.otherChanges.map(
      (rest, index): ChainEvent => ({ ...event, ...rest, part: index + 1 }),
    );
    const alarms = movement.alarms.map((alarm) => ({ ...transactionFields, ...alarm, status }) as const);
    const quarantined = {
      ...transactionFields,
      position,
      reason: `reason ${this.#serial}`,
      since: this.#serial,
    };
    if (movement.outcome === 'quarantined') return { events: [], alarms: [], quarantined: [quarantined] };
    return { events: movement.outcome === 'onlyAlarms' ? [] : [event, ...more], alarms, quarantined: [] };
  }

  #transactions(address: string, movements: readonly Movement[]): Rows {
    return combine(
      movements.map((each) => {
        const slot = (this.#tip.get(address) ?? 0) + each.slotsLater;
        this.#tip.set(address, slot);
        return this.#transaction(address, slot, each);
      }),
    );
  }

  /** Provisional rows, in slots after every final row. */
  #provisional(address: string, movements: readonly Movement[]): Rows {
    let slot = (this.#tip.get(address) ?? 0) + 1;
    return combine(
      movements.map((each) => {
        slot += each.slotsLater;
        return this.#transaction(address, slot, each, 'confirmed');
      }),
    );
  }

  #batch(address: string, rows: Partial<Rows>, more: Partial<EventBatch> = {}): EventBatch {
    const { events = [], alarms = [], quarantined = [] } = rows;
    const slots = [...events, ...alarms, ...quarantined].map((one) => one.slot);
    const slot = Math.max(this.#tip.get(address) ?? 0, ...slots);
    const ofSlot = [...events, ...quarantined].filter((one) => one.slot === slot);
    const last = ofSlot.reduce<(typeof ofSlot)[number] | undefined>(
      (latest, one) => (latest !== undefined && latest.position > one.position ? latest : one),
      undefined,
    );
    // A batch may end with a transaction that moved nothing.
    const signature = last?.signature ?? `nothing-${this.#serial}-${slot}`;
    const batch = {
      account: address,
      events,
      alarms,
      quarantined,
      cursor: { account: address, signature, slot },
      ...more,
    };
    this.#sent.push(batch);
    return batch;
  }

  releasedRows(
    quarantined: QuarantinedTransaction,
    movement: Movement | null,
  ): Parameters<IndexWriter['releaseQuarantined']>[1] {
    if (movement === null) return { events: [], alarms: [] };
    const { signature, account: address, slot, position, blockTime } = quarantined;
    const { events, alarms } = this.#transaction(address, slot, {
      ...movement,
      position,
      blockTime,
      outcome: 'moved',
    });
    return {
      events: events.map((event) => ({ ...event, signature })),
      alarms: alarms.map((alarm) => ({ ...alarm, signature })),
    };
  }

  batchFor(
    next: Exclude<Step, { what: 'snapshot' | 'reconcile' | 'crash' | 'release' }>,
  ): EventBatch | undefined {
    switch (next.what) {
      case 'follow': {
        const { account: address, movements, provisional, hasBeginning, caughtUpAt: reached } = next;
        return this.#batch(address, this.#transactions(address, movements), {
          ...(provisional && { provisional: this.#provisional(address, provisional) }),
          ...(hasBeginning && { beginning: { signature: 'first', slot: 0, isProven: true } }),
          caughtUpAt: reached,
        });
      }
      case 'repeat':
        return this.#sent[Math.floor(next.pick * this.#sent.length)];
      case 'overlap': {
        const history = this.#model.finalHistory(next.account);
        const from = history.findIndex(
          ({ part }, index) => part === 0 && index >= Math.floor(next.from * history.length),
        );
        const repeated = from < 0 ? [] : history.slice(from);
        const more = this.#transactions(next.account, next.movements);
        return this.#batch(next.account, { ...more, events: [...repeated, ...more.events] });
      }
      case 'late': {
        // The batch may end below the stored cursor. An indexer sends such a batch when it lists the history again.
        const cursor = { account: next.account, signature: `late-${next.slot}`, slot: next.slot };
        const rows = this.#transaction(next.account, next.slot, next.movement);
        return this.#batch(next.account, rows, { cursor });
      }
    }
  }
}

function vaultNet(model: ReferenceIndex, slot: number): bigint {
  const { totalIn, totalOut } = model.sums(IDENTITY.vault, slot);
  return totalIn - totalOut;
}

async function expectSameAsModel(reader: IndexReader, model: ReferenceIndex, writer: IndexWriter) {
  const newestFirst = model.newestFirst();
  const snapshot = await reader.latestSnapshot(1_000);
  expect(snapshot.recentEvents).toEqual(newestFirst);
  expect(snapshot.isHistoryCaughtUp).toBe(model.isHistoryRead(ACCOUNTS));
  expect(snapshot.historyReadAt).toBe(model.historyReadAt(ACCOUNTS));
  expect(snapshot.hasCompleteHistory).toBe(model.hasCompleteHistory(ACCOUNTS));
  expect(snapshot.chain?.entryChanges ?? 0).toBe(model.entryChanges);
  expect(snapshot.alarms).toEqual(model.alarms());
  expect(snapshot.quarantinedCount).toBe(model.allQuarantined().length);
  expect(await writer.quarantined()).toEqual(model.quarantined());
  expect(await reader.stakes(3)).toEqual(model.stakes(3));
  expect(await reader.statistics()).toEqual(model.statistics(...ACCOUNTS));
  for (const wallet of ['wallet-1', 'wallet-2']) {
    const ofWallet = model.walletEvents(wallet);
    const first = await reader.walletEvents(wallet, 2, null);
    const rest = first.next === null ? [] : (await reader.walletEvents(wallet, 1_000, first.next)).events;
    expect([...first.events, ...rest].map(({ order: _, ...event }) => event)).toEqual(ofWallet);
    expect(first.next === null).toBe(ofWallet.length <= 2);
  }
  for (const address of ACCOUNTS) {
    expect(await writer.cursor(address)).toEqual(model.cursor(address));
    for (const slot of [-1, 5, 17, LAST_SLOT]) {
      expect(await writer.eventSums(address, slot)).toEqual(model.sums(address, slot));
    }
  }
  const moments = [0, 999, 1_000, 20_000, 40_000, 60_000, 90_000];
  expect(await reader.vaultBalanceAt(moments)).toEqual(
    moments.map((moment) => model.balanceAt('vault', moment)),
  );
  for (const moment of moments) {
    expect(await reader.vaultMovements(moment)).toEqual(model.movementsSince('vault', moment));
  }
}

describe('any sequence of batches', () => {
  it('gives the reference’s figures despite repeats, overlaps, provisional rows, late events and crashes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        const stores = await openStores();
        try {
          const model = new ReferenceIndex();
          const simulator = new BatchSimulator(model);
          const reader = await stores.openReader();
          let writer = await stores.openWriter();
          await writer.claim(IDENTITY);
          for (const next of steps) {
            if (next.what === 'crash') {
              await writer.close();
              writer = await stores.openWriter();
            } else if (next.what === 'snapshot') {
              const { slot, readAt, balanceExcess, closed } = next;
              const vaultBalance = vaultNet(model, slot) + balanceExcess;
              const entries = closed.map((isClosed, index) =>
                sampleEntry(`entry-${index + 1}`, { closedAt: isClosed ? 1_000 : null }),
              );
              const snapshot = sampleSnapshot(slot, { readAt, vaultBalance, entries });
              await writer.commitSnapshot(snapshot);
              model.commitSnapshot(snapshot);
            } else if (next.what === 'reconcile') {
              // The indexer does not reconcile before the vault has a history.
              if (model.historyUntil('vault') === null) continue;
              const { slot, balanceExcess, isPoolWrong } = next;
              const indexed = vaultNet(model, slot);
              const differences = [
                { what: 'vault.balance', onChain: indexed + balanceExcess, indexed },
                { what: 'stake-pool.total-staked', onChain: isPoolWrong ? 1n : 0n, indexed: 0n },
              ].filter((one) => one.onChain !== one.indexed);
              await writer.commitReconciliation({ slot, at: 1, differences });
              model.reconcile({ slot, at: 1, differences });
            } else if (next.what === 'release') {
              const quarantined = model.quarantined();
              const one = quarantined[Math.floor(next.pick * quarantined.length)];
              if (one === undefined) continue;
              const released = simulator.releasedRows(one, next.movement);
              await writer.releaseQuarantined(one, released);
              model.release(one, released);
            } else {
              const batch = simulator.batchFor(next);
              if (batch === undefined) continue;
              await writer.commitEvents(batch);
              model.commit(batch);
            }
            await expectSameAsModel(reader, model, writer);
          }
        } finally {
          await stores.dispose();
        }
      }),
      PROPERTY_RUNS,
    );
  });
});
