import { createHash } from 'node:crypto';
import { SANDBOX_CARD_NUMBER } from '../../data/model/card-terms.ts';
import type { CardIssuer, CardSecret } from './issuer.ts';
import { madeUpTransactions } from './sandbox-usage.ts';

const YEARS_VALID = 3;

/** Three digits that belong to a card for ever. */
function cvvOf(issuerCard: string): string {
  const hash = createHash('sha256').update(`cvv of ${issuerCard}`).digest();
  return String(hash.readUInt32BE(0) % 1_000).padStart(3, '0');
}

/** When the card was made is part of its name, so that its expiry can be told from the name alone. */
function nameOf(order: { readonly id: string; readonly createdAt: number }): string {
  return `test_${order.createdAt}_${order.id}`;
}

function expiryOf(issuerCard: string): { readonly expiryMonth: number; readonly expiryYear: number } {
  const madeAt = new Date(Number(/^test_(\d{1,15})_/.exec(issuerCard)?.[1] ?? Number.NaN));
  if (Number.isNaN(madeAt.getTime())) throw new RangeError('That is no card of the sandbox.');
  return { expiryMonth: madeAt.getUTCMonth() + 1, expiryYear: madeAt.getUTCFullYear() + YEARS_VALID };
}

/**
 * Makes cards that pay for nothing, all with one published test number. It keeps nothing: all that it tells of a card
 * follows from the card's name, so that a restart loses nothing. Whether a card is frozen is remembered by the store
 * alone.
 */
export function createSandboxIssuer({ now }: { readonly now: () => number }): CardIssuer {
  const secretOf = (issuerCard: string): CardSecret => ({
    cardNumber: SANDBOX_CARD_NUMBER,
    cvv: cvvOf(issuerCard),
    ...expiryOf(issuerCard),
  });
  return {
    name: 'sandbox',
    isTest: true,
    create: async (order) => {
      const issuerCard = nameOf(order);
      const lastFour = SANDBOX_CARD_NUMBER.slice(-4);
      return { issuerCard, issuerCardholder: null, lastFour, ...expiryOf(issuerCard) };
    },
    get: async () => ({ state: null, isHoldersFreeze: false }),
    reveal: async (issuerCard) => secretOf(issuerCard),
    freeze: async () => {},
    unfreeze: async () => {},
    forgetHoldersFreeze: async () => {},
    close: async () => {},
    transactions: async (card, since) => {
      // A frozen card pays for nothing more.
      const until = card.state === 'frozen' ? card.changedAt : now();
      return madeUpTransactions({ seed: card.id, madeAt: card.createdAt, since, until });
    },
    readMessage: null,
  };
}
