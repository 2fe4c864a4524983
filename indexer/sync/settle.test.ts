import { beforeEach, describe, expect, it } from 'vitest';
import type { Cursor } from '../../data/store/chain-rows.ts';
import type { EndpointHealth } from '../../data/store/ports.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import { scriptedPool } from '../testing/scripted-pool.ts';
import { createSettler, type Settler } from './settle.ts';

const never = new AbortController().signal;

interface Outcome {
  readonly finalized: readonly string[];
  readonly vanished: readonly string[];
}

let statuses: Record<string, object | null>;
let finalizedSlot: number;
let outcomes: Outcome[];
let settler: Settler;
let scripted: EndpointPool;
let twoNodes: EndpointPool;
let writer: Parameters<typeof createSettler>[0]['writer'];
let doubted: readonly Cursor[];

beforeEach(() => {
  statuses = {};
  finalizedSlot = 100;
  outcomes = [];
  doubted = [];
  const pool = scriptedPool({
    getSlot: () => finalizedSlot,
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
    settleEvents: async (outcome) => void outcomes.push(outcome),
  };
  settler = createSettler({ pool, writer });
});

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

  it('are removed once a node that is well past them denied them three times in a row', async () => {
    statuses = { b: known(90, 'confirmed') };
    await settle();
    await settle();
    expect(outcomes).toEqual([]);
    expect(await settle()).toMatchObject({ finalized: 0, vanished: 1 });
    expect(outcomes).toEqual([{ finalized: [], vanished: ['a'] }]);
  });

  it('stay where another endpoint knows their transactions, and are removed where only one that is put aside does', async () => {
    statuses = { b: known(90, 'confirmed') };
    let state: 'active' | 'put-aside' = 'active';
    const other = [{ ok: true, value: [{ kind: 'known' }], by: 'other' }];
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
    for (let times = 0; times < 7; times += 1) await settle();
    expect(outcomes).toEqual([]);
    state = 'put-aside';
    for (let times = 0; times < 3; times += 1) await settle();
    expect(outcomes).toEqual([{ finalized: [], vanished: ['a'] }]);
  });

  it('stay where one of the denials was withdrawn', async () => {
    for (const answer of [null, null, known(50, 'confirmed'), null, null]) {
      statuses = { a: answer, b: known(90, 'confirmed') };
      await settle();
    }
    expect(outcomes).toEqual([]);
  });

  it('stay where the node that denies them is hardly past their slot', async () => {
    statuses = { a: known(50, 'confirmed') };
    for (let times = 0; times < 5; times += 1) await settle();
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
    for (let times = 0; times < 5; times += 1) await settle();
    expect(outcomes).toEqual([]);
  });
});

describe('a cursor in doubt', () => {
  it('is taken back once its transaction was denied three times, though it was no event', async () => {
    statuses = { a: known(50, 'confirmed'), b: known(90, 'confirmed') };
    doubted = [{ account: 'vault', signature: 'c', slot: 60, position: 0 }];
    for (let times = 0; times < 3; times += 1) await settle();
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
