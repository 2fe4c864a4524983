import { randomUUID } from 'node:crypto';
import type { Logger } from '../../data/runtime/log.ts';
import type { AuditRecord } from '../../data/store/audit-port.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { CardBusyError } from './card-errors.ts';
import type { CardIssuer } from './issuer.ts';

/** What everything about cards works with. */
export interface CardDesk {
  readonly store: AppStore;
  readonly issuer: CardIssuer;
  readonly log: Logger;
  /** Now, in Unix milliseconds. */
  readonly now: () => number;
  readonly underWay: UnderWay;
}

/** Who does something with a card. Never a wallet: audit records name no one. */
export type CardActor = 'wallet-owner' | 'issuer' | 'system';

/** An audit record about a card. */
export function cardAudit(
  action: 'card.created' | 'card.refused' | 'card.revealed' | 'card.frozen' | 'card.unfrozen' | 'card.closed',
  cardId: string,
  { actor, at }: { readonly actor: CardActor; readonly at: number },
): AuditRecord {
  return { id: randomUUID(), at, actor, action, details: { cardId } };
}

/** Wallets for which something is being done. One process has the store, so it knows of all. */
export class UnderWay {
  readonly #wallets = new Set<string>();

  /**
   * Does one thing of a wallet at a time.
   * @throws {CardBusyError} where another is under way.
   */
  async alone<T>(walletAddress: string, work: () => Promise<T>): Promise<T> {
    if (this.#wallets.has(walletAddress)) throw new CardBusyError();
    this.#wallets.add(walletAddress);
    try {
      return await work();
    } finally {
      this.#wallets.delete(walletAddress);
    }
  }
}
