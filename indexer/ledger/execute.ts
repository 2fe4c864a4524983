import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import { decodeMint, decodeTokenAccount } from '../chain/accounts.ts';
import type { LedgerAccount, LedgerClock, LedgerTransaction, TokenBalanceRecord } from './chain.ts';
import { withAdvancedNonce } from './message-checks.ts';
import type { ResolvedTransaction } from './resolved-transaction.ts';
import { runWithStakeProgram } from './stake-program/run.ts';
import type { Svm, TransactionOutcome } from './svm.ts';

export interface AccountChange {
  readonly address: string;
  readonly before: LedgerAccount | null;
  readonly after: LedgerAccount | null;
}

export interface Execution
  extends TransactionOutcome,
    Pick<
      LedgerTransaction,
      'fee' | 'preBalances' | 'postBalances' | 'preTokenBalances' | 'postTokenBalances'
    > {
  /** Whether the transaction is stored: it succeeded, or it failed and paid its fee. */
  readonly isIncluded: boolean;
  readonly changes: readonly AccountChange[];
  undo(): void;
}

/**
 * Runs a transaction on the current accounts. Its changes stay until `undo` is called. Does not check the signatures or the
 * blockhash. The fee is computed as the total lamports that the accounts lose, because programs move lamports but never create or
 * destroy them.
 *
 * @param nonceAddress the address of the transaction's durable nonce account, or null
 */
export function execute(
  svm: Svm,
  transaction: ResolvedTransaction,
  clock: LedgerClock,
  nonceAddress: string | null,
): Execution {
  const { keys } = transaction;
  svm.setClock(clock);
  const before = keys.map((key) => svm.read(key));
  const readAfter = () =>
    keys.map((key, index) => (transaction.isWritable(index) ? svm.read(key) : (before[index] ?? null)));
  const outcome = run(svm, transaction, before, clock);
  let after = readAfter();
  const fee = sumLamports(before) - sumLamports(after);
  const isIncluded = outcome.err === null || fee > 0n;
  const nonceAccount = nonceAddress === null ? null : (before[keys.indexOf(nonceAddress)] ?? null);
  if (outcome.err !== null && isIncluded && nonceAddress !== null && nonceAccount !== null) {
    // A cluster also uses up the nonce of a failed transaction, but LiteSVM restores the nonce.
    const lamports = svm.read(nonceAddress)?.lamports ?? nonceAccount.lamports;
    svm.write(nonceAddress, { ...withAdvancedNonce(nonceAccount), lamports });
    after = readAfter();
  }

  const changes: AccountChange[] = [];
  for (const [index, address] of keys.entries()) {
    const change = { address, before: before[index] ?? null, after: after[index] ?? null };
    if (change.before !== change.after && !isSameAccount(change.before, change.after)) changes.push(change);
  }
  return {
    ...outcome,
    isIncluded,
    fee,
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
): TransactionOutcome {
  if (!callsStakeProgram(transaction)) return runWithoutStakeProgram(svm, transaction);
  try {
    return runWithStakeProgram(svm, transaction, before, clock);
  } catch (error) {
    for (const [index, address] of transaction.keys.entries()) {
      if (transaction.isWritable(index)) svm.write(address, before[index] ?? null);
    }
    throw error;
  }
}

function callsStakeProgram({ wire: { message } }: ResolvedTransaction): boolean {
  const index = message.staticKeys.indexOf(STAKING_PROGRAM);
  return index >= 0 && message.instructions.some((instruction) => instruction.programIdIndex === index);
}

function runWithoutStakeProgram(svm: Svm, transaction: ResolvedTransaction): TransactionOutcome {
  const result = svm.run(transaction.wire.bytes);
  const innerInstructions = result.innerInstructions
    .map((group, index) => ({
      index,
      instructions: group.map((inner) => ({ ...inner, accounts: [...inner.accounts] })),
    }))
    .filter(({ instructions }) => instructions.length > 0);
  return { ...result, innerInstructions };
}

function tokenBalances(svm: Svm, accounts: readonly (LedgerAccount | null)[]): TokenBalanceRecord[] {
  const balances: TokenBalanceRecord[] = [];
  for (const [accountIndex, account] of accounts.entries()) {
    const state = account === null ? null : decodeTokenAccount(account);
    if (account === null || state === null) continue;
    const mintAccount = svm.read(state.mint);
    const decimals = mintAccount === null ? undefined : decodeMint(mintAccount)?.decimals;
    if (decimals === undefined) continue;
    const { mint, owner, amount } = state;
    balances.push({ accountIndex, mint, owner, amount, programId: account.owner, decimals });
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
