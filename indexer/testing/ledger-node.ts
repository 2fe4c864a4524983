import type { LedgerChain, LedgerTransaction, SignatureRecord } from '../ledger/chain.ts';
import { STAKE_PROGRAM } from '../ledger/programs.ts';
import { startRpcServer } from '../ledger/rpc/server.ts';
import type { LedgerRecord } from './ledger-record.ts';

/** For tests: one node of a cluster, over real HTTP. It can fall behind, and is then left on the fork it was on. */
export interface LedgerNode {
  readonly url: string;
  /** From now on it answers as of a number of slots ago. Already behind, it stays where it is. */
  fallBehind(slots: number): void;
  catchUp(): void;
  close(): Promise<void>;
}

/** More rows than an account of a test ever has. */
const ALL_ROWS = 1_000_000;

/**
 * A node knows the slots that are over, as a cluster confirms them: what a slot held no longer changes.
 * @param current the ledger that the cluster agrees on at the moment
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
    programAccounts: (program) => (program === STAKE_PROGRAM ? ledger().stakeAccountsAt(newestSlot()) : []),
    transaction,
    signaturesFor(address, query) {
      const { before, until, limit } = query;
      const unknown = [before, until].find((cursor) => cursor !== undefined && transaction(cursor) === null);
      if (unknown !== undefined) return { kind: 'unknown-cursor', signature: unknown };
      const answer = ledger().chain.signaturesFor(address, { ...query, limit: ALL_ROWS });
      if (answer.kind === 'unknown-cursor') return answer;
      const isThere = (row: SignatureRecord) => row.slot <= newestSlot();
      return { kind: 'found', rows: answer.rows.filter(isThere).slice(0, limit) };
    },
  };
  const server = await startRpcServer(view, { port: 0, websocketPort: 0 });
  return {
    url: server.url,
    fallBehind(slots) {
      behind ??= { ledger: current(), slot: newestOf(current()) - slots };
    },
    catchUp() {
      behind = null;
    },
    close: () => server.close(),
  };
}
