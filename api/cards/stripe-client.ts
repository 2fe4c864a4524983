import type { Stripe } from 'stripe';
import { z } from 'zod';
import type { StripeSettings } from '../../data/config/card-settings.ts';
import {
  IssuerError,
  type IssuerErrorDetails,
  IssuerMessageError,
  IssuerRefusedError,
  IssuerUnavailableError,
  type ParsedIssuerMessage,
} from './issuer.ts';

export const UNNAMED_MERCHANT = 'Unknown merchant';

/** Signed messages that are older than this are rejected. */
const MAX_AGE_SECONDS = 300;

const eventSchema = z.object({
  id: z.string().regex(/^evt_\w{1,100}$/),
  type: z.string().regex(/^[\w.]{1,100}$/),
  data: z.object({ object: z.object({ object: z.string(), id: z.string().max(100).optional() }) }),
});

const idSchema = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]);
const spendFields = {
  id: z.string().regex(/^\w{1,100}$/),
  card: idSchema,
  created: z.int().positive(),
  amount: z.int(),
  currency: z.literal('usd'),
  merchant_data: z.object({ name: z.string().nullable() }),
};
/** Messages about payments and refunds (https://docs.stripe.com/issuing/purchases/authorizations and /transactions). */
const spendEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('issuing_authorization.created'),
    data: z.object({ object: z.object({ ...spendFields, approved: z.boolean() }) }),
  }),
  z.object({
    type: z.literal('issuing_transaction.created'),
    data: z.object({
      object: z.object({ ...spendFields, authorization: idSchema.nullable(), type: z.string() }),
    }),
  }),
]);

/** Longer merchant names are truncated. Real ones are shorter, because card networks allow only 25 characters. */
const MAX_MERCHANT_LENGTH = 100;

/**
 * The payment or refund in USD that a message reports. Null if the message reports neither, or if the amount is 0
 * because a merchant only checked the card. A captured payment gets the id of its authorization, so that it is reported
 * only once.
 */
function readSpend(verifiedEvent: unknown): ParsedIssuerMessage['spend'] {
  const parsed = spendEventSchema.safeParse(verifiedEvent, { reportInput: false });
  if (!parsed.success || parsed.data.data.object.amount === 0) return null;
  const { object } = parsed.data.data;
  const name = (object.merchant_data.name ?? '').replace(/\p{Cc}+/gu, ' ').trim();
  const shared = {
    issuerCardId: object.card,
    at: object.created * 1_000,
    merchant: name.slice(0, MAX_MERCHANT_LENGTH) || UNNAMED_MERCHANT,
  };
  if ('approved' in object) {
    return { ...shared, id: object.id, amount: BigInt(object.amount), isDeclined: !object.approved };
  }
  // The amount of a payment is negative in a Stripe transaction, but positive in an authorization.
  const isRefund = object.type === 'refund';
  const id = isRefund ? object.id : (object.authorization ?? object.id);
  return { ...shared, id, amount: -BigInt(object.amount), isDeclined: false };
}

/**
 * Parses a message after verifying its age and the signature over its raw bytes (https://docs.stripe.com/webhooks/signature).
 * @throws {IssuerMessageError}
 */
export function readStripeMessage(
  stripe: Stripe,
  body: Buffer,
  signature: string | string[] | undefined,
  secret: string,
  now: number,
): ParsedIssuerMessage {
  let verifiedEvent: unknown;
  try {
    verifiedEvent = stripe.webhooks.constructEvent(
      body,
      signature ?? '',
      secret,
      MAX_AGE_SECONDS,
      undefined,
      now,
    );
  } catch {
    // No `cause`: Stripe's error contains the whole message.
    throw new IssuerMessageError('The signature is invalid, or the message is too old.');
  }
  const parsed = eventSchema.safeParse(verifiedEvent, { reportInput: false });
  if (!parsed.success) throw new IssuerMessageError('The message does not have the expected shape.');
  const { id, type, data } = parsed.data;
  const isAboutCard = data.object.object === 'issuing.card';
  const issuerCardId = isAboutCard ? (data.object.id ?? null) : null;
  return { id, kind: type, issuerCardId, spend: readSpend(verifiedEvent) };
}

/** How long, in ms, one request to Stripe may take, including the response body. */
const REQUEST_TIMEOUT_MS = 6_000;

/** Creates a Stripe client. Sends no request. */
export async function openStripe(
  { secretKey, apiBase }: Pick<StripeSettings, 'secretKey' | 'apiBase'>,
  timeoutMs = REQUEST_TIMEOUT_MS,
): Promise<Stripe> {
  // Imported here, so that a portal with test cards does not load the package.
  const { Stripe } = await import('stripe');
  const base = apiBase === null ? null : new URL(apiBase);
  const protocol = base?.protocol === 'http:' ? 'http' : 'https';
  return new Stripe(secretKey, {
    timeout: timeoutMs,
    // Stripe's client retries once, with the same idempotency key.
    maxNetworkRetries: 1,
    telemetry: false,
    emitEventBodies: false,
    // Redirects are not followed: the key must reach only the configured host.
    httpClient: Stripe.createFetchHttpClient((url, init) => fetch(url, { ...init, redirect: 'error' })),
    ...(base ? { host: base.hostname, port: base.port || (protocol === 'http' ? 80 : 443), protocol } : {}),
  });
}

/** Matches identifiers, but neither sentences nor card numbers. */
const IDENTIFIER = /^[A-Za-z][\w[\].]{0,79}$/;

function identifierIn(error: object, key: string): string | null {
  const value: unknown = Reflect.get(error, key);
  return typeof value === 'string' && IDENTIFIER.test(value) ? value : null;
}

/** The codes in an error. The rest of the error may contain secrets. */
export function errorDetails(error: unknown): IssuerErrorDetails {
  const errorObject = typeof error === 'object' && error !== null ? error : {};
  const status: unknown = Reflect.get(errorObject, 'statusCode');
  return {
    kind: identifierIn(errorObject, 'type') ?? identifierIn(errorObject, 'name') ?? 'unknown',
    status: typeof status === 'number' ? status : null,
    code: identifierIn(errorObject, 'code'),
    field: identifierIn(errorObject, 'param'),
    requestId: identifierIn(errorObject, 'requestId'),
  };
}

/** Errors that a retry would cause again. */
const REFUSAL_KINDS = ['StripeCardError', 'StripeInvalidRequestError'];

/**
 * Calls Stripe. Stripe's errors contain headers and bodies, so they are replaced with errors that contain only codes.
 * @throws {IssuerRefusedError | IssuerUnavailableError}
 */
export async function callStripe<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof IssuerError) throw error;
    const details = errorDetails(error);
    throw REFUSAL_KINDS.includes(details.kind)
      ? new IssuerRefusedError(details)
      : new IssuerUnavailableError(details);
  }
}

/** The error for a response that does not match Stripe's API specification. */
export function unexpectedResponseError(): IssuerUnavailableError {
  return new IssuerUnavailableError(errorDetails({ name: 'UnexpectedResponse' }));
}
