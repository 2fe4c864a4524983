import { beforeEach, describe, expect, it } from 'vitest';
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

beforeEach(() => {
  statuses = {};
  finalizedSlot = 100;
  outcomes = [];
  const pool = scriptedPool({
    getSlot: () => finalizedSlot,
    getSignatureStatuses: (signatures: readonly string[]) => ({
      context: { slot: finalizedSlot + 32 },
      value: signatures.map((signature) => statuses[signature] ?? null),
    }),
  });
  settler = createSettler({
    pool,
    writer: {
      provisionalEvents: async (upToSlot) =>
        [
          { signature: 'a', account: 'vault', slot: 50 },
          { signature: 'a', account: 'pool', slot: 50 },
          { signature: 'b', account: 'vault', slot: 90 },
        ].filter(({ slot }) => slot <= upToSlot),
      settleEvents: async (outcome) => void outcomes.push(outcome),
    },
  });
});

const settle = () => settler.settle(finalizedSlot, never);
const known = (slot: number, confirmationStatus: string, err: unknown = null) => ({
  slot,
  err,
  confirmationStatus,
  confirmations: null,
});

describe('provisional events', () => {
  it('become final once their transactions are', async () => {
    statuses = { a: known(50, 'finalized'), b: known(90, 'confirmed') };
    expect(await settle()).toEqual({ finalized: 1, vanished: 0 });
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
    expect(await settle()).toEqual({ finalized: 0, vanished: 1 });
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

  it('stay provisional where their transactions landed again in another slot, until that is listed', async () => {
    statuses = { a: known(77, 'finalized'), b: known(90, 'confirmed') };
    await settle();
    expect(outcomes).toEqual([]);
  });
});
