import { issuerWebhook } from '../../data/contract/cards.ts';
import type { IssuerChange, StoredCard } from '../../data/store/card-port.ts';
import { mayChange } from '../../data/store/rules/card-changes.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { rawBody } from '../json-body.ts';
import { callIssuer, closedChange, requireIssued } from './call-issuer.ts';
import { type CardContext, cardAuditRecord } from './card-context.ts';
import { isClosing } from './card-summary.ts';
import { IssuerMessageError, type ParsedIssuerMessage } from './issuer.ts';

const ACTION_BY_STATE = { active: 'card.unfrozen', frozen: 'card.frozen', closed: 'card.closed' } as const;

/**
 * Reads the card's current state from the issuer. The state in a message is ignored, because messages can arrive late. If the
 * issuer unfroze a card that the team froze, freezes the card at the issuer again.
 */
async function readChange(context: CardContext, card: StoredCard): Promise<IssuerChange | null> {
  const issued = requireIssued(card, context);
  const { state, isPortalFreeze } = await callIssuer(context, issued, () =>
    context.issuer.get(issued.issuerCardId),
  );
  if (state === null) return null;
  if (state === 'active' && card.frozenByTeamAt !== null) {
    await callIssuer(context, issued, () => context.issuer.freeze(issued.issuerCardId));
    return null;
  }
  if (state === 'active' && isPortalFreeze) {
    await callIssuer(context, issued, () => context.issuer.removeFreezeMark(issued.issuerCardId));
  }
  const audit = cardAuditRecord(ACTION_BY_STATE[state], card.id, { actor: 'issuer', at: context.now() });
  const change = state === 'closed' ? closedChange(card, isPortalFreeze) : state;
  return { cardId: card.id, state: change, isByIssuer: !isPortalFreeze, audit };
}

/**
 * Reads a card's state from the issuer and stores it, in case a message about it was lost. Call this inside the wallet's mutex.
 */
export async function adoptIssuerState(context: CardContext, cardId: string): Promise<void> {
  const { cards } = context.store;
  const card = await cards.card(cardId);
  if (!card || !mayChange(card) || isClosing(card)) return;
  const change = await readChange(context, card);
  if (change && change.state !== card.state)
    await cards.change(cardId, change.state, change.audit, change.isByIssuer);
}

async function applyMessage(context: CardContext, message: ParsedIssuerMessage): Promise<void> {
  const { store, issuer, walletMutex } = context;
  const receivedMessage = {
    issuer: issuer.name,
    id: message.id,
    kind: message.kind,
    receivedAt: context.now(),
  };
  const { spend } = message;
  const issuerCardId = message.issuerCardId ?? spend?.issuerCardId ?? null;
  const card = issuerCardId === null ? null : await store.cards.issuedCard(issuer.name, issuerCardId);
  if (!card || message.issuerCardId === null) {
    await store.cards.applyIssuerMessage(receivedMessage, null, card && spend && { cardId: card.id, spend });
    return;
  }
  await walletMutex.runExclusive(card.walletAddress, async () => {
    const currentCard = (await store.cards.card(card.id)) ?? card;
    await store.cards.applyIssuerMessage(receivedMessage, await readChange(context, currentCard));
  });
}

/** `POST /api/card-issuer/webhook`. The issuer retries messages that do not get status 200. */
export function issuerWebhookRoute(context: CardContext): ApiRoute {
  return callRoute(
    issuerWebhook,
    { bodyParser: rawBody(), limit: 'issuer-messages' },
    async (request, response) => {
      const { readMessage } = context.issuer;
      if (!readMessage) throw new ApiError('no-issuer-messages');
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      let message: ParsedIssuerMessage;
      try {
        message = readMessage(body, request.headers);
      } catch (error) {
        if (!(error instanceof IssuerMessageError)) throw error;
        throw new ApiError('message-refused', { text: error.message, cause: error });
      }
      await applyMessage(context, message);
      response.json({ received: true });
    },
  );
}
