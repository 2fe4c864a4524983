import type { Stripe } from 'stripe';
import { z } from 'zod';
import type { StripeSettings } from '../../data/config/card-settings.ts';
import {
  type CardMessage,
  IssuerError,
  type IssuerErrorDetails,
  IssuerMessageError,
  IssuerRefusedError,
  IssuerUnavailableError,
} from './issuer.ts';

/** Older signed messages are rejected. */
const MAX_AGE_SECONDS = 300;

const event = z.object({
  id: z.string().regex(/^evt_\w{1,100}$/),
  type: z.string().regex(/^[\w.]{1,100}$/),
  data: z.object({ object: z.object({ object: z.string(), id: z.string().max(100).optional() }) }),
});

/**
 * Verifies a message's age, and the signature over its raw bytes (https://docs.stripe.com/webhooks/signature).
 * @throws {IssuerMessageError}
 */
export function readStripeMessage(
  stripe: Stripe,
  body: Buffer,
  signature: string | string[] | undefined,
  secret: string,
  now: number,
): CardMessage {
  let verified: unknown;
  try {
    verified = stripe.webhooks.constructEvent(body, signature ?? '', secret, MAX_AGE_SECONDS, undefined, now);
  } catch {
    // No `cause`: Stripe's error repeats the whole message.
    throw new IssuerMessageError('The signature is invalid, or the message is too old.');
  }
  const parsed = event.safeParse(verified, { reportInput: false });
  if (!parsed.success) throw new IssuerMessageError('The message does not have the expected shape.');
  const { id, type, data } = parsed.data;
  const isAboutCard = data.object.object === 'issuing.card';
  return { id, kind: type, issuerCard: isAboutCard ? (data.object.id ?? null) : null };
}

/** Milliseconds that one request to Stripe may take, including the response body. */
const REQUEST_TIMEOUT_MS = 6_000;

/** Opens Stripe's client without sending a request. */
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
    // Follow no redirect: the key goes to the configured host only.
    httpClient: Stripe.createFetchHttpClient((url, init) => fetch(url, { ...init, redirect: 'error' })),
    ...(base ? { host: base.hostname, port: base.port || (protocol === 'http' ? 80 : 443), protocol } : {}),
  });
}

/** Matches identifiers, but neither sentences nor card numbers. */
const NAME = /^[A-Za-z][\w[\].]{0,79}$/;

function nameIn(error: object, key: string): string | null {
  const found: unknown = Reflect.get(error, key);
  return typeof found === 'string' && NAME.test(found) ? found : null;
}

/** The codes of an error. Everything else in it may contain secrets. */
export function errorDetails(error: unknown): IssuerErrorDetails {
  const known = typeof error === 'object' && error !== null ? error : {};
  const status: unknown = Reflect.get(known, 'statusCode');
  return {
    kind: nameIn(known, 'type') ?? nameIn(known, 'name') ?? 'unknown',
    status: typeof status === 'number' ? status : null,
    code: nameIn(known, 'code'),
    field: nameIn(known, 'param'),
    requestId: nameIn(known, 'requestId'),
  };
}

/** Errors that a retry would repeat. */
const REFUSALS = ['StripeCardError', 'StripeInvalidRequestError'];

/**
 * Calls Stripe. Its errors contain headers and bodies, so they are replaced with errors that contain only codes.
 * @throws {IssuerRefusedError} {IssuerUnavailableError}
 */
export async function callStripe<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof IssuerError) throw error;
    const details = errorDetails(error);
    throw REFUSALS.includes(details.kind)
      ? new IssuerRefusedError(details)
      : new IssuerUnavailableError(details);
  }
}

/** The error for a response that Stripe's API description does not allow. */
export function unexpectedResponse(): IssuerUnavailableError {
  return new IssuerUnavailableError(errorDetails({ name: 'UnexpectedResponse' }));
}
