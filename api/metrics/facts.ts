import type { ChainName } from '../../data/contract/provenance.ts';
import {
  ageState,
  FRESHNESS,
  HOLDER_COUNT_FRESHNESS,
  RECONCILIATION_FRESHNESS,
} from '../../data/model/value-state.ts';
import type { IndexIdentity } from '../../data/store/chain-rows.ts';
import {
  type HolderCount,
  type IndexSnapshot,
  NOTHING_INDEXED,
  type Reconciliation,
} from '../../data/store/ports.ts';
import type { KnownStakes } from '../staking/known-stakes.ts';
import type { VaultHistory } from './vault-history.ts';

/** Everything the public figures are computed from. Pure data: the same facts at the same moment give the same bodies. */
export interface Facts {
  /** Which chain the index is of. */
  readonly source: ChainName;
  readonly index: IndexSnapshot;
  /** Null while the vault's history has not been read. */
  readonly vaultHistory: VaultHistory | null;
  /** Null while the stakes have not been read. */
  readonly stakes: KnownStakes | null;
  /** Wallets that have proved their ownership to the portal. */
  readonly provenWallets: ReadonlySet<string>;
}

/** What is known before anything was read. */
export function noFacts(source: ChainName, provenWallets: ReadonlySet<string>): Facts {
  return { source, index: NOTHING_INDEXED, vaultHistory: null, stakes: null, provenWallets };
}

/** The chain as the index holds it. */
export interface KnownChain {
  readonly source: ChainName;
  readonly identity: IndexIdentity;
  readonly chain: NonNullable<IndexSnapshot['chain']>;
}

/** The chain of the facts, or null while nothing of it was read. */
export function chainOf({ source, index }: Facts): KnownChain | null {
  return index.identity && index.chain ? { source, identity: index.identity, chain: index.chain } : null;
}

/** Provenance of what was read from the chain at a slot and moment (Unix ms), as it stands at `now`. */
export function chainProvenance(
  source: ChainName,
  { slot, readAt }: { readonly slot: number; readonly readAt: number },
  now: number,
) {
  return {
    asOf: new Date(readAt).toISOString(),
    slot,
    source,
    state: ageState(readAt, now, FRESHNESS.chain),
  };
}

/** When and where the wallets holding BD were counted, as it stands at `now` (Unix ms). */
export function countProvenance(source: ChainName, { slot, readAt }: HolderCount, now: number) {
  return {
    asOf: new Date(readAt).toISOString(),
    slot,
    state: ageState(readAt, now, HOLDER_COUNT_FRESHNESS[source]),
  };
}

/** Whether the last comparison was so long ago that it says nothing of the present. */
export function isOverdue({ at }: Reconciliation, now: number): boolean {
  return ageState(at, now, RECONCILIATION_FRESHNESS) === 'stale';
}

/** What the last comparison says at `now` (Unix ms). A difference stands until a later comparison agrees. */
export function verdictOf(reconciliation: Reconciliation, now: number): 'agree' | 'differs' | 'overdue' {
  if (reconciliation.differences.length > 0) return 'differs';
  return isOverdue(reconciliation, now) ? 'overdue' : 'agree';
}

/** The name of a watched account on the wire. */
export function watchedAccount(identity: IndexIdentity, account: string): 'vault' | 'stake-pool' {
  return account === identity.vault ? 'vault' : 'stake-pool';
}
