import type { LedgerAccount, LedgerClock, TokenBalanceRecord } from './chain.ts';
import type { InnerInstructionGroup, Outcome } from './outcome.ts';
import { STAKE_PROGRAM } from './programs.ts';
import type { ResolvedTransaction } from './resolved-transaction.ts';
import { runWithStakeProgram } from './stake-program/run.ts';
import type { Svm } from './svm.ts';
import { decodeMintDecimals, decodeTokenAccount } from './token-accounts.ts';

export interface AccountChange {
  readonly address: string;
  readonly before: LedgerAccount | null;
  readonly after: LedgerAccount | null;
}

export interface Execution extends Outcome {
  /** Whether the transaction took place: it succeeded, or failed and paid its fee. */
  readonly isIncluded: boolean;
  /** Lamports. */
  readonly fee: bigint;
  readonly preBalances: readonly bigint[];
  readonly postBalances: readonly bigint[];
  readonly preTokenBalances: readonly TokenBalanceRecord[];
  readonly postTokenBalances: readonly TokenBalanceRecord[];
  readonly changes: readonly AccountChange[];
  /** Puts every account back as it was before. */
  undo(): void;
}

/**
 * Runs a transaction against the accounts as they are, and keeps what it changes until `undo`. Signatures and
 * blockhash are the caller's to check. The fee is what the accounts lost together, since running moves lamports
 * and makes none.
 */
export function execute(svm: Svm, transaction: ResolvedTransaction, clock: LedgerClock): Execution {
  const { keys } = transaction;
  svm.setClock(clock);
  const before = keys.map((key) => svm.read(key));
  const outcome = run(svm, transaction, before, clock);
  const after = keys.map((key, index) =>
    transaction.isWritable(index) ? svm.read(key) : (before[index] ?? null),
  );

  const changes: AccountChange[] = [];
  for (const [index, address] of keys.entries()) {
    const change = { address, before: before[index] ?? null, after: after[index] ?? null };
    if (change.before !== change.after && !isSameAccount(change.before, change.after)) changes.push(change);
  }
  return {
    ...outcome,
    isIncluded: outcome.err === null || changes.length > 0,
    fee: sumLamports(before) - sumLamports(after),
    preBalances: before.map(lamportsOf),
    postBalances: after.map(lamportsOf),
    preTokenBalances: tokenBalances(svm, before),
    postTokenBalances: tokenBalances(svm, after),
    changes,
    undo() {
      for (const change of changes) svm.write(change.address, change.before);
    },
  };
}

function run(
  svm: Svm,
  transaction: ResolvedTransaction,
  before: readonly (LedgerAccount | null)[],
  clock: LedgerClock,
): Outcome {
  if (!callsStakeProgram(transaction)) return runPlain(svm, transaction);
  try {
    return runWithStakeProgram(svm, transaction, before, clock);
  } catch (error) {
    // Whatever went wrong halfway must not stay in the accounts.
    for (const [index, address] of transaction.keys.entries()) {
      if (transaction.isWritable(index)) svm.write(address, before[index] ?? null);
    }
    throw error;
  }
}

function callsStakeProgram({ wire: { message } }: ResolvedTransaction): boolean {
  const index = message.staticKeys.indexOf(STAKE_PROGRAM);
  return index >= 0 && message.instructions.some((instruction) => instruction.programIdIndex === index);
}

function runPlain(svm: Svm, transaction: ResolvedTransaction): Outcome {
  const result = svm.run(transaction.wire.bytes);
  const groups: InnerInstructionGroup[] = [];
  for (const [index, group] of result.innerInstructions.entries()) {
    if (group.length === 0) continue;
    groups.push({ index, instructions: group.map((inner) => ({ ...inner, accounts: [...inner.accounts] })) });
  }
  return { ...result, innerInstructions: groups };
}

function tokenBalances(svm: Svm, accounts: readonly (LedgerAccount | null)[]): TokenBalanceRecord[] {
  const balances: TokenBalanceRecord[] = [];
  for (const [accountIndex, account] of accounts.entries()) {
    const state = account === null ? null : decodeTokenAccount(account);
    if (account === null || state === null) continue;
    const mint = svm.read(state.mint);
    const decimals = mint === null ? null : decodeMintDecimals(mint);
    if (decimals !== null) balances.push({ accountIndex, ...state, programId: account.owner, decimals });
  }
  return balances;
}

function isSameAccount(left: LedgerAccount | null, right: LedgerAccount | null): boolean {
  if (left === null || right === null) return left === right;
  return (
    left.lamports === right.lamports &&
    left.owner === right.owner &&
    left.executable === right.executable &&
    Buffer.compare(left.data, right.data) === 0
  );
}

function lamportsOf(account: LedgerAccount | null): bigint {
  return account?.lamports ?? 0n;
}

function sumLamports(accounts: readonly (LedgerAccount | null)[]): bigint {
  return accounts.reduce((sum, account) => sum + lamportsOf(account), 0n);
}
