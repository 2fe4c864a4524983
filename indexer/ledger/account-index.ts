import { decodeTokenAccount } from '../chain/accounts.ts';
import type { LedgerAccount } from './chain.ts';
import { SYSVAR_OWNER } from './programs.ts';

/**
 * The accounts as of the newest transaction, by address, by program, and by owner and mint of token accounts.
 *
 * LiteSVM has the accounts too, but each read makes a native copy. The garbage collector does not see its size, and frees
 * it in the next turn of the event loop at the earliest, so a loop of reads takes gigabytes.
 */
export class AccountIndex {
  private readonly accounts = new Map<string, LedgerAccount>();
  private readonly byProgram = new Map<string, Set<string>>();
  private readonly tokensByOwner = new Map<string, Set<string>>();
  private readonly tokensByMint = new Map<string, Set<string>>();

  /** Applies a change; null means that there is no account. */
  apply(address: string, before: LedgerAccount | null, after: LedgerAccount | null): void {
    // The runtime changes sysvars (clock, slot hashes) outside of transactions, so they are read from the runtime.
    if (after === null || after.owner === SYSVAR_OWNER) this.accounts.delete(address);
    else this.accounts.set(address, copyAccount(after));
    const tokenBefore = before === null ? null : decodeTokenAccount(before);
    const tokenAfter = after === null ? null : decodeTokenAccount(after);
    move(this.byProgram, address, before?.owner, after?.owner);
    move(this.tokensByOwner, address, tokenBefore?.owner, tokenAfter?.owner);
    move(this.tokensByMint, address, tokenBefore?.mint, tokenAfter?.mint);
  }

  /** The caller must not write to the account's data. */
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

/** Copies an account. The runtime's and the store's accounts load fields on first use, so they would keep references. */
export function copyAccount({ lamports, owner, executable, data }: LedgerAccount): LedgerAccount {
  return { lamports, owner, executable, data: new Uint8Array(data) };
}

function move(
  index: Map<string, Set<string>>,
  address: string,
  from: string | undefined,
  to: string | undefined,
): void {
  if (from === to) return;
  if (from !== undefined) {
    const left = index.get(from);
    left?.delete(address);
    if (left?.size === 0) index.delete(from);
  }
  if (to === undefined) return;
  const group = index.get(to) ?? new Set();
  index.set(to, group.add(address));
}
