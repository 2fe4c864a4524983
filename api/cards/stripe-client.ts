import type { Stripe } from 'stripe';
import { type IssuerFaultDetails, IssuerRefusedError, IssuerUnavailableError } from './issuer.ts';

/** Milliseconds that one request to Stripe may take, its answer's body included. */
const ANSWERS_WITHIN = 6_000;

/** Opens Stripe's client. Nothing is asked of Stripe yet. */
export async function openStripe({
  secretKey,
  apiBase,
  answersWithin = ANSWERS_WITHIN,
}: {
  readonly secretKey: string;
  readonly apiBase: string | null;
  readonly answersWithin?: number;
}): Promise<Stripe> {
  // Loaded where it is used: a portal with test cards starts without it.
  const { Stripe } = await import('stripe');
  const base = apiBase === null ? null : new URL(apiBase);
  const protocol = base?.protocol === 'http:' ? 'http' : 'https';
  return new Stripe(secretKey, {
    timeout: answersWithin,
    // Once more where an answer is lost or Stripe is busy: under the same key, so that nothing is done twice.
    maxNetworkRetries: 1,
    telemetry: false,
    emitEventBodies: false,
    // The key goes to the configured host alone, wherever that may send on to.
    httpClient: Stripe.createFetchHttpClient((url, init) => fetch(url, { ...init, redirect: 'error' })),
    ...(base ? { host: base.hostname, port: base.port || (protocol === 'http' ? 80 : 443), protocol } : {}),
  });
}

/** Names are told, and nothing that could be a sentence or a number of a card. */
const NAME = /^[A-Za-z][\w[\].]{0,79}$/;

function nameIn(error: object, key: string): string | null {
  const found: unknown = Reflect.get(error, key);
  return typeof found === 'string' && NAME.test(found) ? found : null;
}

function detailsOf(error: unknown): IssuerFaultDetails {
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

/** Faults after which the same question gets the same answer: what was sent is not accepted. */
const REFUSALS = ['StripeCardError', 'StripeInvalidRequestError'];

/**
 * Asks Stripe something. Its errors carry headers and bodies, so they end here: what goes on names the fault only.
 * @throws {IssuerRefusedError} {IssuerUnavailableError}
 */
export async function askStripe<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof IssuerRefusedError || error instanceof IssuerUnavailableError) throw error;
    const details = detailsOf(error);
    throw REFUSALS.includes(details.kind)
      ? new IssuerRefusedError(details)
      : new IssuerUnavailableError(details);
  }
}

/** What an answer lacks that Stripe's own description promises. */
export function notAsDescribed(): IssuerUnavailableError {
  return new IssuerUnavailableError({
    kind: 'AnswerNotAsDescribed',
    status: null,
    code: null,
    field: null,
    requestId: null,
  });
}
