import type { InnerInstructionRecord, LedgerAccount, LedgerClock, TransactionErrorJson } from '../chain.ts';
import { SIGNATURE_FEE } from '../fees.ts';
import type { InnerInstructionGroup, Outcome } from '../outcome.ts';
import { SYSTEM_PROGRAM } from '../programs.ts';
import type { ResolvedTransaction } from '../resolved-transaction.ts';
import type { RunResult, Svm } from '../svm.ts';
import { encodeStakeEntry, encodeStakePool } from './layout.ts';
import { stakeLogs } from './logs.ts';
import { planStakeInstructions, type StakePlan } from './plan.ts';
import { compileStaged } from './staged-message.ts';

const EMPTY_WALLET: LedgerAccount = {
  lamports: 0n,
  owner: SYSTEM_PROGRAM,
  executable: false,
  data: new Uint8Array(0),
};

/**
 * Runs a transaction that calls the stake program. The runtime has no binary of it, so what it would have called runs
 * instead, and its own accounts are written after all of that succeeded. The outcome is told in terms of the
 * transaction as it was signed: error indexes, inner instructions, logs and fee are those of the real program.
 *
 * @param before the accounts of the transaction before it runs, by key index
 */
export function runWithStakeProgram(
  svm: Svm,
  transaction: ResolvedTransaction,
  before: readonly (LedgerAccount | null)[],
  clock: LedgerClock,
): Outcome {
  const plan = planStakeInstructions(transaction, {
    clock,
    read: (address) => svm.read(address),
    rentExemption: (length) => svm.rentExemption(length),
  });
  const compiled = compileStaged(transaction, plan.staged, plan.signers);
  const result = runAtSignedFee(svm, transaction, before, compiled.extraSigners, compiled.wire);
  const err = originError(result.err, plan);
  if (result.err !== null) return outcome(transaction, plan, compiled.keys, result, err);
  if (plan.failure !== null) {
    keepOnlyFee(svm, transaction, before);
    return outcome(transaction, plan, compiled.keys, result, plan.failure.err);
  }
  writeStakeAccounts(svm, plan);
  return outcome(transaction, plan, compiled.keys, result, null);
}

/** The runtime charges for the program addresses that sign too; the payer is given that much beforehand. */
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
  svm.write(address, { ...copy(payer), lamports: lent });
  const result = svm.run(wire);
  if (result.err !== null && svm.read(address)?.lamports === lent) svm.write(address, payer);
  return result;
}

/** Takes back all that ran before the stake program refused, save the fee. */
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
  svm.write(address, { ...copy(payer), lamports: payer.lamports - fee });
}

function writeStakeAccounts(svm: Svm, plan: StakePlan): void {
  for (const [address, pool] of plan.pools) writeData(svm, address, encodeStakePool(pool));
  for (const [address, entry] of plan.entries) writeData(svm, address, encodeStakeEntry(entry));
  for (const { entry, rentTo } of plan.closed) {
    const rent = svm.read(entry)?.lamports ?? 0n;
    const receiver = svm.read(rentTo);
    const held = receiver === null ? EMPTY_WALLET : copy(receiver);
    svm.write(rentTo, { ...held, lamports: held.lamports + rent });
    svm.write(entry, null);
  }
}

function writeData(svm: Svm, address: string, data: Uint8Array): void {
  const account = svm.read(address);
  if (account === null) throw new Error(`Account ${address} of the stake program is not there`);
  svm.write(address, { ...copy(account), data });
}

/** Accounts read their fields when asked; a copy has them all. */
function copy({ lamports, owner, executable, data }: LedgerAccount): LedgerAccount {
  return { lamports, owner, executable, data };
}

function originError(err: TransactionErrorJson | null, plan: StakePlan): TransactionErrorJson | null {
  if (err === null || typeof err === 'string') return err;
  const detail = err.InstructionError;
  if (!Array.isArray(detail)) return err;
  const [index, cause] = detail;
  return { InstructionError: [plan.staged[index]?.origin ?? index, cause] };
}

function outcome(
  transaction: ResolvedTransaction,
  plan: StakePlan,
  keys: readonly string[],
  result: RunResult,
  err: TransactionErrorJson | null,
): Outcome {
  return {
    err,
    logs: stakeLogs(transaction, plan, result, err),
    computeUnits: result.computeUnits,
    returnData: result.returnData,
    innerInstructions: innerInstructions(transaction, plan, keys, result),
  };
}

function innerInstructions(
  transaction: ResolvedTransaction,
  plan: StakePlan,
  keys: readonly string[],
  result: RunResult,
): InnerInstructionGroup[] {
  const indexOf = new Map(transaction.keys.map((key, index) => [key, index]));
  const place = (address: string | undefined): number => {
    const index = address === undefined ? undefined : indexOf.get(address);
    if (index === undefined)
      throw new Error(`The transaction does not name ${address ?? 'an account'} that it ran with`);
    return index;
  };
  const groups = new Map<number, InnerInstructionRecord[]>();
  for (const [position, inner] of result.innerInstructions.entries()) {
    const staged = plan.staged[position];
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
