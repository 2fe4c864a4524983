import { beforeEach, describe, expect, it } from 'vitest';
import type { Cursor, PlacedTransaction } from '../../data/store/chain-rows.ts';
import type { EndpointHealth } from '../../data/store/ports.ts';
import { batchOf, IDENTITY, sampleEvent } from '../../data/store/testing/sample-rows.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import { scriptedNode } from '../testing/scripted-history.ts';
import { scriptedPool } from '../testing/scripted-pool.ts';
import { openTestIndex } from '../testing/test-chain.ts';
import { createSettler } from './settle.ts';

const never = new AbortController().signal;

interface Outcome {
  readonly finalized: readonly string[];
  readonly vanished: readonly string[];
}

let statuses: Record<string, object | null>;
let finalizedSlot: number;
/** The first block that the node reports. */
let firstBlock: number;
/** The final event that precedes the provisional ones. */
let finalEvent: PlacedTransaction | null;
let outcomes: Outcome[];
let settler: ReturnType<typeof createSettler>;
let scripted: EndpointPool;
let writer: Parameters<typeof createSettler>[0]['writer'];
let suspects: readonly Cursor[];

beforeEach(() => {
  statuses = {};
  finalizedSlot = 100;
  firstBlock = 0;
  finalEvent = null;
  outcomes = [];
  suspects = [];
  const pool = scriptedPool({
    getSlot: () => finalizedSlot,
    getFirstAvailableBlock: () => firstBlock,
    getSignatureStatuses: (signatures: readonly string[]) => ({
      context: { slot: finalizedSlot + 32 },
      value: signatures.map((signature) => statuses[signature] ?? null),
    }),
  });
  scripted = pool;
  writer = {
    provisionalEvents: async (upToSlot) =>
      [
        { signature: 'a', account: 'vault', slot: 50 },
        { signature: 'a', account: 'pool', slot: 50 },
        { signature: 'b', account: 'vault', slot: 90 },
      ].filter(({ slot }) => slot <= upToSlot),
    finalEvent: async () => finalEvent,
    settleEvents: async (outcome) => void outcomes.push(outcome),
  };
  settler = createSettler({ pool, writer });
});

const settleTimes = async (times: number) => {
  for (let time = 0; time < times; time += 1) await settle();
};
/** One absence and three denials. */
const CHECKS_TO_VANISH = 4;
/** Checks without a finding or a denial, after which a transaction is undecided. */
const CHECKS_TO_UNDECIDED = 15;
const placed = (signature: string, slot: number): PlacedTransaction => ({
  signature,
  account: 'vault',
  slot,
});
/** Makes the store return these events until they are settled. */
const returnUntilSettled = (events: readonly PlacedTransaction[]): void => {
  let stored = events;
  writer.provisionalEvents = async (_, limit) => stored.slice(0, limit);
  writer.settleEvents = async (outcome) => {
    outcomes.push(outcome);
    const settled = new Set([...outcome.finalized, ...outcome.vanished]);
    stored = stored.filter(({ signature }) => !settled.has(signature));
  };
};
const settle = () => settler.settle(finalizedSlot, suspects, never);
const known = (slot: number, confirmationStatus: string, err: unknown = null) => ({
  slot,
  err,
  confirmationStatus,
  confirmations: null,
});

describe('provisional events', () => {
  it('become final once their transactions are', async () => {
    statuses = { a: known(50, 'finalized'), b: known(90, 'confirmed') };
    expect(await settle()).toMatchObject({ finalized: 1, vanished: 0 });
    expect(outcomes).toEqual([{ finalized: ['a'], vanished: [] }]);
  });

  it('are not checked before the chain is final up to them', async () => {
    finalizedSlot = 60;
    statuses = { a: known(50, 'finalized'), b: known(90, 'finalized') };
    await settle();
    expect(outcomes).toEqual([{ finalized: ['a'], vanished: [] }]);
  });

  it('are removed once a node with that part of history has denied their transactions three times in a row', async () => {
    statuses = { b: known(90, 'confirmed') };
    await settleTimes(CHECKS_TO_VANISH - 1);
    expect(outcomes).toEqual([]);
    expect(await settle()).toMatchObject({ finalized: 0, vanished: 1 });
    expect(outcomes).toEqual([{ finalized: [], vanished: ['a'] }]);
  });

  it('stay if another endpoint knows their transactions, and are removed if only a distrusted endpoint does', async () => {
    statuses = { b: known(90, 'confirmed') };
    let state: 'active' | 'distrusted' = 'active';
    const other = [{}, { ok: true, value: [{ kind: 'known' }], by: 'other' }];
    settler = createSettler({
      pool: {
        ...scripted,
        requestFromEach: async (calls, signal) => [
          ...(await scripted.requestFromEach(calls, signal)),
          { endpoint: 'other', replies: other } as never,
        ],
        health: () => [{ name: 'other', state } as EndpointHealth],
      },
      writer,
    });
    await settleTimes(9);
    expect(outcomes).toEqual([]);
    state = 'distrusted';
    await settleTimes(CHECKS_TO_VANISH);
    expect(outcomes).toEqual([{ finalized: [], vanished: ['a'] }]);
  });

  it('stay if a denial was withdrawn', async () => {
    for (const answer of [null, null, null, known(50, 'confirmed'), null, null, null]) {
      statuses = { a: answer, b: known(90, 'confirmed') };
      await settle();
    }
    expect(outcomes).toEqual([]);
  });

  it('are removed if their transactions failed', async () => {
    statuses = { a: known(51, 'finalized', { InstructionError: [0, 'Custom'] }), b: known(90, 'confirmed') };
    await settle();
    expect(outcomes).toEqual([{ finalized: [], vanished: ['a'] }]);
  });

  it('are to be listed again if their transactions are final in a different slot', async () => {
    statuses = { a: known(77, 'finalized'), b: known(90, 'confirmed') };
    expect((await settle()).moved).toEqual(
      new Map([
        ['vault', 50],
        ['pool', 50],
      ]),
    );
    statuses = { a: known(40, 'finalized'), b: known(90, 'confirmed') };
    expect((await settle()).moved.get('vault')).toBe(40);
    expect(outcomes).toEqual([]);
  });

  describe('that the node does not know', () => {
    const before: PlacedTransaction = { signature: 'before', account: 'vault', slot: 40 };

    it('are reported as undecided after a while, until a node with that history decides', async () => {
      returnUntilSettled([placed('a', 50), placed('b', 90)]);
      [finalizedSlot, firstBlock, finalEvent] = [900_100, 880_000, before];
      await settleTimes(CHECKS_TO_UNDECIDED - 1);
      expect((await settle()).undecided).toMatchObject([{ signature: 'a' }, { signature: 'b' }]);
      statuses = { b: known(90, 'finalized'), before: known(40, 'finalized') };
      expect((await settle()).undecided.map(({ signature }) => signature)).toEqual(['a']);
      await settleTimes(CHECKS_TO_VANISH);
      expect(outcomes).toEqual([
        { finalized: ['b'], vanished: [] },
        { finalized: [], vanished: ['a'] },
      ]);
      expect((await settle()).undecided).toEqual([]);
    });

    it('are settled by another endpoint, which is asked after the current one could not decide for a while', async () => {
      [finalizedSlot, firstBlock, finalEvent] = [900_100, 880_000, before];
      returnUntilSettled([placed('a', 50), placed('b', 90)]);
      settler = createSettler({
        pool: {
          ...scripted,
          requestFromEach: async (calls, signal) => {
            statuses = { a: known(50, 'finalized') };
            const answers = await scripted.requestFromEach(calls, signal);
            statuses = {};
            return answers;
          },
        },
        writer,
      });
      await settleTimes(CHECKS_TO_UNDECIDED - 1);
      expect(outcomes).toEqual([]);
      expect((await settle()).undecided).toMatchObject([{ signature: 'b' }]);
      expect(outcomes).toEqual([{ finalized: ['a'], vanished: [] }]);
    });

    it('do not delay newer ones, however many there are', async () => {
      [finalizedSlot, firstBlock, finalEvent] = [900_100, 880_000, before];
      const lost = Array.from({ length: 400 }, (_, at) => placed(`lost-${at}`, 50 + at));
      returnUntilSettled([...lost, placed('newer', 800_000)]);
      statuses = { newer: known(800_000, 'finalized') };
      // Each check takes as many as fit.
      await settleTimes(3 * CHECKS_TO_UNDECIDED);
      expect(outcomes).toEqual([]);
      await settleTimes(1);
      expect(outcomes).toEqual([{ finalized: ['newer'], vanished: [] }]);
      expect((await settle()).undecided.length).toBeGreaterThan(100);
    });

    it('stay if the last endpoints asked lack that history', async () => {
      settler = createSettler({
        pool: {
          ...scripted,
          requestFromEach: async (calls, signal) => {
            const at = firstBlock;
            firstBlock = 880_000;
            const answers = await scripted.requestFromEach(calls, signal);
            firstBlock = at;
            return answers;
          },
        },
        writer,
      });
      statuses = { b: known(90, 'confirmed') };
      await settleTimes(9);
      expect(outcomes).toEqual([]);
    });

    it('do not count as absent if the node lacks that part of history', async () => {
      statuses = { b: known(90, 'confirmed') };
      for (const at of [0, 0, 880_000, 0, 880_000]) {
        firstBlock = at;
        await settle();
      }
      expect(outcomes).toEqual([]);
      firstBlock = 0;
      await settle();
      expect(outcomes).toEqual([{ finalized: [], vanished: ['a'] }]);
    });
  });
});

describe('an index that is reopened after its node has dropped that history', () => {
  it('keeps its provisional events and its cursor, and settles them at a node with the history', async () => {
    const index = await openTestIndex(IDENTITY);
    const events = [sampleEvent(4), sampleEvent(5, { status: 'confirmed' })];
    await index.writer.commitEvents(batchOf(events));
    const node = scriptedNode(
      IDENTITY.vault,
      [...events, sampleEvent(900_000)].map(({ signature, slot, delta }) => ({ signature, slot, delta })),
    );
    Object.assign(node, { finalizedSlot: 900_100, historyFrom: 880_000, firstBlock: 880_000 });
    settler = createSettler({ pool: node.pool, writer: index.writer });
    for (let times = 0; times < 9; times += 1) await settler.settle(900_100, [], never);
    expect(await index.events()).toEqual(events);
    expect((await index.writer.cursor(IDENTITY.vault))?.slot).toBe(5);
    node.historyFrom = 0;
    expect(await settler.settle(900_100, [], never)).toMatchObject({ finalized: 1, vanished: 0 });
    expect((await index.events()).map(({ status }) => status)).toEqual(['finalized', 'finalized']);
    await index.close();
  });
});

describe('a suspect cursor', () => {
  it('moves back once its transaction was absent and denied three times, even without an event', async () => {
    statuses = { a: known(50, 'confirmed'), b: known(90, 'confirmed') };
    suspects = [{ account: 'vault', signature: 'c', slot: 60, position: 0 }];
    await settleTimes(CHECKS_TO_VANISH);
    expect(outcomes).toEqual([{ finalized: [], vanished: ['c'] }]);
  });

  it('stays if its transaction exists and has failed', async () => {
    statuses = {
      a: known(50, 'confirmed'),
      b: known(90, 'confirmed'),
      c: known(60, 'finalized', { InstructionError: [0, 'Custom'] }),
    };
    suspects = [{ account: 'vault', signature: 'c', slot: 60, position: 0 }];
    for (let times = 0; times < 4; times += 1) await settle();
    expect(outcomes).toEqual([]);
  });
});
