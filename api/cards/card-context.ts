import { createHash, randomUUID } from 'node:crypto';
import { runLeased } from '../../data/runtime/hold-lease.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { AuditRecord } from '../../data/store/audit-port.ts';
import type { LeaseStore } from '../../data/store/lease-port.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { MasterKey } from '../documents/master-key.ts';
import { ApiError } from '../errors.ts';
import type { FigureInputs } from '../metrics/figure.ts';
import type { Limits } from '../security/rate-limit.ts';
import type { CheckStake } from '../verification/check-stake.ts';
import type { ReadProvenWallet } from '../wallet/proven-wallets.ts';
import type { CardIssuer } from './issuer.ts';

export interface CardContext {
  readonly store: AppStore;
  readonly issuer: CardIssuer;
  readonly log: Logger;
  /** The current time in Unix milliseconds. */
  readonly now: () => number;
  readonly walletMutex: WalletMutex;
  /** Encrypts the data that cardholders enter for the issuer. */
  readonly masterKey: Pick<MasterKey, 'bytes'>;
}

export interface CardStakeContext extends CardContext {
  readonly checkStake: CheckStake;
  readonly figureInputs: () => FigureInputs;
}

export interface CardCallContext extends CardStakeContext {
  readonly limits: Limits;
  readonly readProvenWallet: ReadProvenWallet;
  /** The address to which USDT for cards is sent; null if funding is not open. */
  readonly fundingAddress: string | null;
  /** The id of the transfer feed that the portal follows; null if the team credits all top-ups by hand. */
  readonly topUpFeed: string | null;
}

/** Who changed a card: a role, not a wallet address, because audit records contain no personal data. */
export type CardActor = 'wallet-owner' | 'issuer' | 'system';

export function cardAuditRecord(
  action:
    | 'card.created'
    | 'card.refused'
    | 'card.revealed'
    | 'card.frozen'
    | 'card.unfrozen'
    | 'card.closed'
    | 'card.closing-by-holder'
    | 'card.limits-changed'
    | 'card.limits-lowered'
    | 'card.spend-notices-on'
    | 'card.spend-notices-off'
    | 'card.frozen-without-stake'
    | 'card.closed-without-stake'
    | 'card.stake-found',
  cardId: string,
  { actor, at }: { readonly actor: CardActor; readonly at: number },
): AuditRecord {
  return { id: randomUUID(), at, actor, action, details: { cardId } };
}

/**
 * The name of a wallet's lease. The store never deletes lease names, and a wallet address is personal data. So the name
 * contains only part of the address's hash. Very rarely, two wallets share a name. Then a call for one wallet may get
 * `card-busy` because of the other wallet.
 */
function leaseName(walletAddress: string): string {
  return `card ${createHash('sha256').update(walletAddress).digest('hex').slice(0, 6)}`;
}

/** One mutex per wallet, in memory. If several replicas use the store, a lease in the store also locks the wallet. */
export class WalletMutex {
  readonly #wallets = new Set<string>();
  readonly #leases: LeaseStore | null;

  /** @param leases null if only this process uses the store */
  constructor(leases: LeaseStore | null = null) {
    this.#leases = leases;
  }

  /** @throws {ApiError} `card-busy` if other work for the wallet is running */
  async runExclusive<T>(walletAddress: string, work: () => Promise<T>): Promise<T> {
    if (this.#wallets.has(walletAddress)) throw new ApiError('card-busy');
    this.#wallets.add(walletAddress);
    try {
      if (this.#leases === null) return await work();
      const result = await runLeased(this.#leases, leaseName(walletAddress), work);
      if (result === null) throw new ApiError('card-busy');
      return result.value;
    } finally {
      this.#wallets.delete(walletAddress);
    }
  }
}
