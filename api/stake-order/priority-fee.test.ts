import { createServer, type Server, type ServerResponse } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { configuredEndpoints } from '../../data/config/endpoints.ts';
import { listen } from '../listen.ts';
import { heliusComputeUnitPrice, MAX_PRIORITY_FEE, priorityFee } from './priority-fee.ts';

const KEY = '01234567-89ab-cdef-0123-456789abcdef';
const ACCOUNTS = ['So11111111111111111111111111111111111111112'];

let server: Server;
let baseUrl: string;
let respond: (response: ServerResponse) => void;
let receivedRequests: { readonly url: string | undefined; readonly body: unknown }[];
let logged: { readonly level: number; readonly reason: string }[];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    receivedRequests.push({ url: request.url, body: await readJson(request) });
    respond(response);
  });
  baseUrl = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}/`;
});
afterAll(() => server.close());
beforeEach(() => {
  receivedRequests = [];
  logged = [];
});

const solana = { kind: 'cluster', rpcUrls: ['http://127.0.0.1:9'] } as const;
function estimatorAt(url = baseUrl) {
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const estimatePrice = heliusComputeUnitPrice(
    configuredEndpoints({ solana, helius: { apiKey: KEY, baseUrl: url } }),
    log,
  );
  if (!estimatePrice) throw new Error('There is no price source, although there is a key.');
  return estimatePrice;
}
const jsonResponder =
  (body: unknown, status = 200) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const respondWith = (priorityFeeEstimate: unknown) =>
  jsonResponder({ jsonrpc: '2.0', id: '1', result: { priorityFeeEstimate } });

describe('the price per compute unit', () => {
  it('is the recommended price for the writable accounts', async () => {
    respond = respondWith(120_000);
    expect(await estimatorAt()(ACCOUNTS)).toBe(120_000n);
    const params = [{ accountKeys: ACCOUNTS, options: { recommended: true } }];
    const body = { jsonrpc: '2.0', id: 1, method: 'getPriorityFeeEstimate', params };
    expect(receivedRequests).toEqual([{ url: `/?api-key=${KEY}`, body }]);
  });

  it.each([
    [0, 0n],
    [0.4, 1n],
    [10_082.5, 10_083n],
  ])('is rounded up: %d', async (estimate, expected) => {
    respond = respondWith(estimate);
    expect(await estimatorAt()(ACCOUNTS)).toBe(expected);
  });

  it.each([250_000, 250_001, 1e15, 1e300])(
    'never leads to more than the maximum fee: %d',
    async (estimate) => {
      respond = respondWith(estimate);
      expect(priorityFee(await estimatorAt()(ACCOUNTS))).toBe(MAX_PRIORITY_FEE);
    },
  );

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['text', respondWith('120000'), 'no estimate'],
    ['null', respondWith(null), 'no estimate'],
    ['negative', respondWith(-1), 'no estimate'],
    ['missing', jsonResponder({ result: {} }), 'no estimate'],
    [
      'refused',
      jsonResponder({ error: { code: -32403, message: `no plan: ${KEY}` } }, 403),
      'HTTP 403 -32403 no',
    ],
    ['limited', (response) => response.writeHead(429).end(), 'HTTP 429'],
    ['not JSON', (response) => response.end('<html>'), 'HTTP 200'],
    ['redirected', (response) => response.writeHead(302, { location: baseUrl }).end(), 'TypeError'],
    ['cut off', (response) => response.destroy(), 'TypeError'],
  ])('is zero without an estimate, and the reason is logged once: %s', async (_, respondBroken, reason) => {
    const estimatePrice = estimatorAt();
    respond = respondBroken;
    expect(await estimatePrice(ACCOUNTS)).toBe(0n);
    expect(await estimatePrice(ACCOUNTS)).toBe(0n);
    expect(logged).toEqual([expect.objectContaining({ level: 40, reason: expect.stringContaining(reason) })]);
    expect(JSON.stringify(logged)).not.toContain(KEY);
  });

  it('is not requested without a key', () => {
    const endpoints = configuredEndpoints({ solana, helius: null });
    expect(heliusComputeUnitPrice(endpoints, pino({ level: 'silent' }))).toBeNull();
  });
});
