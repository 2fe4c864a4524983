import type { QuarantinedTransaction } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import type { WatchedAccount } from '../chain/classify.ts';
import { type EndpointPool, requestFromTrusted } from '../rpc/endpoint-pool.ts';
import { transactionCall } from '../rpc/solana-calls.ts';
import { activityOf, readTransactionResult } from './transaction-window.ts';

type TransactionKey = Pick<QuarantinedTransaction, 'signature' | 'account'>;

/** How long to wait (ms) after the given number of attempts, which is at least one. The first attempt is immediate. */
const retryDelayMs = (attempts: number): number =>
  Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 30));
const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 10 * 60_000;
const MAX_PER_ROUND = 20;

export function createQuarantineKeeper(options: {
  readonly pool: Pick<EndpointPool, 'requestFromEach' | 'health'>;
  readonly writer: Pick<IndexWriter, 'quarantined' | 'releaseQuarantined'>;
  readonly mint: string;
  readonly watched: readonly WatchedAccount[];
}) {
  const { pool, writer, mint, watched } = options;
  const retryStates = new Map<string, { attempts: number; dueAt: number }>();
  let quarantinedTransactions: readonly QuarantinedTransaction[] | null = null;

  const keyOf = ({ signature, account }: TransactionKey) => `${signature} ${account}`;
  const retryStateOf = (transaction: TransactionKey) => {
    const key = keyOf(transaction);
    const state = retryStates.get(key) ?? { attempts: 0, dueAt: Number.NEGATIVE_INFINITY };
    retryStates.set(key, state);
    return state;
  };

  return {
    /** Call this after a transaction has been quarantined, so that the list is read from the store again. */
    refresh(): void {
      quarantinedTransactions = null;
    },
    /**
     * Requests the transactions that are due for a retry, and releases those that can be read. Must not run while histories are
     * indexed. @returns the released transactions
     */
    async retryDue(signal: AbortSignal): Promise<readonly TransactionKey[]> {
      quarantinedTransactions ??= await writer.quarantined();
      const due = quarantinedTransactions
        .filter((one) => retryStateOf(one).dueAt <= performance.now())
        .slice(0, MAX_PER_ROUND);
      if (due.length === 0) return [];
      const calls = due.map(({ signature }) => transactionCall(signature));
      const answers = await requestFromTrusted<unknown[]>(pool, calls, signal);
      const released: TransactionKey[] = [];
      for (const [index, row] of due.entries()) {
        const retry = retryStateOf(row);
        retry.attempts += 1;
        retry.dueAt = performance.now() + retryDelayMs(retry.attempts);
        const account = watched.find(({ address }) => address === row.account);
        const [transaction] = answers.flatMap(({ replies }) => {
          const reply = replies[index];
          const reading = reply?.ok ? readTransactionResult(reply.value, row.signature, mint) : null;
          return reading?.ok && reading.transaction.slot === row.slot ? [reading.transaction] : [];
        });
        if (!transaction || !account) continue;
        await writer.releaseQuarantined(row, activityOf(transaction, row, 'finalized', account));
        retryStates.delete(keyOf(row));
        quarantinedTransactions = null;
        released.push({ signature: row.signature, account: row.account });
      }
      return released;
    },
  };
}
