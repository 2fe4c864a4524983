import { issuerWebhook } from '../../data/contract/cards.ts';
import type { IssuerChange, StoredCard } from '../../data/store/card-port.ts';
import type { ApiRoute } from '../known-calls.ts';
import { rawBody } from '../raw-body.ts';
import { limitCalls, limited } from '../security/rate-limit.ts';
import { askIssuer, madeCard } from './ask-issuer.ts';
import { type CardDesk, cardAudit } from './card-desk.ts';
import { MessageRefusedError, NoMessagesError } from './card-errors.ts';
import { type CardMessage, IssuerMessageError } from './issuer.ts';

/** Messages a minute from one address: an issuer sends a few for each payment. */
const MESSAGES_A_MINUTE = 240;

const ACTIONS = { active: 'card.unfrozen', frozen: 'card.frozen', closed: 'card.closed' } as const;

/** What the issuer says of the card now, whatever the message said: messages may come late and in any order. */
async function changeOf(desk: CardDesk, card: StoredCard): Promise<IssuerChange | null> {
  const made = madeCard(card, desk);
  const { state, isHoldersFreeze } = await askIssuer(desk, made, () => desk.issuer.get(made.issuerCard));
  if (state === null) return null;
  if (state === 'active' && isHoldersFreeze) {
    await askIssuer(desk, made, () => desk.issuer.forgetHoldersFreeze(made.issuerCard));
  }
  const audit = cardAudit(ACTIONS[state], card.id, { actor: 'issuer', at: desk.now() });
  return { cardId: card.id, state, audit };
}

async function take(desk: CardDesk, message: CardMessage): Promise<void> {
  const { store, issuer, underWay } = desk;
  const taken = { issuer: issuer.name, id: message.id, kind: message.kind, receivedAt: desk.now() };
  const card =
    message.issuerCard === null ? null : await store.cards.issuedCard(issuer.name, message.issuerCard);
  if (!card) {
    await store.cards.takeIssuerMessage(taken, null);
    return;
  }
  await underWay.alone(card.walletAddress, async () => {
    await store.cards.takeIssuerMessage(taken, await changeOf(desk, card));
  });
}

/** `POST /api/card-issuer/webhook`. Whatever is not answered with 200 the issuer sends again later. */
export function webhookRoute(desk: CardDesk): ApiRoute {
  return {
    method: issuerWebhook.method,
    path: issuerWebhook.path,
    readBody: rawBody(),
    handle: limited(limitCalls(MESSAGES_A_MINUTE, 'issuer-messages'), async (request, response) => {
      const { readMessage } = desk.issuer;
      if (!readMessage) throw new NoMessagesError();
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      let message: CardMessage;
      try {
        message = readMessage(body, request.headers);
      } catch (error) {
        if (!(error instanceof IssuerMessageError)) throw error;
        throw new MessageRefusedError(error.message, {}, { cause: error });
      }
      await take(desk, message);
      response.json({ received: true });
    }),
  };
}
