import type { IndexIdentity } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import type { SignatureStatus } from '../rpc/solana-calls.ts';
import { type AccountHistory, createAccountHistory, type HistoryProgress } from '../sync/account-history.ts';
import type { HeadAnswer } from '../sync/head-page.ts';
import { createWindowReader } from '../sync/transaction-window.ts';
import type { Patience } from '../sync/unreadable.ts';
import { type PastTransaction, SCRIPTED_MINT, type ScriptedNode } from './scripted-history.ts';
import type { TestIndex } from './test-chain.ts';

/** For tests: the history of one account, followed at a scripted node with pages, windows and batches of a few. */

export const VAULT = 'vault';
export const IDENTITY: IndexIdentity = {
  genesisHash: 'genesis',
  mint: SCRIPTED_MINT,
  vault: VAULT,
  stakePool: 'pool',
  poolVault: 'pool-vault',
  decimals: 6,
};
export const never = new AbortController().signal;

interface Sizes {
  readonly pageSize: number;
  readonly windowSize: number;
  readonly windowsAhead: number;
  readonly batchSize: number;
  readonly requestsAtOnce: number;
  readonly budgetMs: number;
  readonly patience: Patience;
}
const SMALL: Sizes = {
  pageSize: 5,
  windowSize: 3,
  windowsAhead: 2,
  batchSize: 2,
  requestsAtOnce: 2,
  budgetMs: 10_000,
  patience: { tries: 10, milliseconds: 300_000, pauseMs: () => 0 },
};

export type Writer = Pick<IndexWriter, 'cursor' | 'commitEvents' | 'eventSums' | 'provisionalEvents'>;

export function follow(
  { pool }: ScriptedNode,
  writer: Writer,
  sizes: Partial<Sizes> = {},
  elapsed = () => 0,
): AccountHistory {
  const all = { ...SMALL, ...sizes };
  const reader = createWindowReader({
    pool,
    mint: SCRIPTED_MINT,
    watched: { address: VAULT, role: 'vault' },
    batchSize: all.batchSize,
    requestsAtOnce: all.requestsAtOnce,
  });
  const mint = SCRIPTED_MINT;
  return createAccountHistory({ address: VAULT, pool, writer, reader, mint, ...all, elapsed });
}

/** The node says that all it has is final, unless the test tells it otherwise. */
export async function tick(
  node: ScriptedNode,
  history: AccountHistory,
  askedAt = 0,
): Promise<HistoryProgress> {
  return history.advance(await ask(node, history, askedAt), never);
}

export async function ask(
  { pool, history: past, finalizedSlot }: ScriptedNode,
  history: AccountHistory,
  askedAt = 0,
): Promise<HeadAnswer | null> {
  const question = await history.question();
  if (!question) return null;
  const [page] = await pool.batch([question.page], never);
  const by = page.by;
  const cursor = past.find(({ signature }) => signature === question.cursorSignature);
  const cursorStatus: SignatureStatus = cursor
    ? { kind: 'known', slot: cursor.slot, hasFailed: cursor.delta === null, isFinalized: true }
    : { kind: 'unknown' };
  return {
    page,
    cursorStatus: question.cursorSignature === null ? null : { ok: true, value: cursorStatus, by },
    finalizedSlot: { ok: true, value: finalizedSlot || (past.at(-1)?.slot ?? 0), by },
    askedAt,
  };
}

export async function untilCaughtUp(node: ScriptedNode, history: AccountHistory): Promise<void> {
  for (let ticks = 0; ticks < 2_000; ticks += 1) {
    if ((await tick(node, history)).state === 'caught-up') return;
  }
  throw new Error('The history never caught up.');
}

/** A past of as many transactions as there are slots; equal neighbours share a slot. Every fourth failed. */
export function pastOf(slots: readonly number[]): PastTransaction[] {
  return slots.map((slot, index) => ({
    signature: `s${index}`,
    slot,
    delta: index % 4 === 3 ? null : BigInt(index + 1),
  }));
}

/** What the index must hold of a past, worked out without any of the code under test. */
export function expectedOf(past: readonly PastTransaction[]) {
  return past.flatMap(({ signature, slot, delta }, index) => {
    if (delta === null) return [];
    const position = past.slice(0, index).filter((earlier) => earlier.slot === slot).length;
    return [{ signature, slot, position, delta }];
  });
}

export async function indexed(index: TestIndex) {
  const events = await index.events();
  return events.map(({ signature, slot, position, delta }) => ({ signature, slot, position, delta }));
}
