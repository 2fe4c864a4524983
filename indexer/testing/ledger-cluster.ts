import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import {
  type LedgerChain,
  type LedgerTransaction,
  type SendOutcome,
  type SignatureRecord,
  SLOT_MILLISECONDS,
} from '../ledger/chain.ts';
import { startRpcServer } from '../ledger/rpc/server.ts';
import type { SeededRandom } from '../ledger/seeded-random.ts';
import { openTestLedger } from '../ledger/testing/test-ledger.ts';
import { type LedgerRecord, recordLedger } from './ledger-record.ts';

export type ForkingLedger = ReturnType<typeof openForkingLedger>;

/** The share of the transactions sent during a fork that are also queued for the other ledger. */
const SHARE_ON_BOTH = 0.5;

/**
 * Opens two ledgers, `main` and `fork`, with the same genesis and clock. They execute the same transactions until the fork
 * begins. After that, each slot belongs to one of the ledgers: a transaction sent in the slot lands on that ledger, and perhaps
 * on the other one in a later slot. The cluster follows `fork` until the fork is dropped, then `main`.
 */
export function openForkingLedger(random: SeededRandom, options: { readonly forks: boolean }) {
  const ledger = openTestLedger();
  const main = recordLedger(ledger.chain);
  const other = options.forks ? openTestLedger() : null;
  const fork = other && recordLedger(other.chain);
  /** Transactions that landed on one ledger and may still land on the other. */
  const lateTransactions: { readonly wire: Uint8Array; readonly target: LedgerRecord }[] = [];
  let phase: 'before' | 'forked' | 'after' = 'before';
  let slotOwner = main;

  const land = ({ chain }: LedgerRecord, wire: Uint8Array): SendOutcome =>
    chain.send(wire, { skipPreflight: true });
  const landLate = (): void => {
    for (const { wire, target } of lateTransactions.splice(0)) {
      if (phase === 'after' ? target === main : target === slotOwner) land(target, wire);
      else if (phase === 'forked') lateTransactions.push({ wire, target });
    }
  };
  const send = (wire: Uint8Array): SendOutcome => {
    if (phase === 'after' || !fork) return land(main, wire);
    if (phase === 'forked') {
      const target = slotOwner === main ? fork : main;
      if (random.next() < SHARE_ON_BOTH) lateTransactions.push({ wire, target });
      return land(slotOwner, wire);
    }
    land(fork, wire);
    return land(main, wire);
  };
  const advance = (milliseconds: number): void => {
    ledger.advance(milliseconds);
    other?.advance(milliseconds);
    // A slot belongs to one ledger, so the owner changes only when a new slot begins.
    if (phase === 'forked' && fork && milliseconds >= SLOT_MILLISECONDS)
      slotOwner = random.pick([fork, fork, main]);
    landLate();
  };

  return {
    /** The chain that remains. */
    main,
    /** The chain that is dropped; null if there is no fork. */
    fork,
    chainToSendTo: { ...main.chain, send } satisfies LedgerChain,
    /** The ledger that the cluster agrees on now. */
    current: (): LedgerRecord => (phase === 'forked' && fork ? fork : main),
    advance,
    /** Begins the fork with the next slot. The fork must be dropped before its slots become final. */
    beginFork(): void {
      if (!fork) return;
      phase = 'forked';
      advance(SLOT_MILLISECONDS);
    },
    dropFork(): void {
      if (phase !== 'forked') return;
      phase = 'after';
      advance(SLOT_MILLISECONDS);
    },
    close(): void {
      ledger.chain.close();
      other?.chain.close();
    },
  };
}

/** A node of a cluster, served over real HTTP. It can fall behind. While it is behind, it stays on its fork. */
export interface LedgerNode {
  readonly url: string;
  newestSlot(): number;
  /** Makes the node answer with the state from this many slots ago. Does nothing if the node is already behind. */
  fallBehind(slots: number): void;
  catchUp(): void;
  close(): Promise<void>;
}

/** More rows than any test account has. */
const ALL_ROWS = 1_000_000;

/**
 * Starts a node that knows only completed slots, which no longer change.
 * @param current the ledger that the cluster agrees on now
 */
export async function startLedgerNode(current: () => LedgerRecord): Promise<LedgerNode> {
  let behind: { readonly ledger: LedgerRecord; readonly slot: number } | null = null;
  const newestOf = ({ chain }: LedgerRecord): number => chain.clock().slot - 1;
  const ledger = (): LedgerRecord => behind?.ledger ?? current();
  const newestSlot = (): number => behind?.slot ?? newestOf(current());

  const transaction = (signature: string): LedgerTransaction | null => {
    const found = ledger().chain.transaction(signature);
    return found && found.slot <= newestSlot() ? found : null;
  };
  const view: LedgerChain = {
    ...current().chain,
    clock: () => ({ ...ledger().chain.clock(), slot: newestSlot(), blockHeight: newestSlot() }),
    account: (address) => ledger().accountAt(address, newestSlot()),
    programAccounts: (program) => (program === STAKING_PROGRAM ? ledger().stakeAccountsAt(newestSlot()) : []),
    transaction,
    signaturesFor(address, query) {
      const { before, until, limit } = query;
      const unknown = [before, until].find((cursor) => cursor !== undefined && transaction(cursor) === null);
      if (unknown !== undefined) return { kind: 'unknown-cursor', signature: unknown };
      const answer = ledger().chain.signaturesFor(address, { ...query, limit: ALL_ROWS });
      if (answer.kind === 'unknown-cursor') return answer;
      const isVisible = (row: SignatureRecord) => row.slot <= newestSlot();
      return { kind: 'found', rows: answer.rows.filter(isVisible).slice(0, limit) };
    },
  };
  const server = await startRpcServer(view, 0);
  return {
    url: server.url,
    newestSlot,
    fallBehind(slots) {
      behind ??= { ledger: current(), slot: newestOf(current()) - slots };
    },
    catchUp() {
      behind = null;
    },
    close: () => server.close(),
  };
}
