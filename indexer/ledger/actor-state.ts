import { LEDGER } from './addresses.ts';
import type { LedgerChain } from './chain.ts';
import { decodeStakeEntry } from './stake-program/layout.ts';
import { decodeTokenAccount } from './token-accounts.ts';
import { bdAccountOf } from './token-instructions.ts';
import { HOLDER_NAMES, ledgerAddress } from './wallets.ts';

/** What the demo actors know of the chain before they act. Amounts are base units of BD. */
export interface ActorState {
  readonly vault: bigint;
  readonly staked: bigint;
  /** Wallets with an open stake, whoever they are. */
  readonly stakers: number;
  readonly openStakes: number;
  readonly holders: readonly HolderState[];
}

export interface HolderState {
  readonly name: string;
  readonly balance: bigint;
  readonly lamports: bigint;
  /** A nonce that the wallet never used. */
  readonly nextNonce: number;
  readonly open: readonly { readonly nonce: number; readonly amount: bigint; readonly isUnlocked: boolean }[];
}

/** Reads it all from the chain, so that a restart forgets nothing. */
export function readActorState(chain: LedgerChain): ActorState {
  const now = BigInt(chain.clock().unixTime);
  const nonces = new Map<string, number>();
  const open = new Map<string, HolderState['open'][number][]>();
  for (const [, account] of chain.programAccounts(LEDGER.stakeProgram)) {
    const entry = decodeStakeEntry(account.data);
    if (entry === null || entry.stakePool !== LEDGER.stakePool) continue;
    nonces.set(entry.authority, Math.max(nonces.get(entry.authority) ?? 0, entry.nonce + 1));
    if (entry.closedTime !== 0n) continue;
    const stakes = open.get(entry.authority) ?? [];
    open.set(entry.authority, stakes);
    const isUnlocked = now >= entry.createdTime + entry.duration;
    stakes.push({ nonce: entry.nonce, amount: entry.amount, isUnlocked });
  }
  return {
    vault: amountIn(chain, LEDGER.vault),
    staked: amountIn(chain, LEDGER.stakeVault),
    stakers: open.size,
    openStakes: [...open.values()].reduce((sum, stakes) => sum + stakes.length, 0),
    holders: HOLDER_NAMES.map((name) => {
      const address = ledgerAddress(name);
      return {
        name,
        balance: amountIn(chain, bdAccountOf(address)),
        lamports: chain.account(address)?.lamports ?? 0n,
        nextNonce: nonces.get(address) ?? 0,
        open: open.get(address) ?? [],
      };
    }),
  };
}

function amountIn(chain: LedgerChain, tokenAccount: string): bigint {
  const account = chain.account(tokenAccount);
  return account === null ? 0n : (decodeTokenAccount(account)?.amount ?? 0n);
}
