import { STAKE_ENTRY, STAKE_POOL } from '../../../data/model/stake-layout.ts';
import { copyAccount, NO_ACCOUNT } from '../account-index.ts';
import type { InnerInstructionRecord, LedgerAccount, LedgerClock, TransactionErrorJson } from '../chain.ts';
import { SIGNATURE_FEE } from '../message-checks.ts';
import type { ResolvedTransaction } from '../resolved-transaction.ts';
import type { RunResult, Svm, TransactionOutcome } from '../svm.ts';
import { stakeLogs } from './logs.ts';
import { type StakeSimulation, simulateStakeInstructions } from './simulation.ts';
import { compileStagedTransaction } from './staged-instructions.ts';

/**
 * Runs a transaction that calls the stake program. The program's binary is not public, so this function runs the calls that the
 * program would make, and writes the program's accounts once all calls have succeeded. The error index, inner instructions,
 * logs and fee are those that a cluster would record for the signed transaction.
 *
 * @param before the transaction's accounts before it runs, by key index
 */
export function runWithStakeProgram(
  svm: Svm,
  transaction: ResolvedTransaction,
  before: readonly (LedgerAccount | null)[],
  clock: LedgerClock,
): TransactionOutcome {
  const simulation = simulateStakeInstructions(transaction, {
    clock,
    read: (address) => svm.read(address),
    rentExemption: (length) => svm.rentExemption(length),
  });
  const { wire, keys, extraSignerCount } = compileStagedTransaction(
    transaction,
    simulation.stagedInstructions,
    simulation.signers,
  );
  const result = runAtSignedFee(svm, transaction, before, extraSignerCount, wire);
  if (result.err === null) {
    if (simulation.failure === null) writeStakeAccounts(svm, simulation);
    else keepOnlyFee(svm, transaction, before);
  }
  const err = withSignedIndex(result.err, simulation) ?? simulation.failure?.err ?? null;
  return {
    ...result,
    err,
    logs: stakeLogs(transaction, simulation, result, err),
    innerInstructions: collectInnerInstructions(transaction, simulation, keys, result),
  };
}

/**
 * Runs the staged transaction, but charges the fee of the signed one. The runtime charges for every signer, including program
 * addresses, so the payer receives the difference beforehand.
 */
function runAtSignedFee(
  svm: Svm,
  transaction: ResolvedTransaction,
  before: readonly (LedgerAccount | null)[],
  extraSignerCount: number,
  wire: Uint8Array,
): RunResult {
  const address = transaction.keys[0];
  const payer = before[0] ?? null;
  if (address === undefined || payer === null) return svm.run(wire);
  const lamports = payer.lamports + SIGNATURE_FEE * BigInt(extraSignerCount);
  svm.write(address, { ...copyAccount(payer), lamports });
  const result = svm.run(wire);
  // If no fee was charged, the payer gives the difference back.
  if (result.err !== null && svm.read(address)?.lamports === lamports) svm.write(address, payer);
  return result;
}

/** Undoes the instructions that ran before the one that the stake program rejected, but keeps the fee. */
function keepOnlyFee(
  svm: Svm,
  transaction: ResolvedTransaction,
  before: readonly (LedgerAccount | null)[],
): void {
  let fee = 0n;
  for (const [index, address] of transaction.keys.entries()) {
    if (!transaction.isWritable(index)) continue;
    const account = before[index] ?? null;
    fee += (account?.lamports ?? 0n) - (svm.read(address)?.lamports ?? 0n);
    svm.write(address, account);
  }
  const [address] = transaction.keys;
  const payer = before[0] ?? null;
  if (address === undefined || payer === null) return;
  svm.write(address, { ...copyAccount(payer), lamports: payer.lamports - fee });
}

function writeStakeAccounts(svm: Svm, simulation: StakeSimulation): void {
  for (const [address, pool] of simulation.pools) writeData(svm, address, STAKE_POOL.encode(pool));
  for (const [address, entry] of simulation.entries) writeData(svm, address, STAKE_ENTRY.encode(entry));
  for (const { entry, rentTo } of simulation.closedEntries) {
    const rent = svm.read(entry)?.lamports ?? 0n;
    const receiver = copyAccount(svm.read(rentTo) ?? NO_ACCOUNT);
    svm.write(rentTo, { ...receiver, lamports: receiver.lamports + rent });
    svm.write(entry, null);
  }
}

function writeData(svm: Svm, address: string, data: Uint8Array): void {
  const account = svm.read(address);
  if (account === null) throw new Error(`The stake program's account ${address} does not exist`);
  svm.write(address, { ...copyAccount(account), data });
}

/** Returns the error with the index that the failed instruction has in the signed transaction. */
function withSignedIndex(
  err: TransactionErrorJson | null,
  simulation: StakeSimulation,
): TransactionErrorJson | null {
  if (err === null || typeof err === 'string') return err;
  const detail = err.InstructionError;
  if (!Array.isArray(detail)) return err;
  const [index, cause] = detail;
  return { InstructionError: [simulation.stagedInstructions[index]?.originIndex ?? index, cause] };
}

/** @param keys the keys of the staged transaction */
function collectInnerInstructions(
  transaction: ResolvedTransaction,
  simulation: StakeSimulation,
  keys: readonly string[],
  result: RunResult,
): TransactionOutcome['innerInstructions'] {
  const indexByKey = new Map(transaction.keys.map((key, index) => [key, index]));
  const keyIndex = (address = 'an account'): number => {
    const index = indexByKey.get(address);
    if (index === undefined)
      throw new Error(`The staged transaction used ${address}, which the signed transaction does not list`);
    return index;
  };
  const groups = new Map<number, InnerInstructionRecord[]>();
  for (const [position, inner] of result.innerInstructions.entries()) {
    const staged = simulation.stagedInstructions[position];
    if (staged === undefined) continue;
    const group = groups.get(staged.originIndex) ?? [];
    groups.set(staged.originIndex, group);
    if (staged.isInner) {
      group.push({
        programIdIndex: keyIndex(staged.program),
        accounts: staged.accounts.map((address) => keyIndex(address)),
        data: staged.data,
        stackHeight: 2,
      });
    }
    for (const call of inner) {
      group.push({
        programIdIndex: keyIndex(keys[call.programIdIndex]),
        accounts: [...call.accounts].map((index) => keyIndex(keys[index])),
        data: call.data,
        stackHeight: call.stackHeight + (staged.isInner ? 1 : 0),
      });
    }
  }
  return [...groups]
    .filter(([, instructions]) => instructions.length > 0)
    .map(([index, instructions]) => ({ index, instructions }));
}
