import type { Stripe } from 'stripe';
import { z } from 'zod';
import { type CardMessage, IssuerMessageError } from './issuer.ts';

/** Seconds after which a signed message is not taken any more. */
const TAKEN_WITHIN = 300;

const event = z.object({
  id: z.string().regex(/^evt_\w{1,100}$/),
  type: z.string().regex(/^[\w.]{1,100}$/),
  data: z.object({ object: z.object({ object: z.string(), id: z.string().max(100).optional() }) }),
});

/**
 * Checks a message's signature and its time over the very bytes that came (https://docs.stripe.com/webhooks/signature).
 * @throws {IssuerMessageError}
 */
export function readStripeMessage(
  stripe: Stripe,
  body: Buffer,
  signature: string | string[] | undefined,
  secret: string,
  now: number,
): CardMessage {
  let told: unknown;
  try {
    told = stripe.webhooks.constructEvent(body, signature ?? '', secret, TAKEN_WITHIN, undefined, now);
  } catch {
    // Stripe's error repeats the whole message.
    throw new IssuerMessageError('The signature does not hold, or the message is too old.');
  }
  const parsed = event.safeParse(told, { reportInput: false });
  if (!parsed.success) throw new IssuerMessageError('The message is not one of the issuer’s kinds.');
  const { id, type, data } = parsed.data;
  const isOfCard = data.object.object === 'issuing.card';
  return { id, kind: type, issuerCard: isOfCard ? (data.object.id ?? null) : null };
}
