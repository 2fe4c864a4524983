import type { DecodedTransaction } from '../chain/decode.ts';
import { type EndpointPool, requestFromTrusted } from '../rpc/endpoint-pool.ts';
import type { PoolReply } from '../rpc/json-rpc.ts';
import { RpcRequestError } from '../rpc/rpc-errors.ts';
import { transactionCall } from '../rpc/solana-calls.ts';
import {
  type KnownTransactions,
  readListed,
  readTransactionResult,
  type UnreadTransaction,
} from './transaction-window.ts';

/**
 * A transaction that may become readable is quarantined after at least `minAttempts` attempts, and no earlier than `minElapsedMs`
 * after the first attempt.
 */
export interface RetryPolicy {
  readonly minAttempts: number;
  readonly minElapsedMs: number;
  /** How long to wait (ms) after the given number of failed rounds in a row, which is at least one. */
  readonly pauseMs: (rounds: number) => number;
}

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 60_000;

/** The limits are low, because later transactions have to wait, and a quarantined transaction is retried anyway. */
const RETRY_POLICY: RetryPolicy = {
  minAttempts: 3,
  minElapsedMs: 2_000,
  pauseMs: (rounds) => Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(rounds - 1, 30)),
};

interface QuarantineReason {
  readonly reason: string;
  /** Unix ms. */
  readonly since: number;
}

interface ReadAttempts {
  readonly since: number;
  count: number;
}

const MAX_PER_REQUEST = 50;

export function createUnreadableTracker(options: {
  readonly pool: Pick<EndpointPool, 'requestFromEach' | 'health'>;
  readonly mint: string;
  readonly retryPolicy?: RetryPolicy | undefined;
}) {
  const { pool, mint, retryPolicy = RETRY_POLICY } = options;
  const readTransactions = new Map<string, DecodedTransaction>();
  const quarantined = new Map<string, QuarantineReason>();
  const attemptsBySignature = new Map<string, ReadAttempts>();
  let failedRounds = 0;
  let notBefore = Number.NEGATIVE_INFINITY;

  return {
    knownTransactions: { transactions: readTransactions, quarantined } satisfies KnownTransactions,
    isPausing: (): boolean => performance.now() < notBefore,
    /**
     * Requests unread transactions from every endpoint. A transaction that a trusted endpoint returns in a readable
     * form counts as known. Any other transaction is quarantined if a trusted endpoint shows that the transaction, not
     * the endpoint, is the cause. This takes several attempts, or only one if a retry would get the same answer from
     * every trusted endpoint.
     * @param readableSignature the signature of a transaction that was read before. An endpoint that cannot return this
     * transaction lacks the history.
     * @returns whether reading may continue immediately
     */
    async retryEverywhere(
      unread: readonly UnreadTransaction[],
      readableSignature: string | null,
      signal: AbortSignal,
    ): Promise<boolean> {
      const requested = unread.slice(0, MAX_PER_REQUEST);
      const calls = [
        ...requested.map(({ row }) => row.signature),
        ...(readableSignature === null ? [] : [readableSignature]),
      ].map(transactionCall);
      const answers = await requestFromTrusted<unknown[]>(pool, calls, signal);
      let hasProgress = false;
      for (const [index, { row, reason }] of requested.entries()) {
        readTransactions.delete(row.signature);
        let isTransactionTheCause = false;
        let lastReason = reason;
        for (const { replies } of answers) {
          const reply = replies[index];
          if (!reply) continue;
          const reading = reply.ok ? readListed(reply.value, row, mint) : null;
          if (reading?.ok) {
            readTransactions.set(row.signature, reading.transaction);
          } else if (
            isAboutTransaction(
              reply,
              readableSignature === null ? undefined : replies.at(-1),
              readableSignature,
              mint,
            )
          ) {
            isTransactionTheCause = true;
            lastReason = reading && !reading.ok ? reading.reason : reply.ok ? reason : reply.error.message;
          }
        }
        if (readTransactions.has(row.signature)) {
          attemptsBySignature.delete(row.signature);
          hasProgress = true;
          continue;
        }
        const attempt = attemptsBySignature.get(row.signature) ?? { since: performance.now(), count: 0 };
        attemptsBySignature.set(row.signature, attempt);
        if (!isTransactionTheCause) continue;
        attempt.count += 1;
        const mayRetryHelp =
          attempt.count < retryPolicy.minAttempts ||
          performance.now() - attempt.since < retryPolicy.minElapsedMs;
        if (mayRetryHelp && !answers.every(({ replies }) => isDefinite(replies[index]))) continue;
        quarantined.set(row.signature, { reason: lastReason, since: Date.now() });
        hasProgress = true;
      }
      failedRounds = hasProgress ? 0 : failedRounds + 1;
      notBefore = hasProgress
        ? Number.NEGATIVE_INFINITY
        : performance.now() + retryPolicy.pauseMs(failedRounds);
      return hasProgress;
    },
    quarantineReason: (signature: string): QuarantineReason | undefined => quarantined.get(signature),
    /** Drops transactions that the cursor has passed. */
    forget(signatures: Iterable<string>): void {
      if (readTransactions.size === 0 && quarantined.size === 0 && attemptsBySignature.size === 0) return;
      failedRounds = 0;
      for (const signature of signatures) {
        readTransactions.delete(signature);
        quarantined.delete(signature);
        attemptsBySignature.delete(signature);
      }
    },
  };
}

/** Whether a retry would get the same answer: the endpoint returned the transaction, or refused to return it. */
function isDefinite(reply: PoolReply<unknown> | undefined): boolean {
  return reply?.ok ? reply.value !== null : reply?.error instanceof RpcRequestError;
}

/**
 * Whether a reply failed because of the transaction and not because of the endpoint. That is the case if the endpoint still
 * returns a transaction that was read before. If none was read before, the endpoint must have answered or refused the
 * call.
 */
function isAboutTransaction(
  reply: PoolReply<unknown>,
  readableReply: PoolReply<unknown> | undefined,
  readableSignature: string | null,
  mint: string,
): boolean {
  if (readableSignature !== null)
    return (
      readableReply?.ok === true && readTransactionResult(readableReply.value, readableSignature, mint).ok
    );
  return reply.ok || reply.error instanceof RpcRequestError;
}
