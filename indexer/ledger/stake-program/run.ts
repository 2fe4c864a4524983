import { STAKE_ENTRY, STAKE_POOL } from '../../../data/model/stake-layout.ts';
import { copyAccount } from '../account-index.ts';
import type { InnerInstructionRecord, LedgerAccount, LedgerClock, TransactionErrorJson } from '../chain.ts';
import { SIGNATURE_FEE } from '../message-checks.ts';
import { SYSTEM_PROGRAM } from '../programs.ts';
import type { ResolvedTransaction } from '../resolved-transaction.ts';
import type { Outcome, RunResult, Svm } from '../svm.ts';
import { stakeLogs } from './logs.ts';
import { type StakeSimulation, simulateStakeInstructions } from './simulation.ts';
import { compileStaged } from './staged.ts';

const EMPTY_WALLET: LedgerAccount = {
  lamports: 0n,
  owner: SYSTEM_PROGRAM,
  executable: false,
  data: new Uint8Array(0),
};

/**
 * Runs a transaction that calls the stake program. Its binary is not public, so this runs the calls that it would make, and
 * writes the program's accounts once all of them have succeeded. Error indexes, inner instructions, logs and fee are those that
 * the real program would leave for the signed transaction.
 *
 * @param before the accounts of the transaction before it runs, by key index
 */
export function runWithStakeProgram(
  svm: Svm,
  transaction: ResolvedTransaction,
  before: readonly (LedgerAccount | null)[],
  clock: LedgerClock,
): Outcome {
  const simulation = simulateStakeInstructions(transaction, {
    clock,
    read: (address) => svm.read(address),
    rentExemption: (length) => svm.rentExemption(length),
  });
  const compiled = compileStaged(transaction, simulation.staged, simulation.signers);
  const result = runAtSignedFee(svm, transaction, before, compiled.extraSigners, compiled.wire);
  const err = originError(result.err, simulation);
  if (result.err !== null) return outcome(transaction, simulation, compiled.keys, result, err);
  if (simulation.failure !== null) {
    keepOnlyFee(svm, transaction, before);
    return outcome(transaction, simulation, compiled.keys, result, simulation.failure.err);
  }
  writeStakeAccounts(svm, simulation);
  return outcome(transaction, simulation, compiled.keys, result, null);
}

/** The runtime also charges for the program addresses that sign; the payer gets that much beforehand. */
function runAtSignedFee(
  svm: Svm,
  transaction: ResolvedTransaction,
  before: readonly (LedgerAccount | null)[],
  extraSigners: number,
  wire: Uint8Array,
): RunResult {
  const address = transaction.keys[0];
  const payer = before[0] ?? null;
  if (address === undefined || payer === null) return svm.run(wire);
  const lent = payer.lamports + SIGNATURE_FEE * BigInt(extraSigners);
  svm.write(address, { ...copyAccount(payer), lamports: lent });
  const result = svm.run(wire);
  if (result.err !== null && svm.read(address)?.lamports === lent) svm.write(address, payer);
  return result;
}

/** Undoes everything that ran before the refusal of the stake program, except the fee. */
function keepOnlyFee(
  svm: Svm,
  transaction: ResolvedTransaction,
  before: readonly (LedgerAccount | null)[],
): void {
  let fee = 0n;
  for (const [index, address] of transaction.keys.entries()) {
    if (!transaction.isWritable(index)) continue;
    const was = before[index] ?? null;
    fee += (was?.lamports ?? 0n) - (svm.read(address)?.lamports ?? 0n);
    svm.write(address, was);
  }
  const [address] = transaction.keys;
  const payer = before[0] ?? null;
  if (address === undefined || payer === null) return;
  svm.write(address, { ...copyAccount(payer), lamports: payer.lamports - fee });
}

function writeStakeAccounts(svm: Svm, simulation: StakeSimulation): void {
  for (const [address, pool] of simulation.pools) writeData(svm, address, STAKE_POOL.encode(pool));
  for (const [address, entry] of simulation.entries) writeData(svm, address, STAKE_ENTRY.encode(entry));
  for (const { entry, rentTo } of simulation.closed) {
    const rent = svm.read(entry)?.lamports ?? 0n;
    const receiver = svm.read(rentTo);
    const held = receiver === null ? EMPTY_WALLET : copyAccount(receiver);
    svm.write(rentTo, { ...held, lamports: held.lamports + rent });
    svm.write(entry, null);
  }
}

function writeData(svm: Svm, address: string, data: Uint8Array): void {
  const account = svm.read(address);
  if (account === null) throw new Error(`Account ${address} of the stake program is not there`);
  svm.write(address, { ...copyAccount(account), data });
}

function originError(
  err: TransactionErrorJson | null,
  simulation: StakeSimulation,
): TransactionErrorJson | null {
  if (err === null || typeof err === 'string') return err;
  const detail = err.InstructionError;
  if (!Array.isArray(detail)) return err;
  const [index, cause] = detail;
  return { InstructionError: [simulation.staged[index]?.origin ?? index, cause] };
}

function outcome(
  transaction: ResolvedTransaction,
  simulation: StakeSimulation,
  keys: readonly string[],
  result: RunResult,
  err: TransactionErrorJson | null,
): Outcome {
  return {
    err,
    logs: stakeLogs(transaction, simulation, result, err),
    computeUnits: result.computeUnits,
    returnData: result.returnData,
    innerInstructions: innerInstructions(transaction, simulation, keys, result),
  };
}

function innerInstructions(
  transaction: ResolvedTransaction,
  simulation: StakeSimulation,
  keys: readonly string[],
  result: RunResult,
): Outcome['innerInstructions'] {
  const indexOf = new Map(transaction.keys.map((key, index) => [key, index]));
  const place = (address: string | undefined): number => {
    const index = address === undefined ? undefined : indexOf.get(address);
    if (index === undefined)
      throw new Error(`The transaction does not name ${address ?? 'an account'} that it ran with`);
    return index;
  };
  const groups = new Map<number, InnerInstructionRecord[]>();
  for (const [position, inner] of result.innerInstructions.entries()) {
    const staged = simulation.staged[position];
    if (staged === undefined) continue;
    const group = groups.get(staged.origin) ?? [];
    groups.set(staged.origin, group);
    if (staged.isInner) {
      group.push({
        programIdIndex: place(staged.program),
        accounts: staged.accounts.map(place),
        data: staged.data,
        stackHeight: 2,
      });
    }
    for (const call of inner) {
      group.push({
        programIdIndex: place(keys[call.programIdIndex]),
        accounts: [...call.accounts].map((index) => place(keys[index])),
        data: call.data,
        stackHeight: call.stackHeight + (staged.isInner ? 1 : 0),
      });
    }
  }
  return [...groups]
    .filter(([, instructions]) => instructions.length > 0)
    .map(([index, instructions]) => ({ index, instructions }));
}
