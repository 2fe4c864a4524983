import { vi } from 'vitest';
import type { IndexIdentity } from '../../data/store/chain-rows.ts';
import { METHOD_NOT_FOUND, RpcRequestError } from '../rpc/rpc-errors.ts';
import {
  type AccountHistory,
  type AccountHistoryOptions,
  createAccountHistory,
  type HeadReply,
  type HistoryProgress,
  type HistoryWriter,
} from '../sync/account-history.ts';
import type { LoopSizes } from '../sync/chain-loop.ts';
import { createWindowReader } from '../sync/transaction-window.ts';
import type { RetryPolicy } from '../sync/unreadable-transactions.ts';
import {
  type ScriptedMethods,
  type ScriptedPool,
  scriptedPool,
  unknownSignatureError,
} from './scripted-pool.ts';
import type { TestIndex } from './test-chain.ts';

/** Helpers for testing one account's history against a scripted node, with small pages, windows and batches. */

export const SCRIPTED_MINT = 'mint';
export const VAULT = 'vault';
export const IDENTITY: IndexIdentity = {
  genesisHash: 'genesis',
  mint: SCRIPTED_MINT,
  vault: VAULT,
  stakePool: 'pool',
  poolVault: 'pool-vault',
  decimals: 6,
};
export const neverAborted = new AbortController().signal;

interface Sizes extends LoopSizes {
  readonly retryPolicy: RetryPolicy;
}
const SMALL_SIZES: Sizes = {
  pageSize: 5,
  windowSize: 3,
  windowsAhead: 2,
  batchSize: 2,
  requestsAtOnce: 2,
  budgetMs: 10_000,
  retryPolicy: { minAttempts: 10, minElapsedMs: 300_000, pauseMs: () => 0 },
};

/** Creates the vault's history. Also replaces `performance.now` with `clock`; the test must restore it. */
export function createVaultHistory(
  { pool }: ScriptedNode,
  writer: HistoryWriter,
  sizes: Partial<Sizes> & Pick<AccountHistoryOptions, 'onRelistingGivenUp'> = {},
  clock = () => 0,
): AccountHistory {
  vi.spyOn(performance, 'now').mockImplementation(clock);
  const all = { ...SMALL_SIZES, ...sizes };
  const reader = createWindowReader({
    pool,
    mint: SCRIPTED_MINT,
    watched: { address: VAULT, role: 'vault' },
    batchSize: all.batchSize,
    requestsAtOnce: all.requestsAtOnce,
  });
  const mint = SCRIPTED_MINT;
  return createAccountHistory({ address: VAULT, pool, writer, reader, mint, ...all });
}

export async function tick(
  node: ScriptedNode,
  history: AccountHistory,
  requestedAt = 0,
): Promise<HistoryProgress> {
  return history.advance(await requestHead(node, history, requestedAt), neverAborted);
}

async function requestHead(
  { pool, history: past, finalizedSlot }: ScriptedNode,
  history: AccountHistory,
  requestedAt = 0,
): Promise<HeadReply | null> {
  const call = await history.headCall();
  if (!call) return null;
  const [page] = await pool.batch([call], neverAborted);
  const value = finalizedSlot ?? past.at(-1)?.slot ?? 0;
  return { page, finalizedSlot: { ok: true, value, endpointName: page.endpointName }, requestedAt };
}

export async function advanceUntilCaughtUp(node: ScriptedNode, history: AccountHistory): Promise<void> {
  for (let ticks = 0; ticks < 2_000; ticks += 1) {
    if ((await tick(node, history)).state === 'caught-up') return;
  }
  throw new Error('the history never caught up');
}

/** Makes one transaction per listed slot, oldest first. Every fourth transaction is a failed one. */
export function transactionsAt(slots: readonly number[]): PastTransaction[] {
  return slots.map((slot, index) => ({
    signature: `s${index}`,
    slot,
    delta: index % 4 === 3 ? null : BigInt(index + 1),
  }));
}

/** The events that the index must contain, computed without the code under test. */
export function expectedEvents(past: readonly PastTransaction[]) {
  return past.flatMap(({ signature, slot, delta }, index) => {
    if (delta === null) return [];
    const position = past.slice(0, index).filter((earlier) => earlier.slot === slot).length;
    return [{ signature, slot, position, delta }];
  });
}

export async function indexedEvents(index: TestIndex) {
  const events = await index.events();
  return events.map(({ signature, slot, position, delta }) => ({ signature, slot, position, delta }));
}

export interface PastTransaction {
  readonly signature: string;
  readonly slot: number;
  /** The change of the watched account's balance; null if the transaction failed. */
  readonly delta: bigint | null;
}

/** A node with the history of one account. A test sets its properties to make it misbehave. */
export interface ScriptedNode {
  readonly pool: ScriptedPool;
  /** Functions that answer the calls, by RPC method. A test can serve them over HTTP instead of using `pool`. */
  readonly methods: ScriptedMethods;
  /** Oldest first. The test may change it at any time. */
  history: PastTransaction[];
  /** Listed transactions that the node does not return. */
  readonly withheld: Set<string>;
  /** Wrong slots by signature. The node lists the transaction with the correct slot but returns it with this one. */
  readonly returnedSlots: Map<string, number>;
  maxPage: number;
  /** Whether the node reports the index that each transaction has in its block. */
  reportsIndex: boolean;
  indexOf(signature: string): number;
  /** The transaction that created the account; null if that transaction is older than the history. */
  creationSignature: string | null;
  refusesLists: boolean;
  /** The node's reaction to an unknown `before` or `until`. */
  unknownCursor: 'refuses' | 'lists-everything';
  /** The node's finalized slot; null if every slot is finalized. */
  finalizedSlot: number | null;
  /** The first slot of the node's history. The node does not know older transactions. */
  historyFrom: number;
  /** The first block that the node reports; null if it refuses the call. */
  firstBlock: number | null;
}

export function scriptedNode(account: string, history: readonly PastTransaction[]): ScriptedNode {
  const servedHistory = () => node.history.filter(({ slot }) => slot >= node.historyFrom);
  const methods: ScriptedMethods = {
    getSignatureStatuses: ([signature]: readonly [string]) => {
      const found = servedHistory().find((entry) => entry.signature === signature);
      return { value: [found ? { slot: found.slot } : null] };
    },
    getSignaturesForAddress(
      address: string,
      { before, until, limit }: { before?: string; until?: string; limit: number },
    ) {
      if (node.refusesLists)
        throw new RpcRequestError('getSignaturesForAddress', METHOD_NOT_FOUND, 'Method not found');
      if (address !== account) return [];
      const past = servedHistory();
      const find = (signature: string) => past.findIndex((entry) => entry.signature === signature);
      const end = before === undefined ? past.length : find(before);
      const stop = until === undefined ? -1 : find(until);
      const isUnknown = end === -1 || (until !== undefined && stop === -1);
      if (isUnknown && node.unknownCursor === 'refuses') throw unknownSignatureError();
      const rows = past.slice(stop + 1, end === -1 ? undefined : end).toReversed();
      return rows.slice(0, Math.min(limit, node.maxPage)).map(({ signature, slot, delta }) => ({
        signature,
        slot,
        blockTime: blockTimeOf(slot),
        err: errOf(delta),
        confirmationStatus: slot <= (node.finalizedSlot ?? slot) ? 'finalized' : 'confirmed',
        ...(node.reportsIndex && { transactionIndex: node.indexOf(signature) }),
      }));
    },
    getFirstAvailableBlock() {
      if (node.firstBlock !== null) return node.firstBlock;
      throw new RpcRequestError('getFirstAvailableBlock', METHOD_NOT_FOUND, 'Method not found');
    },
    getTransaction(signature: string) {
      const entry = servedHistory().find((past) => past.signature === signature);
      if (!entry || node.withheld.has(signature)) return null;
      const slot = node.returnedSlots.get(signature) ?? entry.slot;
      return transactionJson(account, { ...entry, slot }, signature === node.creationSignature);
    },
  };
  const node: ScriptedNode = {
    pool: scriptedPool(methods),
    methods,
    history: [...history],
    withheld: new Set(),
    returnedSlots: new Map(),
    maxPage: 1_000,
    reportsIndex: true,
    indexOf: (signature) => node.history.findIndex((entry) => entry.signature === signature),
    creationSignature: null,
    refusesLists: false,
    unknownCursor: 'refuses',
    finalizedSlot: null,
    historyFrom: 0,
    firstBlock: 0,
  };
  return node;
}

/** Unix seconds. */
export const blockTimeOf = (slot: number): number => 1_700_000_000 + slot;

function errOf(delta: bigint | null): object | null {
  return delta === null ? { InstructionError: [0, { Custom: 1 }] } : null;
}

function transactionJson(
  account: string,
  { signature, slot, delta }: PastTransaction,
  isCreation: boolean,
): object {
  const BALANCE = 10n ** 15n;
  const side = (amount: bigint) => [
    { accountIndex: 0, mint: SCRIPTED_MINT, owner: 'owner', uiTokenAmount: { amount: amount.toString() } },
  ];
  return {
    slot,
    blockTime: blockTimeOf(slot),
    meta: {
      err: errOf(delta),
      preTokenBalances: isCreation ? [] : side(BALANCE),
      postTokenBalances: side((isCreation ? 0n : BALANCE) + (delta ?? 0n)),
      innerInstructions: [],
    },
    transaction: { signatures: [signature], message: { accountKeys: [account], instructions: [] } },
  };
}
