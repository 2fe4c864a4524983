import type { LedgerAccount } from './chain.ts';
import { SYSVAR_OWNER } from './programs.ts';
import { decodeTokenAccount } from './token-accounts.ts';

/**
 * The accounts as of the newest transaction, which addresses a program owns, and which token accounts a wallet or a mint has.
 * Held in memory, kept with each change.
 *
 * The runtime has the accounts as well, but each read there is a native copy that the garbage collector neither sees the size
 * of nor frees within a turn of the event loop: a loop of reads takes gigabytes.
 */
export class AccountIndex {
  private readonly accounts = new Map<string, LedgerAccount>();
  private readonly byProgram = new Map<string, Set<string>>();
  private readonly tokensByOwner = new Map<string, Set<string>>();
  private readonly tokensByMint = new Map<string, Set<string>>();

  /** Takes a change in; null is an account that is not there. */
  apply(address: string, before: LedgerAccount | null, after: LedgerAccount | null): void {
    // The runtime rewrites sysvars (clock, slot hashes) outside of transactions, so those are read there.
    if (after === null || after.owner === SYSVAR_OWNER) this.accounts.delete(address);
    else this.accounts.set(address, ownCopy(after));
    if (before?.owner !== after?.owner) {
      if (before !== null) remove(this.byProgram, before.owner, address);
      if (after !== null) add(this.byProgram, after.owner, address);
    }
    const tokenBefore = before === null ? null : decodeTokenAccount(before);
    const tokenAfter = after === null ? null : decodeTokenAccount(after);
    if (tokenBefore?.owner !== tokenAfter?.owner) {
      if (tokenBefore !== null) remove(this.tokensByOwner, tokenBefore.owner, address);
      if (tokenAfter !== null) add(this.tokensByOwner, tokenAfter.owner, address);
    }
    if (tokenBefore?.mint !== tokenAfter?.mint) {
      if (tokenBefore !== null) remove(this.tokensByMint, tokenBefore.mint, address);
      if (tokenAfter !== null) add(this.tokensByMint, tokenAfter.mint, address);
    }
  }

  /** An account that a transaction, the genesis or the store gave; the answer is shared: never write to its data. */
  get(address: string): LedgerAccount | null {
    return this.accounts.get(address) ?? null;
  }

  ownedBy(program: string): Iterable<string> {
    return this.byProgram.get(program) ?? [];
  }

  tokenAccounts(by: { readonly owner: string } | { readonly mint: string }): Iterable<string> {
    return ('owner' in by ? this.tokensByOwner.get(by.owner) : this.tokensByMint.get(by.mint)) ?? [];
  }
}

/** Holds on to nothing of the runtime or the store. */
function ownCopy({ lamports, owner, executable, data }: LedgerAccount): LedgerAccount {
  return { lamports, owner, executable, data: new Uint8Array(data) };
}

function add(index: Map<string, Set<string>>, key: string, address: string): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, new Set([address]));
  else known.add(address);
}

function remove(index: Map<string, Set<string>>, key: string, address: string): void {
  const known = index.get(key);
  if (known === undefined) return;
  known.delete(address);
  if (known.size === 0) index.delete(key);
}
