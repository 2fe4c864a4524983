// @module-tag slow
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FakeIndex, TEST_START } from '../api/testing/fake-index.ts';
import { manyStakes, signatureOf, walletOf } from '../api/testing/sample-stakes.ts';
import { startTestPortal } from '../api/testing/test-portal.ts';
import { isPublicRead } from '../data/contract/call.ts';
import { CALLS } from '../data/contract/calls.ts';
import * as PATHS from '../data/contract/paths.ts';
import { fromDecimalText, toDecimalText } from '../data/model/amounts.ts';
import packageJson from '../package.json' with { type: 'json' };
import { clientFiles, typeText } from '../site/developers/client-files.ts';
import type * as Client from '../site/developers/portal-client.ts';

const files = clientFiles();
let folder: string;
let client: typeof Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-client-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  client = await import(pathToFileURL(join(folder, 'portal-client.js')).href);
});
afterAll(() => rm(folder, { recursive: true }));

/** The client's `get`, but with any path and with unchecked types. */
type GetAny = (path: string, query?: object) => Promise<Client.Answer<unknown>>;

const SAMPLE = `
import { createPortalClient, type DecimalText, PortalError, toUnits } from './portal-client.js';
const portal = createPortalClient('https://portal.example.com', { retries: 1 });
const vault = await portal.get('/api/vault/live-balance');
const text: DecimalText = vault.data.vaultBalance;
const units: bigint = toUnits(text, 6);
const state: 'live' | 'ageing' | 'stale' = vault.data.state;
const { data } = await portal.get('/api/history', { series: 'price', range: '7d' }, { signal: AbortSignal.timeout(9) });
const values: readonly (string | null)[] = data.points.map(({ value }) => value);
const list = await portal.get('/api/transactions');
const time: number | null | undefined = list.data[0]?.blockTime;
const code = (error: unknown): string | null => (error instanceof PortalError ? error.code : null);
// @ts-expect-error: there is no such call.
portal.get('/api/vault/secret');
// @ts-expect-error: the query is required.
portal.get('/api/history');
// @ts-expect-error: there is no such series.
portal.get('/api/history', { series: 'moon', range: '7d' });
// @ts-expect-error: amounts are text.
const amount: number = vault.data.vaultBalance;
// @ts-expect-error: a value may be unknown.
const deposits: string = (await portal.get('/api/vault/metrics')).data.deposits24h;
// @ts-expect-error: the client does not include the team's calls.
portal.get('/api/admin/dashboard/stats');
export { amount, code, deposits, state, time, units, values };
`;

describe('the client for other programs', () => {
  it('is at most 5 kB, has no dependencies, and has the version of the API', () => {
    expect(Buffer.byteLength(files['portal-client.js'])).toBeLessThanOrEqual(5_000);
    expect(files['portal-client.js']).not.toMatch(/^import |\bimport\(|require\(/m);
    expect(client.API_VERSION).toBe(packageJson.version);
  });

  it('has types that accept correct calls in strict mode, and reject wrong ones', async () => {
    await writeFile(join(folder, 'sample.ts'), SAMPLE);
    const options = [
      '--strict',
      '--noEmit',
      '--exactOptionalPropertyTypes',
      '--target',
      'es2022',
      '--module',
      'nodenext',
    ];
    const tsc = resolve('node_modules/typescript7/bin/tsc');
    const run = promisify(execFile)(
      process.execPath,
      [tsc, ...options, '--types', '', join(folder, 'sample.ts')],
      {
        cwd: folder,
      },
    );
    await expect(run).resolves.toMatchObject({ stdout: '' });
  });

  it('makes every public call that returns JSON, and receives responses that match the contract', async () => {
    const index = new FakeIndex();
    index.storedStakes = manyStakes(3);
    index.points.set('vault/minute', [{ at: TEST_START, value: '5' }]);
    const portal = await startTestPortal({ index });
    onTestFinished(() => portal.close());
    const portalClient = client.createPortalClient(`http://127.0.0.1:${portal.port}`, { retries: 0 });
    const get = portalClient.get as unknown as GetAny;
    const wallet = { walletAddress: walletOf(1) };
    const queries = new Map<string, object>([
      [PATHS.history, { series: 'vault', range: '24h' }],
      [PATHS.verifyBdTokens, wallet],
      [PATHS.cardEligibility, wallet],
      [PATHS.walletPosition, wallet],
      [PATHS.walletHistory, wallet],
      [PATHS.walletHistoryExport, wallet],
      [PATHS.stakeHistory, wallet],
      [PATHS.walletName, wallet],
      [PATHS.availableForStake, wallet],
      [PATHS.stakeProgress, { signature: signatureOf(1), lastValidBlockHeight: '1' }],
    ]);
    // These calls need a chain, which the test's portal does not have.
    const needChain: readonly string[] = [PATHS.availableForStake, PATHS.stakeProgress, PATHS.walletName];
    const reads = CALLS.filter((call) => isPublicRead(call) && call.mediaType === undefined);
    expect(reads.length).toBeGreaterThan(15);
    for (const { path, response, live } of reads) {
      expect(files['portal-client.d.ts'], path).toContain(`'${path}': {`);
      const call = get(path, queries.get(path));
      if (needChain.includes(path)) {
        await expect(call, path).rejects.toMatchObject({
          name: 'PortalError',
          status: 503,
          code: 'chain-unreadable',
        });
        continue;
      }
      const { data, isUnchanged } = await call;
      expect(response.safeParse(data).error, path).toBeUndefined();
      expect(isUnchanged).toBe(false);
      if (live) expect(await get(path), path).toMatchObject({ isUnchanged: true, data });
    }
    const lists = await get(PATHS.transactions);
    expect(lists.isUnchanged).toBe(true);
    expect(lists.headers.get('X-Figure-State')).toBe('live');
  });

  it('returns a changed response instead of its stored one', async () => {
    const portal = await startTestPortal();
    onTestFinished(() => portal.close());
    const { get } = client.createPortalClient(`http://127.0.0.1:${portal.port}`);
    const before = await get(PATHS.vaultLiveBalance);
    await portal.pollAt(TEST_START + 3_600_000);
    const after = await get(PATHS.vaultLiveBalance);
    expect(after.isUnchanged).toBe(false);
    expect([before.data, after.data]).toMatchObject([{ state: 'live' }, { state: 'stale' }]);
  });
});

function clientOf(answers: readonly Response[], options: Client.ClientOptions = {}) {
  const requestedUrls: string[] = [];
  const rest = [...answers];
  const send: typeof fetch = async (url) => {
    requestedUrls.push(String(url));
    return rest.shift() ?? Response.error();
  };
  return {
    requestedUrls,
    ...client.createPortalClient('https://portal.example.com', { fetch: send, ...options }),
  };
}

const errorResponse = (status: number, retryAfter: string | null, code = 'too-many-requests') =>
  Response.json(
    { success: false, error: 'text', code },
    { status, headers: retryAfter === null ? {} : { 'Retry-After': retryAfter } },
  );

describe('an error', () => {
  it.each([429, 503])('with status %i is retried after the time in Retry-After', async (status) => {
    const { get, requestedUrls } = clientOf([
      errorResponse(status, '0'),
      errorResponse(status, '0'),
      Response.json({ done: true }),
    ]);
    expect((await get(PATHS.networkHealth)).data).toEqual({ done: true });
    expect(requestedUrls).toHaveLength(3);
  });

  it('is thrown with its code after the last attempt', async () => {
    const { get, requestedUrls } = clientOf(
      [errorResponse(503, '0', 'not-indexed-yet'), errorResponse(503, '0', 'not-indexed-yet')],
      {
        retries: 1,
      },
    );
    const expected = { status: 503, code: 'not-indexed-yet', retryAfter: 0, message: 'text' };
    await expect(get(PATHS.networkHealth)).rejects.toMatchObject(expected);
    expect(requestedUrls).toHaveLength(2);
  });

  it.each([
    [
      'asks for a longer wait than the caller allows',
      errorResponse(429, '31'),
      { code: 'too-many-requests', retryAfter: 31 },
    ],
    ['has no Retry-After', errorResponse(503, null), { retryAfter: null }],
    ['is not temporary', errorResponse(400, '0'), { status: 400 }],
    ['comes from a proxy', new Response('<html>', { status: 502 }), { status: 502, code: null }],
  ])('that %s is thrown without a retry', async (_why, answer, expected) => {
    const { get, requestedUrls } = clientOf([answer]);
    await expect(get(PATHS.networkHealth)).rejects.toMatchObject(expected);
    expect(requestedUrls).toHaveLength(1);
  });

  it('is not retried once the caller aborts', async () => {
    const caller = new AbortController();
    const { get, requestedUrls } = clientOf([errorResponse(429, '30')]);
    const call = get(PATHS.networkHealth, undefined, { signal: caller.signal });
    caller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    expect(requestedUrls.length).toBeLessThanOrEqual(1);
  });
});

describe('amounts', () => {
  it('are converted exactly in both directions', () => {
    const decimals = fc.integer({ min: 0, max: 18 });
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), decimals, (units, places) => {
        const text = toDecimalText(units, places);
        expect(client.toAmount(units, places)).toBe(text);
        expect(client.toUnits(text, places)).toBe(fromDecimalText(text, places));
      }),
    );
  });

  it.each(['', '1.', '.5', '1e3', '1,000', ' 1', '0.0000001', 'NaN', '--1'])(
    'cannot be parsed from %j',
    (text) => {
      expect(() => client.toUnits(text, 6)).toThrow(RangeError);
    },
  );
});

it('a schema without a TypeScript type causes an error instead of a guess', () => {
  expect(() => typeText({ type: 'tuple' })).toThrow();
  expect(() => typeText({})).toThrow();
});
