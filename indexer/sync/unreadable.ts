import type { EndpointPool, PoolReply } from '../rpc/endpoint-pool.ts';
import { RpcRequestError } from '../rpc/rpc-errors.ts';
import { getTransaction } from '../rpc/solana-calls.ts';
import { readListed, readTelling } from './read-transaction.ts';
import type { KnownTransaction, KnownTransactions, UnreadTransaction } from './transaction-window.ts';

/** How long a transaction that cannot be read is tried for before it is put aside: both have to be reached. */
export interface Patience {
  readonly tries: number;
  readonly milliseconds: number;
  /** Milliseconds to wait after a number of tries in a row, from 1. */
  readonly pauseMs: (tries: number) => number;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;

export const PATIENCE: Patience = {
  tries: 10,
  milliseconds: 5 * 60_000,
  pauseMs: (tries) => Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(tries - 1, 30)),
};

/** Why a transaction was put aside, and when (Unix ms). */
export interface PutAside {
  readonly reason: string;
  readonly since: number;
}

/** The transactions of one account that could not be read, and how long each was tried for. */
export interface UnreadableTransactions {
  readonly known: KnownTransactions;
  /** Whether it is too early to try again. */
  isPausing(): boolean;
  /**
   * Asks every endpoint for transactions that were not read. One that an endpoint can tell is known from then on; one
   * that was tried for long, while the endpoints told others, is put aside.
   * @param witness a transaction that was read before, asked for along: who cannot tell it has not got the history
   * @returns whether it is worth to read on at once
   */
  askAll(unread: readonly UnreadTransaction[], witness: string | null, signal: AbortSignal): Promise<boolean>;
  putAside(signature: string): PutAside | undefined;
  /** Forgets transactions that the cursor has passed. */
  passed(signatures: Iterable<string>): void;
}

interface Trouble {
  readonly since: number;
  tries: number;
}

/** Asked for in one request to each endpoint. */
const MOST_AT_ONCE = 50;

export function createUnreadable(options: {
  readonly pool: Pick<EndpointPool, 'askEach'>;
  readonly mint: string;
  readonly patience?: Patience | undefined;
  /** Milliseconds of a clock that never steps back. */
  readonly elapsed: () => number;
  /** Unix ms. */
  readonly now?: (() => number) | undefined;
}): UnreadableTransactions {
  const { pool, mint, patience = PATIENCE, elapsed, now = Date.now } = options;
  const read = new Map<string, KnownTransaction>();
  const aside = new Map<string, PutAside>();
  const troubles = new Map<string, Trouble>();
  let triesInARow = 0;
  let notBefore = Number.NEGATIVE_INFINITY;

  return {
    known: { read, putAside: aside },
    isPausing: () => elapsed() < notBefore,
    async askAll(unread, witness, signal) {
      const asked = unread.slice(0, MOST_AT_ONCE);
      const calls = [...asked.map(({ row }) => row.signature), ...(witness === null ? [] : [witness])].map(
        getTransaction,
      );
      const answers = await pool.askEach<unknown[]>(calls, signal);
      let isNews = false;
      for (const [index, { row, reason }] of asked.entries()) {
        // What was known of it before was of no use.
        read.delete(row.signature);
        let counts = false;
        let last = reason;
        for (const { replies } of answers) {
          const reply = replies[index];
          if (!reply) continue;
          const telling = reply.ok ? readListed(reply.value, row, mint) : null;
          if (telling?.ok) {
            read.set(row.signature, { transaction: telling.transaction, isFinalized: row.isFinalized });
          } else if (isJudgement(reply, witness === null ? undefined : replies.at(-1), witness, mint)) {
            counts = true;
            last = telling && !telling.ok ? telling.reason : reply.ok ? reason : reply.error.message;
          }
        }
        if (read.has(row.signature)) {
          troubles.delete(row.signature);
          isNews = true;
          continue;
        }
        const trouble = troubles.get(row.signature) ?? { since: elapsed(), tries: 0 };
        troubles.set(row.signature, trouble);
        if (!counts) continue;
        trouble.tries += 1;
        if (trouble.tries < patience.tries || elapsed() - trouble.since < patience.milliseconds) continue;
        aside.set(row.signature, { reason: last, since: now() });
        isNews = true;
      }
      triesInARow = isNews ? 0 : triesInARow + 1;
      notBefore = isNews ? Number.NEGATIVE_INFINITY : elapsed() + patience.pauseMs(triesInARow);
      return isNews;
    },
    putAside: (signature) => aside.get(signature),
    passed(signatures) {
      if (read.size === 0 && aside.size === 0 && troubles.size === 0) return;
      triesInARow = 0;
      for (const signature of signatures) {
        read.delete(signature);
        aside.delete(signature);
        troubles.delete(signature);
      }
    },
  };
}

/**
 * Whether a reply speaks of the transaction, not of the endpoint that gave it: an endpoint that does not answer, or cannot
 * tell the witness either, says nothing about the transaction. Without a witness only an answer or a refusal counts.
 */
function isJudgement(
  reply: PoolReply<unknown>,
  ofWitness: PoolReply<unknown> | undefined,
  witness: string | null,
  mint: string,
): boolean {
  if (witness !== null) return ofWitness?.ok === true && readTelling(ofWitness.value, witness, mint).ok;
  return reply.ok || reply.error instanceof RpcRequestError;
}
