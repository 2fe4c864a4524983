import { beforeEach, describe, expect, it } from 'vitest';
import type { Cursor, PlacedTransaction } from '../../data/store/chain-rows.ts';
import type { EndpointHealth } from '../../data/store/ports.ts';
import { batchOf, IDENTITY, sampleEvent } from '../../data/store/testing/sample-rows.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import { METHOD_NOT_FOUND, RpcRequestError } from '../rpc/rpc-errors.ts';
import { scriptedNode } from '../testing/scripted-history.ts';
import { scriptedPool } from '../testing/scripted-pool.ts';
import { openTestIndex } from '../testing/test-chain.ts';
import { createSettler, type Settler } from './settle.ts';

const never = new AbortController().signal;

interface Outcome {
  readonly finalized: readonly string[];
  readonly vanished: readonly string[];
}

let statuses: Record<string, object | null>;
let finalizedSlot: number;
/** The first block that the node says it has; null where it refuses to tell. */
let firstBlock: number | null;
/** The final event that stands next before what is provisional. */
let finalEvent: PlacedTransaction | null;
let outcomes: Outcome[];
let settler: Settler;
let scripted: EndpointPool;
let twoNodes: EndpointPool;
let writer: Parameters<typeof createSettler>[0]['writer'];
let doubted: readonly Cursor[];

beforeEach(() => {
  statuses = {};
  finalizedSlot = 100;
  firstBlock = 0;
  finalEvent = null;
  outcomes = [];
  doubted = [];
  const pool = scriptedPool({
    getSlot: () => finalizedSlot,
    getFirstAvailableBlock() {
      if (firstBlock !== null) return firstBlock;
      throw new RpcRequestError('getFirstAvailableBlock', METHOD_NOT_FOUND, 'Method not found');
    },
    getSignatureStatuses: (signatures: readonly string[]) => ({
      context: { slot: finalizedSlot + 32 },
      value: signatures.map((signature) => statuses[signature] ?? null),
    }),
  });
  scripted = pool;
  twoNodes = {
    ...pool,
    batch: async (calls, signal) => {
      const replies = await pool.batch(calls, signal);
      return (replies as readonly object[]).map((reply, at) => ({ ...reply, by: `node-${at}` })) as never;
    },
  };
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
/** Once it is found absent, and three times denied. */
const ENOUGH = 4;
/** Looks that find neither a transaction nor a denial, after which it is undecided. */
const WHILE = 15;
const placed = (signature: string, slot: number): PlacedTransaction => ({
  signature,
  account: 'vault',
  slot,
});
/** Lets the store hold these, until they are settled. */
const keepStored = (events: readonly PlacedTransaction[]): void => {
  let stored = events;
  writer.provisionalEvents = async (_, limit) => stored.slice(0, limit);
  writer.settleEvents = async (outcome) => {
    outcomes.push(outcome);
    const settled = new Set([...outcome.finalized, ...outcome.vanished]);
    stored = stored.filter(({ signature }) => !settled.has(signature));
  };
};
const settle = () => settler.settle(finalizedSlot, doubted, never);
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

  it('are not looked at before the chain is final that far', async () => {
    finalizedSlot = 60;
    statuses = { a: known(50, 'finalized'), b: known(90, 'finalized') };
    await settle();
    expect(outcomes).toEqual([{ finalized: ['a'], vanished: [] }]);
  });

  it('are removed once they were found absent, and a node with their time denied them three times in a row', async () => {
    statuses = { b: known(90, 'confirmed') };
    await settleTimes(ENOUGH - 1);
    expect(outcomes).toEqual([]);
    expect(await settle()).toMatchObject({ finalized: 0, vanished: 1 });
    expect(outcomes).toEqual([{ finalized: [], vanished: ['a'] }]);
  });

  it('stay where another endpoint knows their transactions, and are removed where only one that is put aside does', async () => {
    statuses = { b: known(90, 'confirmed') };
    let state: 'active' | 'put-aside' = 'active';
    const other = [{}, { ok: true, value: [{ kind: 'known' }], by: 'other' }];
    settler = createSettler({
      pool: {
        ...scripted,
        askEach: async (calls, signal) => [
          ...(await scripted.askEach(calls, signal)),
          { endpoint: 'other', replies: other } as never,
        ],
        health: () => [{ name: 'other', state } as EndpointHealth],
      },
      writer,
    });
    await settleTimes(9);
    expect(outcomes).toEqual([]);
    state = 'put-aside';
    await settleTimes(ENOUGH);
    expect(outcomes).toEqual([{ finalized: [], vanished: ['a'] }]);
  });

  it('stay where one of the denials was withdrawn', async () => {
    for (const answer of [null, null, null, known(50, 'confirmed'), null, null, null]) {
      statuses = { a: answer, b: known(90, 'confirmed') };
      await settle();
    }
    expect(outcomes).toEqual([]);
  });

  it('stay where the node that denies them is hardly past their slot', async () => {
    statuses = { a: known(50, 'confirmed') };
    await settleTimes(6);
    expect(outcomes).toEqual([]);
  });

  it('are removed where their transactions failed in the end', async () => {
    statuses = { a: known(51, 'finalized', { InstructionError: [0, 'Custom'] }), b: known(90, 'confirmed') };
    await settle();
    expect(outcomes).toEqual([{ finalized: [], vanished: ['a'] }]);
  });

  it('are told to be listed again where their transactions are final in another slot', async () => {
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

  it('are not judged by the slot of another node than the one that denies them', async () => {
    settler = createSettler({ pool: twoNodes, writer });
    await settleTimes(6);
    expect(outcomes).toEqual([]);
  });

  describe('that the node does not know', () => {
    const before: PlacedTransaction = { signature: 'before', account: 'vault', slot: 40 };

    it.each<[string, number | null, PlacedTransaction | null]>([
      ['it refuses to tell how far its history reaches back', null, before],
      ['its history begins later, as it says', 880_000, before],
      ['it has forgotten the event before them, whatever it says', 0, before],
      ['nothing is stored before them, and it refuses to tell how far its history reaches', null, null],
      ['nothing is stored before them, and its history begins later', 880_000, null],
    ])('stay where %s', async (_, told, stored) => {
      [finalizedSlot, firstBlock, finalEvent] = [900_100, told, stored];
      await settleTimes(9);
      expect(outcomes).toEqual([]);
    });

    it('are told as undecided after a while, until a node with that history tells what became of them', async () => {
      keepStored([placed('a', 50), placed('b', 90)]);
      [finalizedSlot, firstBlock, finalEvent] = [900_100, 880_000, before];
      await settleTimes(WHILE - 1);
      expect((await settle()).undecided).toMatchObject([{ signature: 'a' }, { signature: 'b' }]);
      statuses = { b: known(90, 'finalized'), before: known(40, 'finalized') };
      expect((await settle()).undecided.map(({ signature }) => signature)).toEqual(['a']);
      await settleTimes(ENOUGH);
      expect(outcomes).toEqual([
        { finalized: ['b'], vanished: [] },
        { finalized: [], vanished: ['a'] },
      ]);
      expect((await settle()).undecided).toEqual([]);
    });

    it('are settled by another endpoint, which is asked once the one at work could not tell for a while', async () => {
      [finalizedSlot, firstBlock, finalEvent] = [900_100, 880_000, before];
      keepStored([placed('a', 50), placed('b', 90)]);
      settler = createSettler({
        pool: {
          ...scripted,
          askEach: async (calls, signal) => {
            statuses = { a: known(50, 'finalized') };
            const answers = await scripted.askEach(calls, signal);
            statuses = {};
            return answers;
          },
        },
        writer,
      });
      await settleTimes(WHILE - 1);
      expect(outcomes).toEqual([]);
      expect((await settle()).undecided).toMatchObject([{ signature: 'b' }]);
      expect(outcomes).toEqual([{ finalized: ['a'], vanished: [] }]);
    });

    it('do not keep newer ones from being settled, however many they are', async () => {
      [finalizedSlot, firstBlock, finalEvent] = [900_100, 880_000, before];
      const lost = Array.from({ length: 400 }, (_, at) => placed(`lost-${at}`, 50 + at));
      keepStored([...lost, placed('newer', 800_000)]);
      statuses = { newer: known(800_000, 'finalized') };
      // One look after another at as many as there is room for.
      await settleTimes(3 * WHILE);
      expect(outcomes).toEqual([]);
      await settleTimes(1);
      expect(outcomes).toEqual([{ finalized: ['newer'], vanished: [] }]);
      expect((await settle()).undecided.length).toBeGreaterThan(100);
    });

    it('are removed where it knows the final event before them', async () => {
      [firstBlock, finalEvent] = [null, before];
      statuses = { before: known(40, 'finalized'), b: known(90, 'confirmed') };
      await settleTimes(ENOUGH);
      expect(outcomes).toEqual([{ finalized: [], vanished: ['a'] }]);
    });

    it('are removed where its history begins between that event and them', async () => {
      [firstBlock, finalEvent] = [45, before];
      statuses = { b: known(90, 'confirmed') };
      await settleTimes(ENOUGH);
      expect(outcomes).toEqual([{ finalized: [], vanished: ['a'] }]);
    });

    it('stay where those that are asked in the end have no such history', async () => {
      settler = createSettler({
        pool: {
          ...scripted,
          askEach: async (calls, signal) => {
            const at = firstBlock;
            firstBlock = 880_000;
            const answers = await scripted.askEach(calls, signal);
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

    it('are neither denied nor known by looks at a node without their time', async () => {
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

describe('an index that is opened again after longer than its node remembers', () => {
  it('keeps its provisional events and its cursor, and settles them at a node that remembers', async () => {
    const index = await openTestIndex(IDENTITY);
    const events = [sampleEvent(4), sampleEvent(5, { status: 'confirmed' })];
    await index.writer.commitEvents(batchOf(events));
    const node = scriptedNode(
      IDENTITY.vault,
      [...events, sampleEvent(900_000)].map(({ signature, slot, delta }) => ({ signature, slot, delta })),
    );
    Object.assign(node, { finalizedSlot: 900_100, keptFrom: 880_000, firstBlock: 880_000 });
    settler = createSettler({ pool: node.pool, writer: index.writer });
    for (let times = 0; times < 9; times += 1) await settler.settle(900_100, [], never);
    expect(await index.events()).toEqual(events);
    expect((await index.writer.cursor(IDENTITY.vault))?.slot).toBe(5);
    node.keptFrom = 0;
    expect(await settler.settle(900_100, [], never)).toMatchObject({ finalized: 1, vanished: 0 });
    expect((await index.events()).map(({ status }) => status)).toEqual(['finalized', 'finalized']);
    await index.close();
  });
});

describe('a cursor in doubt', () => {
  it('is taken back once its transaction was absent and denied three times, though it was no event', async () => {
    statuses = { a: known(50, 'confirmed'), b: known(90, 'confirmed') };
    doubted = [{ account: 'vault', signature: 'c', slot: 60, position: 0 }];
    await settleTimes(ENOUGH);
    expect(outcomes).toEqual([{ finalized: [], vanished: ['c'] }]);
  });

  it('stays where its transaction is there, failed as it was', async () => {
    statuses = {
      a: known(50, 'confirmed'),
      b: known(90, 'confirmed'),
      c: known(60, 'finalized', { InstructionError: [0, 'Custom'] }),
    };
    doubted = [{ account: 'vault', signature: 'c', slot: 60, position: 0 }];
    for (let times = 0; times < 4; times += 1) await settle();
    expect(outcomes).toEqual([]);
  });
});
