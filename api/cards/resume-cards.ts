import type { StoredCard } from '../../data/store/card-port.ts';
import { type CardDesk, cardAudit } from './card-desk.ts';
import { CardBusyError, IssuerSaysNoError, IssuerSilentError } from './card-errors.ts';
import { finishCard } from './make-card.ts';

/**
 * Brings cards to an end whose making was cut off, one after the other. Where the issuer is silent the others wait for
 * the next call of their owners, or the next start.
 */
async function finishPending(desk: CardDesk, pending: readonly StoredCard[]): Promise<void> {
  for (const card of pending) {
    try {
      await desk.underWay.alone(card.walletAddress, async () => {
        const newest = await desk.store.cards.card(card.id);
        if (newest?.state === 'pending') await finishCard(desk, newest, { isRetry: true, actor: 'system' });
      });
    } catch (error) {
      if (error instanceof IssuerSilentError) return;
      if (!(error instanceof IssuerSaysNoError || error instanceof CardBusyError)) throw error;
    }
  }
}

/** A test card pays for nothing: where real ones are made it is closed, so that it stands in no one's way. */
async function closeTestCard({ store, now }: CardDesk, card: StoredCard): Promise<void> {
  const by = { actor: 'system', at: now() } as const;
  if (card.state === 'pending') await store.cards.fail(card.id, cardAudit('card.refused', card.id, by));
  else await store.cards.change(card.id, 'closed', cardAudit('card.closed', card.id, by));
}

/** What is to be done at a start, before or while calls are answered. */
export async function resumeCards(desk: CardDesk): Promise<void> {
  const elsewhere = await desk.store.cards.ofOtherIssuers(desk.issuer.name);
  for (const card of elsewhere.filter(({ issuer }) => issuer === 'sandbox')) await closeTestCard(desk, card);
  const pending = await desk.store.cards.pending(desk.issuer.name);
  if (pending.length === 0) return;
  await finishPending(desk, pending);
  const unfinished = (await desk.store.cards.pending(desk.issuer.name)).length;
  desk.log.info({ found: pending.length, unfinished }, 'cards whose making was cut off were tried again');
}
