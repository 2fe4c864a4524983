import { decodeTokenAccount } from '../chain/accounts.ts';
import type { LedgerAccount } from './chain.ts';
import { SYSTEM_PROGRAM, SYSVAR_OWNER } from './programs.ts';

/**
 * The accounts as of the newest transaction, by address and by program; token accounts also by owner and by mint.
 *
 * LiteSVM has the accounts too, but each read makes a native copy. The garbage collector does not see the copy's size, and
 * frees the copy in the next turn of the event loop at the earliest, so a loop of reads would take gigabytes.
 */
export class AccountIndex {
  private readonly accounts = new Map<string, LedgerAccount>();
  private readonly byProgram = new Map<string, Set<string>>();
  private readonly tokensByOwner = new Map<string, Set<string>>();
  private readonly tokensByMint = new Map<string, Set<string>>();

  /** Applies a change. Null means that the account does not exist. */
  apply(address: string, before: LedgerAccount | null, after: LedgerAccount | null): void {
    // Sysvars (clock, slot hashes) are read from the runtime, which changes them outside of transactions.
    if (after === null || after.owner === SYSVAR_OWNER) this.accounts.delete(address);
    else this.accounts.set(address, copyAccount(after));
    const tokenBefore = before === null ? null : decodeTokenAccount(before);
    const tokenAfter = after === null ? null : decodeTokenAccount(after);
    move(this.byProgram, address, before?.owner, after?.owner);
    move(this.tokensByOwner, address, tokenBefore?.owner, tokenAfter?.owner);
    move(this.tokensByMint, address, tokenBefore?.mint, tokenAfter?.mint);
  }

  /** The caller must not change the account's data. */
  get(address: string): LedgerAccount | null {
    return this.accounts.get(address) ?? null;
  }

  ownedBy(program: string): Iterable<string> {
    return this.byProgram.get(program) ?? [];
  }

  tokenAccounts(filter: { readonly owner: string } | { readonly mint: string }): Iterable<string> {
    return (
      ('owner' in filter ? this.tokensByOwner.get(filter.owner) : this.tokensByMint.get(filter.mint)) ?? []
    );
  }
}

/** The values of an account that does not exist. */
export const NO_ACCOUNT: LedgerAccount = {
  lamports: 0n,
  owner: SYSTEM_PROGRAM,
  executable: false,
  data: new Uint8Array(0),
};

/** Copies all fields of an account, because an account from the runtime loads each field only on first use. */
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
    const group = index.get(from);
    group?.delete(address);
    if (group?.size === 0) index.delete(from);
  }
  if (to === undefined) return;
  const group = index.get(to) ?? new Set();
  index.set(to, group.add(address));
}
