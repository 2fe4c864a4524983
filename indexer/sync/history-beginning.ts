import { retryableErrorIn } from '../rpc/endpoint.ts';
import { type EndpointPool, requestFromTrusted } from '../rpc/endpoint-pool.ts';
import type { RpcCalls } from '../rpc/json-rpc.ts';
import { RetryableRpcError } from '../rpc/rpc-errors.ts';
import { firstAvailableBlockCall, type SignatureInfo, transactionCall } from '../rpc/solana-calls.ts';
import { newestBelowCall } from './signature-pages.ts';
import { readTransactionResult } from './transaction-window.ts';

interface AccountContext {
  readonly pool: Pick<EndpointPool, 'requestFromEach' | 'health'>;
  readonly address: string;
  readonly mint: string;
}
type Answers = [readonly SignatureInfo[], number, ...unknown[]];

/** Nodes that keep the whole ledger report block 0 or 1 as their first available block. */
const MAX_FIRST_BLOCK = 1;

/**
 * Checks whether `oldest`, the last transaction in an account's list, is the account's first. The end of a list alone
 * proves nothing, because a node that has dropped old history ends its list as if there were nothing older. The beginning
 * is proven if the transaction created the account, or if an endpoint that keeps the whole ledger lists nothing older.
 * @param oldest null if nothing is listed
 * @param listedSignatures the listed signatures in the slot of `oldest`; endpoints may order them differently
 * @returns `earlier` if an endpoint lists an older transaction
 * @throws {RetryableRpcError} if every endpoint has a temporary error or is distrusted
 */
export async function findBeginning(
  { pool, address, mint }: AccountContext,
  oldest: Pick<SignatureInfo, 'signature' | 'slot'> | null,
  listedSignatures: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<'proven' | 'unproven' | 'earlier'> {
  const calls: RpcCalls<Answers> = [
    newestBelowCall(address, oldest?.signature),
    firstAvailableBlockCall(),
    ...(oldest ? [transactionCall(oldest.signature)] : []),
  ];
  const answers = await requestFromTrusted<Answers>(pool, calls, signal);
  if (answers.length === 0) throw new RetryableRpcError('distrusted', 'Every endpoint is distrusted.');
  const listsOthers = (rows: readonly SignatureInfo[]): boolean =>
    rows.some((row) => !listedSignatures.has(row.signature));
  if (answers.some(({ replies: [below] }) => below.ok && listsOthers(below.value))) return 'earlier';
  const isProven = answers.some(({ replies: [below, firstBlock, transaction] }) => {
    const listsNothing = below.ok && !listsOthers(below.value);
    const hasWholeLedger = firstBlock.ok && firstBlock.value <= MAX_FIRST_BLOCK;
    const isCreation =
      oldest !== null &&
      transaction?.ok &&
      createsAccount(transaction.value, oldest.signature, address, mint);
    return (listsNothing && hasWholeLedger) || isCreation;
  });
  if (isProven) return 'proven';
  const errors = answers.map(({ replies }) => replies.map(retryableErrorIn).find((error) => error !== null));
  const [error] = errors;
  // Every endpoint had an error. A retry may prove the beginning.
  if (error && errors.every(Boolean)) throw error;
  return 'unproven';
}

function createsAccount(result: unknown, signature: string, address: string, mint: string): boolean {
  const reading = readTransactionResult(result, signature, mint);
  if (!reading.ok) return false;
  const { accounts, changes } = reading.transaction;
  return changes.some(
    ({ accountIndex, existedBefore, existsAfter }) =>
      !existedBefore && existsAfter && accounts.addressAt(accountIndex) === address,
  );
}
