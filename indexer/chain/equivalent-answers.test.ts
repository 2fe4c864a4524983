import bs58 from 'bs58';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeTransaction } from './decode.ts';
import { effectsOf, type LedgerToRead, startLedgerToRead } from './testing/ledger-transactions.ts';
import { type Sample, sampleAnswers } from './testing/sample-answers.ts';
import { wireVersion1 } from './testing/wire-version-1.ts';

interface Instruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: string;
  readonly stackHeight?: number;
}
interface Balance {
  readonly accountIndex: number;
}
/** The members of a `json` transaction that these tests change. */
interface JsonAnswer {
  readonly transaction: {
    readonly signatures: readonly string[];
    readonly message: {
      readonly accountKeys: readonly string[];
      readonly header: {
        readonly numReadonlySignedAccounts: number;
        readonly numReadonlyUnsignedAccounts: number;
      };
      readonly instructions: readonly Instruction[];
    };
  };
  readonly meta: {
    readonly innerInstructions: readonly {
      readonly index: number;
      readonly instructions: readonly Instruction[];
    }[];
    readonly preTokenBalances: readonly Balance[];
    readonly postTokenBalances: readonly Balance[];
    readonly loadedAddresses: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
  };
}

let ledger: LedgerToRead;
let samples: readonly Sample[];
beforeAll(async () => {
  ledger = await startLedgerToRead();
  samples = await sampleAnswers(ledger);
  return () => ledger.close();
});

/** Movements and alarms are sorted, because their order depends on the order of the instructions. */
function outcomeOf(answer: unknown, { mint, watched }: Sample) {
  const { movements, alarms, deltas } = effectsOf(decodeTransaction(answer, mint), watched);
  return {
    deltas,
    movements: movements
      .map(({ kind, wallet, delta, stakeEntry }) => `${kind} ${delta} by ${wallet}, ${stakeEntry}`)
      .toSorted(),
    alarms: alarms.map(({ kind, address }) => `${kind} ${address}`).toSorted(),
  };
}

function shuffled<T>(items: readonly T[], ranks: readonly number[]): T[] {
  const rankOf = (index: number) => ranks[index % ranks.length] ?? 0;
  return items
    .map((item, index) => [item, rankOf(index)] as const)
    .toSorted(([, left], [, right]) => left - right)
    .map(([item]) => item);
}

function expectSameOutcome(rewrite: (answer: JsonAnswer, ranks: readonly number[]) => unknown): void {
  const ranks = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 16, maxLength: 16 });
  for (const sample of samples) {
    const answer = sample.answers.json as JsonAnswer;
    const expected = outcomeOf(answer, sample);
    fc.assert(
      fc.property(ranks, (order) => {
        expect(outcomeOf(rewrite(answer, order), sample)).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  }
}

describe('the outcome of a real transaction does not depend on', () => {
  it('the order of its instructions', () => {
    expectSameOutcome(({ transaction, meta }, order) => {
      const { instructions } = transaction.message;
      const newOrder = shuffled([...instructions.keys()], order);
      return {
        slot: 1,
        transaction: {
          ...transaction,
          message: { ...transaction.message, instructions: newOrder.map((index) => instructions[index]) },
        },
        meta: {
          ...meta,
          innerInstructions: shuffled(meta.innerInstructions, order.toReversed()).map((group) => ({
            ...group,
            index: newOrder.indexOf(group.index),
          })),
        },
      };
    });
  });

  it('the order of its accounts', () => {
    expectSameOutcome(({ transaction, meta }, order) => {
      const { accountKeys, instructions } = transaction.message;
      const { writable, readonly } = meta.loadedAddresses;
      const keys = [...accountKeys, ...writable, ...readonly];
      const newOrder = shuffled([...keys.keys()], order);
      const newIndexOf = (index: number) => newOrder.indexOf(index);
      const remapInstruction = (one: Instruction): Instruction => ({
        ...one,
        programIdIndex: newIndexOf(one.programIdIndex),
        accounts: one.accounts.map(newIndexOf),
      });
      const remapBalance = (one: Balance) => ({ ...one, accountIndex: newIndexOf(one.accountIndex) });
      return {
        slot: 1,
        transaction: {
          ...transaction,
          message: {
            accountKeys: newOrder.map((index) => keys[index]),
            instructions: instructions.map(remapInstruction),
          },
        },
        meta: {
          ...meta,
          loadedAddresses: null,
          innerInstructions: meta.innerInstructions.map((group) => ({
            ...group,
            instructions: group.instructions.map(remapInstruction),
          })),
          preTokenBalances: meta.preTokenBalances.map(remapBalance),
          postTokenBalances: meta.postTokenBalances.map(remapBalance),
        },
      };
    });
  });

  it('its version (version 1 has every address in its message)', () => {
    expectSameOutcome(({ transaction, meta }, [maskShare = 0]) => {
      const { accountKeys, header, instructions } = transaction.message;
      const wire = wireVersion1({
        signatures: transaction.signatures.map((signature) => bs58.decode(signature)),
        readonlySignedCount: header.numReadonlySignedAccounts,
        readonlyUnsignedCount: header.numReadonlyUnsignedAccounts,
        configMask: Math.floor(maskShare * 0xffff_ffff),
        keys: [...accountKeys, ...meta.loadedAddresses.writable, ...meta.loadedAddresses.readonly],
        instructions: instructions.map(({ programIdIndex, accounts, data }) => ({
          programIndex: programIdIndex,
          accounts: Uint8Array.from(accounts),
          data: bs58.decode(data),
        })),
      });
      const { loadedAddresses: _, ...rest } = meta;
      return { slot: 1, version: 1, transaction: [wire.toString('base64'), 'base64'], meta: rest };
    });
  });

  it('the order of its balances', () => {
    expectSameOutcome((answer, order) => ({
      ...answer,
      slot: 1,
      meta: {
        ...answer.meta,
        preTokenBalances: shuffled(answer.meta.preTokenBalances, order),
        postTokenBalances: shuffled(answer.meta.postTokenBalances, order.toReversed()),
      },
    }));
  });

  it('whether an instruction is in the message or is called by a program', () => {
    expectSameOutcome(({ transaction, meta }, [depthRank = 0]) => {
      const { instructions } = transaction.message;
      const calledBy = (index: number) =>
        meta.innerInstructions.find((group) => group.index === index)?.instructions ?? [];
      const nested = instructions.flatMap((instruction, index) => [
        { ...instruction, stackHeight: 2 },
        ...calledBy(index).map((inner) => ({ ...inner, stackHeight: (inner.stackHeight ?? 2) + 1 })),
      ]);
      const innerInstructions =
        depthRank > 0.5 ? nested : nested.map(({ stackHeight: _, ...instruction }) => instruction);
      return {
        slot: 1,
        transaction: {
          ...transaction,
          message: {
            ...transaction.message,
            // A program that the decoder does not know.
            instructions: [{ programIdIndex: 0, accounts: [], data: '' }],
          },
        },
        meta: { ...meta, innerInstructions: [{ index: 0, instructions: innerInstructions }] },
      };
    });
  });
});
