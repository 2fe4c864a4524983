import type { Call, ResponseOf } from '../../data/contract/call.ts';
import type { TransactionRow } from '../../data/contract/metrics.ts';
import type { ChainName } from '../../data/contract/provenance.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import {
  ageState,
  FRESHNESS,
  HOLDER_COUNT_FRESHNESS,
  RECONCILIATION_FRESHNESS,
} from '../../data/model/value-state.ts';
import type { ChainEvent, IndexIdentity } from '../../data/store/chain-rows.ts';
import {
  EMPTY_INDEX_SNAPSHOT,
  type HolderCount,
  type IndexSnapshot,
  type Reconciliation,
} from '../../data/store/ports.ts';
import { ApiError } from '../errors.ts';
import type { CurrentStakes } from '../staking/current-stakes.ts';
import { isHistoryBehind } from './event-history.ts';
import type { RecentVaultHistory } from './vault-history.ts';

export interface FigureInputs {
  readonly source: ChainName;
  readonly index: IndexSnapshot;
  /** Null while the vault's history has not been read. */
  readonly vaultHistory: RecentVaultHistory | null;
  /** Null while the stakes have not been read. */
  readonly stakes: CurrentStakes | null;
  /** The wallets that were proven at least once or are whitelisted. */
  readonly provenWallets: ReadonlySet<string>;
}

export function noFigureInputs(source: ChainName, provenWallets: ReadonlySet<string>): FigureInputs {
  return { source, index: EMPTY_INDEX_SNAPSHOT, vaultHistory: null, stakes: null, provenWallets };
}

export interface IdentifiedChainSnapshot {
  readonly source: ChainName;
  readonly identity: IndexIdentity;
  readonly chain: NonNullable<IndexSnapshot['chain']>;
}

/** The chain as last read; null if it was never read. */
export function chainSnapshot({ source, index }: FigureInputs): IdentifiedChainSnapshot | null {
  return index.identity && index.chain ? { source, identity: index.identity, chain: index.chain } : null;
}

/** The chain as last read, with the number of stakers; null while the stake entries cannot be read. */
export function stakingSnapshot(
  inputs: FigureInputs,
): (IdentifiedChainSnapshot & { readonly stakerCount: number }) | null {
  const snapshot = chainSnapshot(inputs);
  const stakerCount = snapshot?.chain.stakerCount ?? null;
  return snapshot && stakerCount !== null ? { ...snapshot, stakerCount } : null;
}

/** The chain as last read, with the vault's balances; null while the vault cannot be read. */
export function vaultSnapshot(inputs: FigureInputs) {
  const snapshot = chainSnapshot(inputs);
  const { vaultBalance = null, vaultLamports = null } = snapshot?.chain ?? {};
  return snapshot && vaultBalance !== null && vaultLamports !== null
    ? { ...snapshot, vaultBalance, vaultLamports }
    : null;
}

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

/**
 * The source and age at `now` (Unix ms) of a list of events. Normally, the age counts from the last read of the accounts. If
 * the histories lag too far behind, it counts from their last read.
 */
export function eventsProvenance(
  { source, chain }: IdentifiedChainSnapshot,
  index: IndexSnapshot,
  now: number,
) {
  const { historyReadAt, recentEvents } = index;
  if (historyReadAt === null || !isHistoryBehind(index)) return chainProvenance(source, chain, now);
  return chainProvenance(source, { slot: recentEvents[0]?.slot ?? chain.slot, readAt: historyReadAt }, now);
}

export function holderCountProvenance(source: ChainName, { slot, readAt }: HolderCount, now: number) {
  return {
    asOf: new Date(readAt).toISOString(),
    slot,
    state: ageState(readAt, now, HOLDER_COUNT_FRESHNESS[source]),
  };
}

export function isReconciliationOverdue({ at }: Reconciliation, now: number): boolean {
  return ageState(at, now, RECONCILIATION_FRESHNESS) === 'stale';
}

/** The verdict stays `differs` until a later reconciliation finds no difference. */
export function reconciliationVerdict(
  reconciliation: Reconciliation,
  now: number,
): 'agree' | 'differs' | 'overdue' {
  if (reconciliation.differences.length > 0) return 'differs';
  return isReconciliationOverdue(reconciliation, now) ? 'overdue' : 'agree';
}

export function watchedAccountName(identity: IndexIdentity, account: string): 'vault' | 'stake-pool' {
  return account === identity.vault ? 'vault' : 'stake-pool';
}

export function transactionRow(event: ChainEvent, identity: IndexIdentity): TransactionRow {
  return {
    type: event.kind,
    account: watchedAccountName(identity, event.account),
    amount: toDecimalText(event.delta < 0n ? -event.delta : event.delta, identity.decimals),
    signature: event.signature,
    part: event.part,
    status: event.status,
    blockTime: event.blockTime === null ? null : Math.floor(event.blockTime / 1_000),
    wallet: event.wallet,
    slot: event.slot,
  };
}

/** A long text comes with its `contentId` and length, so that they are not computed again. */
export interface BodyText {
  readonly json: string;
  readonly precomputed?: {
    /** Identifies the text: the ETag is derived from it. */
    readonly contentId: string;
    /** The length of the text in UTF-8 bytes. */
    readonly bytes: number;
  };
}

export type ListProvenance = Pick<ReturnType<typeof chainProvenance>, 'state' | 'asOf' | 'slot'>;

export interface Reading extends BodyText {
  /** Only for lists: other bodies contain their provenance. */
  readonly provenance?: ListProvenance;
  /** A text that changes exactly when clients need the new body. */
  readonly fingerprint: string;
}

export interface Figure {
  readonly call: Call;
  /** Null while the figure is unavailable. */
  readonly read: (inputs: FigureInputs, now: number) => Reading | null;
  readonly absentError: ApiError;
}

/** A body without its time and slot, which change with every read of the source. */
export function withoutProvenance(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return { ...body, asOf: undefined, slot: undefined };
}

/** A figure whose body is computed and serialized at each read. */
export function figure<C extends Call>(
  call: C,
  bodyOf: (inputs: FigureInputs, now: number) => ResponseOf<C> | null,
  fingerprintOf: (body: ResponseOf<C>) => unknown = withoutProvenance,
  absent: ApiError = new ApiError('not-indexed-yet'),
  provenanceOf?: (inputs: FigureInputs, now: number) => ListProvenance | null,
): Figure {
  return {
    call,
    absentError: absent,
    read: (inputs, now) => {
      const body = bodyOf(inputs, now);
      if (body === null) return null;
      const provenance = provenanceOf?.(inputs, now);
      return {
        json: JSON.stringify(body),
        fingerprint: JSON.stringify(fingerprintOf(body)),
        ...(provenance ? { provenance } : {}),
      };
    },
  };
}
