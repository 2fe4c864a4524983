import { createHmac, randomInt } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Stripe } from 'stripe';
import { listen } from '../../listen.ts';
import { sampleStripeCard, sampleStripeCardholder } from './stripe-samples.ts';

export const FAKE_SECRET_KEY = 'sk_test_fakefakefakefake';
export const FAKE_WEBHOOK_SECRET = 'whsec_fakefakefakefake';
const CARD_PATH = '/v1/issuing/cards/';

export interface Fault {
  /**
   * `status`: responds with an error. `hang`: never responds. `cut`: drops the connection. `garbage`: responds with broken
   * JSON that contains the card number.
   */
  readonly kind: 'status' | 'hang' | 'cut' | 'garbage';
  /** Whether the request takes effect before it fails. With `garbage`, it always does. */
  readonly afterHandling?: boolean;
  readonly status?: number;
  readonly error?: Readonly<Record<string, string>>;
  /** How many more requests fail; 1 by default. */
  remainingCalls?: number;
}

type RequestFilter = (method: string, path: string) => boolean;
export const isCardCreation: RequestFilter = (method, path) =>
  method === 'POST' && path === '/v1/issuing/cards';
export const isCardRead: RequestFilter = (method, path) => method === 'GET' && path.startsWith(CARD_PATH);
export const isCardChange: RequestFilter = (method, path) => method === 'POST' && path.startsWith(CARD_PATH);

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

export interface FakeStripe {
  readonly origin: string;
  /** Created cards, with number and CVC. */
  readonly cards: Map<string, Stripe.Issuing.Card>;
  readonly cardholders: Map<string, Stripe.Issuing.Cardholder>;
  readonly cardholderForms: URLSearchParams[];
  transactions: Stripe.Issuing.Transaction[];
  authorizations: Stripe.Issuing.Authorization[];
  /** The method and path of every request, such as `POST /v1/issuing/cards`. */
  readonly requests: string[];
  readonly faults: (Fault & { readonly matches: RequestFilter })[];
  /** Called after a request is handled and before the response is sent. */
  onHandled: (method: string, path: string) => void;
  /** Forgets every idempotency key, as Stripe does after a day. */
  forgetKeys(): void;
  /** Creates a webhook event as Stripe would send it: the body and its signature header. */
  event(options: {
    readonly id: string;
    readonly type?: string;
    readonly object: unknown;
    /** Unix seconds. */
    readonly at: number;
    readonly secret?: string;
  }): { readonly body: string; readonly signature: string };
  close(): Promise<void>;
}

const CARDHOLDER_PARAMS = ['type', 'name', 'email', 'phone_number', 'individual', 'billing', 'metadata'];
const CARD_PARAMS = ['cardholder', 'currency', 'type', 'status', 'metadata', 'spending_controls'];

const refusal = (code: string, param: string, status = 400): Reply => ({
  status,
  body: {
    error: { type: 'invalid_request_error', code, param, message: `${param}: ${code} (Stripe’s message)` },
  },
});

const randomDigits = (count: number) => Array.from({ length: count }, () => randomInt(10)).join('');

function unknownParam(form: URLSearchParams, knownParams: readonly string[]): string | undefined {
  return [...form.keys()].find((key) => !knownParams.includes(key.split('[')[0] ?? ''));
}

function metadataOf(form: URLSearchParams): Record<string, string> {
  const entries = [...form].map(([key, value]) => [/^metadata\[(\w+)\]$/.exec(key)?.[1], value] as const);
  return Object.fromEntries(entries.filter(([key]) => key !== undefined));
}

function limitsOf(form: URLSearchParams): Stripe.Issuing.Card.SpendingControls.SpendingLimit[] {
  return [0, 1].flatMap((index) => {
    const prefix = `spending_controls[spending_limits][${index}]`;
    const interval = form.get(`${prefix}[interval]`);
    return interval === null
      ? []
      : [{ amount: Number(form.get(`${prefix}[amount]`)), categories: null, interval }];
  });
}

export async function startFakeStripe(): Promise<FakeStripe> {
  const repliesByKey = new Map<string, { readonly request: string; readonly reply: Reply }>();
  let createdCount = 0;

  function createCardholder(form: URLSearchParams): Reply {
    const unknownName = unknownParam(form, CARDHOLDER_PARAMS);
    if (unknownName) return refusal('parameter_unknown', unknownName);
    const name = form.get('name') ?? '';
    if (name.length > 24 || /[^A-Za-z .'-]/.test(name)) return refusal('invalid_characters', 'name');
    for (const field of ['line1', 'city', 'postal_code', 'country']) {
      if (!form.get(`billing[address][${field}]`)) {
        return refusal('parameter_missing', `billing[address][${field}]`);
      }
    }
    createdCount += 1;
    const cardholder = sampleStripeCardholder(`ich_${createdCount}`, { name, metadata: metadataOf(form) });
    fake.cardholders.set(cardholder.id, cardholder);
    fake.cardholderForms.push(form);
    return { status: 200, body: cardholder };
  }

  function createCard(form: URLSearchParams): Reply {
    const unknownName = unknownParam(form, CARD_PARAMS);
    if (unknownName) return refusal('parameter_unknown', unknownName);
    const cardholder = fake.cardholders.get(form.get('cardholder') ?? '');
    if (!cardholder) return refusal('resource_missing', 'cardholder');
    if (form.get('currency') !== 'usd') return refusal('parameter_missing', 'currency');
    createdCount += 1;
    const number = `4${randomDigits(15)}`;
    const card = sampleStripeCard(`ic_${createdCount}`, cardholder, {
      number,
      cvc: `0${randomDigits(3)}`,
      last4: number.slice(-4),
      status: form.get('status') === 'active' ? 'active' : 'inactive',
      metadata: metadataOf(form),
    });
    card.spending_controls.spending_limits = limitsOf(form);
    fake.cards.set(card.id, card);
    return { status: 200, body: withoutSecrets(card) };
  }

  function withoutSecrets({ number: _, cvc: __, ...card }: Stripe.Issuing.Card) {
    return card;
  }

  function updateCard(card: Stripe.Issuing.Card, form: URLSearchParams): Reply {
    if (card.status === 'canceled') return refusal('card_canceled', 'status');
    card.status = form.get('status') ?? card.status;
    const limits = limitsOf(form);
    if (limits.length > 0) card.spending_controls.spending_limits = limits;
    // An empty value removes the key.
    const metadata = Object.entries({ ...card.metadata, ...metadataOf(form) });
    card.metadata = Object.fromEntries(metadata.filter(([, value]) => value !== ''));
    return { status: 200, body: withoutSecrets(card) };
  }

  function list({ pathname, searchParams }: URL, rows: readonly { readonly id: string }[]): Reply {
    const limit = Number(searchParams.get('limit') ?? 10);
    const startingAfter = searchParams.get('starting_after');
    const start = startingAfter === null ? 0 : rows.findIndex(({ id }) => id === startingAfter) + 1;
    const data = rows.slice(start, start + limit);
    const body = { object: 'list', url: pathname, has_more: rows.length > start + limit, data };
    return { status: 200, body };
  }

  function respond(method: string, url: URL, body: string): Reply {
    const form = new URLSearchParams(body);
    const card = fake.cards.get(/^\/v1\/issuing\/cards\/(\w+)$/.exec(url.pathname)?.[1] ?? '');
    const cardId = url.searchParams.get('card');
    switch (`${method} ${url.pathname}`) {
      case 'POST /v1/issuing/cardholders':
        return createCardholder(form);
      case 'POST /v1/issuing/cards':
        return createCard(form);
      case 'GET /v1/issuing/cards':
        return list(url, [...fake.cards.values()].toReversed().map(withoutSecrets));
      case 'GET /v1/issuing/transactions': {
        const cardTransactions = fake.transactions.filter(({ card }) => card === cardId);
        return list(url, cardTransactions);
      }
      case 'GET /v1/issuing/authorizations': {
        const cardAuthorizations = fake.authorizations.filter(({ card }) => card.id === cardId);
        return list(url, cardAuthorizations);
      }
    }
    if (!card) return refusal('resource_missing', 'id', 404);
    if (method === 'POST') return updateCard(card, form);
    const isExpanded =
      url.searchParams.has('expand[0]', 'number') && url.searchParams.has('expand[1]', 'cvc');
    return { status: 200, body: isExpanded ? card : withoutSecrets(card) };
  }

  /** Repeats the response for a used idempotency key. Rejects the key if the request differs. */
  function respondOnce(request: IncomingMessage, url: URL, body: string): Reply {
    const method = request.method ?? 'GET';
    const key = request.headers['idempotency-key'];
    if (method !== 'POST' || typeof key !== 'string') return respond(method, url, body);
    const identity = `${url.pathname} ${body}`;
    const earlier = repliesByKey.get(key);
    if (earlier && earlier.request !== identity) {
      const error = { type: 'idempotency_error', message: 'Keys for idempotent requests…' };
      return { status: 400, body: { error } };
    }
    const reply = earlier?.reply ?? respond(method, url, body);
    repliesByKey.set(key, { request: identity, reply });
    return reply;
  }

  function takeFault(method: string, path: string): Fault | undefined {
    const fault = fake.faults.find((candidate) => candidate.matches(method, path));
    if (!fault) return undefined;
    fault.remainingCalls = (fault.remainingCalls ?? 1) - 1;
    if (fault.remainingCalls <= 0) fake.faults.splice(fake.faults.indexOf(fault), 1);
    return fault;
  }

  function fail(fault: Fault, reply: Reply | null, response: ServerResponse): void {
    if (fault.kind === 'hang') return;
    if (fault.kind === 'cut') {
      response.socket?.destroy();
    } else if (fault.kind === 'garbage') {
      send(response, 200, `${JSON.stringify(reply?.body ?? {}).slice(0, -1)},"cut":`);
    } else {
      const error = { type: 'api_error', message: 'fault', ...fault.error };
      send(response, fault.status ?? 500, JSON.stringify({ error }));
    }
  }

  function send(response: ServerResponse, status: number, body: string): void {
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Request-Id': 'req_fake',
      'Stripe-Should-Retry': 'false',
    });
    response.end(body);
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const url = new URL(request.url ?? '/', 'http://fake');
    const method = request.method ?? 'GET';
    fake.requests.push(`${method} ${url.pathname}`);
    if (request.headers.authorization !== `Bearer ${FAKE_SECRET_KEY}`) {
      const error = { type: 'invalid_request_error', message: 'Invalid API Key provided' };
      send(response, 401, JSON.stringify({ error }));
      return;
    }
    const fault = takeFault(method, url.pathname);
    const isHandled = !fault || fault.afterHandling || fault.kind === 'garbage';
    const reply = isHandled ? respondOnce(request, url, body) : null;
    if (reply) fake.onHandled(method, url.pathname);
    if (fault) fail(fault, reply, response);
    else if (reply) send(response, reply.status, JSON.stringify(reply.body));
  }

  const server = createServer((request, response) => void handle(request, response));
  const port = await listen(server, '127.0.0.1', 0);
  const fake: FakeStripe = {
    origin: `http://127.0.0.1:${port}`,
    cards: new Map(),
    cardholders: new Map(),
    cardholderForms: [],
    transactions: [],
    authorizations: [],
    requests: [],
    faults: [],
    onHandled: () => {},
    forgetKeys: () => repliesByKey.clear(),
    event: ({ id, type = 'issuing_card.updated', object, at, secret = FAKE_WEBHOOK_SECRET }) => {
      const body = JSON.stringify({ id, object: 'event', created: at, type, data: { object } });
      const v1 = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
      return { body, signature: `t=${at},v1=${v1}` };
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return fake;
}
