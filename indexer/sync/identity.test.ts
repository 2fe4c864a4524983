// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configuredEndpoints } from '../../data/config/endpoints.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { LEDGER, ledgerAddress } from '../ledger/addresses.ts';
import { createEndpointPool } from '../rpc/endpoint-pool.ts';
import { slotCall } from '../rpc/solana-calls.ts';
import {
  endpointsAt,
  type FakeServer,
  proxyTo,
  replyWith,
  respondWithResults,
  respondWithStatus,
  startFakeServer,
} from '../testing/fake-server.ts';
import { speedUpTime } from '../testing/fast-time.ts';
import { slowDownClock } from '../testing/slow-clock.ts';
import { startTestChain, type TestChain } from '../testing/test-chain.ts';
import { resolveIdentity } from './identity.ts';

const neverAborted = new AbortController().signal;
const RIGHT_ADDRESSES = { mint: LEDGER.mint, vault: LEDGER.vault, stakePool: LEDGER.stakePool };

let ledger: TestChain;
let page: FakeServer;
/** `otherChain` and `thirdChain` serve chains on which the accounts do not exist. */
let otherChain: FakeServer;
let thirdChain: FakeServer;
let keyRefusingServer: FakeServer;
beforeAll(async () => {
  ledger = await startTestChain();
  page = await startFakeServer((_, response) => response.end('<title>not a node</title>'));
  const withoutAccounts = (genesisHash: string) =>
    respondWithResults(({ method, params }) => {
      if (method !== 'getMultipleAccounts') return genesisHash;
      return { context: { slot: 5 }, value: (params[0] as readonly string[]).map(() => null) };
    });
  otherChain = await startFakeServer(withoutAccounts('EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'));
  thirdChain = await startFakeServer(withoutAccounts('4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY'));
  // Helius' answer to a wrong key (helius.dev/docs/api-reference/authentication).
  keyRefusingServer = await startFakeServer((_, response) => {
    response.statusCode = 401;
    replyWith(response, { jsonrpc: '2.0', error: { code: -32401, message: 'invalid api key provided' } });
  });
});
afterAll(() =>
  Promise.all([ledger, page, otherChain, thirdChain, keyRefusingServer].map((one) => one.close())),
);

const resolve = (addresses: Partial<typeof RIGHT_ADDRESSES> = {}, urls = [ledger.url]) =>
  resolveIdentity(
    createEndpointPool({ endpoints: endpointsAt(...urls) }),
    { ...RIGHT_ADDRESSES, ...addresses },
    neverAborted,
  );

/** The variables that the error names, one for each problem. */
async function problemVariables(
  addresses: Partial<typeof RIGHT_ADDRESSES>,
  urls?: string[],
): Promise<readonly string[]> {
  const error: unknown = await resolve(addresses, urls).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(StartError);
  expect(error).toMatchObject({ exitCode: EXIT.configuration });
  return variablesOf(error);
}
const variablesOf = (error: unknown): readonly string[] =>
  [...String(error).matchAll(/^ {2}([A-Z_]+) /gm)].map(([, variable = '']) => variable);

beforeAll(() => speedUpTime(10).restore);

describe('the configured addresses', () => {
  it('are resolved on the chain, with the pool vault and the decimals of the mint', async () => {
    expect(await resolve()).toEqual(ledger.identity);
  });

  it.each([
    ['a mint that is a wallet', { mint: ledgerAddress('holder-1') }, ['BD_MINT']],
    ['a mint that does not exist', { mint: ledgerAddress('nobody') }, ['BD_MINT']],
    ['a vault that is a wallet', { vault: LEDGER.vaultOwner }, ['BD_VAULT']],
    ['a vault and a pool of a different mint', { mint: LEDGER.stakeMint }, ['BD_VAULT', 'BD_STAKE_POOL']],
    ["a pool that is the pool's vault", { stakePool: LEDGER.stakeVault }, ['BD_STAKE_POOL']],
    ["a vault that is the pool's", { vault: LEDGER.stakeVault }, ['BD_VAULT']],
  ])('are rejected with the names of their variables: %s', async (_what, addresses, variables) => {
    expect(await problemVariables(addresses)).toEqual(expect.arrayContaining(variables));
  });

  it('are rejected with all problems in one error', async () => {
    const nobody = ledgerAddress('nobody');
    expect(await problemVariables({ mint: nobody, vault: nobody, stakePool: nobody })).toEqual([
      'BD_MINT',
      'BD_VAULT',
      'BD_STAKE_POOL',
    ]);
  });
});

describe('the endpoints', () => {
  it('that do not serve Solana are reported together with wrong addresses', async () => {
    slowDownClock();
    expect(await problemVariables({ vault: '2'.repeat(33) }, [ledger.url, page.url])).toEqual([
      'BD_VAULT',
      'SOLANA_RPC_URLS',
    ]);
  });

  it('of different chains are reported together with accounts of the wrong kind', async () => {
    expect(await problemVariables({ vault: LEDGER.vaultOwner }, [otherChain.url, ledger.url])).toEqual([
      'SOLANA_RPC_URLS',
      'BD_VAULT',
    ]);
  });

  it('do not delay the report of a wrong address if they cannot return the other accounts yet', async () => {
    const codes = { getMultipleAccounts: -32603 };
    const moody = await startFakeServer(proxyTo(ledger.url, () => codes));
    let waits = 0;
    const pool = createEndpointPool({ endpoints: endpointsAt(moody.url), random: () => 0 });
    const resolving = resolveIdentity(pool, { ...RIGHT_ADDRESSES, vault: '2'.repeat(33) }, neverAborted, {
      onUnreachable: async () => {
        waits += 1;
      },
    });
    expect(variablesOf(await resolving.catch((error: unknown) => error))).toEqual(['BD_VAULT']);
    expect(waits).toBe(0);
    await moody.close();
  });

  it.each([
    ['is not Solana', () => [page.url, ledger.url], 'not JSON'],
    ['refuses its key', () => [keyRefusingServer.url, ledger.url], 'HTTP 401: invalid api key provided'],
    ['cannot be reached', () => ['http://127.0.0.1:1', ledger.url], 'ECONNREFUSED'],
    ['serves a different chain', () => [otherChain.url, ledger.url], 'a different chain'],
    [
      'serves a different chain, as most do',
      () => [otherChain.url, otherChain.url, ledger.url],
      'different chain',
    ],
  ])('are used, except one that %s, and the reason is shown', async (_what, urls, reason) => {
    slowDownClock();
    const pool = createEndpointPool({ endpoints: endpointsAt(...urls()), random: () => 0 });
    expect(await resolveIdentity(pool, RIGHT_ADDRESSES, neverAborted)).toEqual(ledger.identity);
    expect(pool.health()[0]?.lastError).toContain(reason);
    const [slot] = await pool.batch([slotCall('confirmed')], neverAborted);
    expect(slot).toMatchObject({ ok: true, endpointName: new URL(ledger.url).host });
  });

  it('are rejected if all serve chains without the accounts', async () => {
    const urls = [otherChain.url, thirdChain.url, thirdChain.url];
    expect(await problemVariables({}, urls)).toEqual([
      'SOLANA_RPC_URLS',
      'BD_MINT',
      'BD_VAULT',
      'BD_STAKE_POOL',
    ]);
  });

  it('are retried, not rejected, while one that does not answer may be on the right chain', async () => {
    let isUp = false;
    const late = await startFakeServer((...request) =>
      (isUp ? proxyTo(ledger.url) : respondWithStatus(503))(...request),
    );
    const unusable: string[] = [];
    const pool = createEndpointPool({ endpoints: endpointsAt(thirdChain.url, late.url), random: () => 0 });
    const resolving = resolveIdentity(pool, RIGHT_ADDRESSES, neverAborted, {
      onUnusable: (found) => unusable.push(...found.map(({ variable }) => variable)),
      onUnreachable: async () => {
        isUp = true;
      },
    });
    expect(await resolving).toEqual(ledger.identity);
    expect(unusable).toEqual(['BD_MINT', 'BD_VAULT', 'BD_STAKE_POOL', 'SOLANA_RPC_URLS']);
    await late.close();
  });

  it("that reject their key are reported under the key's variable, without the key", async () => {
    const helius = { apiKey: 'wrong-helius-key', baseUrl: keyRefusingServer.url };
    const messageOf = (rpcUrls: string[], key: typeof helius | null) => {
      const endpoints = configuredEndpoints({ solana: { kind: 'cluster', rpcUrls }, helius: key });
      return resolveIdentity(createEndpointPool({ endpoints }), RIGHT_ADDRESSES, neverAborted).catch(String);
    };
    const keyMessage = await messageOf([page.url], helius);
    expect(variablesOf(keyMessage)).toEqual(['SOLANA_RPC_URLS', 'HELIUS_API_KEY']);
    expect(keyMessage).not.toContain('wrong-helius-key');
    expect(variablesOf(await messageOf([keyRefusingServer.url], null))).toEqual(['SOLANA_RPC_URLS']);
  });

  it.each([
    [-32_603, 'an internal error'],
    [-32_020, 'an unknown error'],
  ])('are retried if their answer for accounts is %s, %s', async (code) => {
    let codes: Record<string, number> = { getMultipleAccounts: code };
    const moody = await startFakeServer(proxyTo(ledger.url, () => codes));
    const pool = createEndpointPool({ endpoints: endpointsAt(moody.url), random: () => 0 });
    const resolving = resolveIdentity(pool, RIGHT_ADDRESSES, neverAborted, {
      onUnreachable: async () => {
        codes = {};
      },
    });
    expect(await resolving).toEqual(ledger.identity);
    await moody.close();
  });

  it('are rejected if they do not support the call for accounts', async () => {
    const lacking = await startFakeServer(proxyTo(ledger.url, () => ({ getMultipleAccounts: -32_601 })));
    expect(await problemVariables({}, [lacking.url])).toEqual(['SOLANA_RPC_URLS']);
    await lacking.close();
  });

  it('are checked repeatedly before an account is reported as missing', async () => {
    let remainingDenials = 5;
    const knowsNone = respondWithResults(({ params }) => ({
      context: { slot: ledger.chain.clock().slot },
      value: (params[0] as readonly string[]).map(() => null),
    }));
    const lagging = await startFakeServer((calls, response, request) => {
      const isDenied = calls.some(({ method }) => method === 'getMultipleAccounts') && remainingDenials > 0;
      if (isDenied) remainingDenials -= 1;
      (isDenied ? knowsNone : proxyTo(ledger.url))(calls, response, request);
    });
    expect(await resolve({}, [lagging.url])).toEqual(ledger.identity);
    remainingDenials = Number.POSITIVE_INFINITY;
    // It is enough if one endpoint has the accounts.
    expect(await resolve({}, [lagging.url, ledger.url])).toEqual(ledger.identity);
    expect(await resolve({}, [ledger.url, lagging.url])).toEqual(ledger.identity);
    expect(await problemVariables({}, [lagging.url])).toHaveLength(3);
    await lagging.close();
  });

  it('are not retried once the program stops', async () => {
    const down = await startFakeServer(respondWithStatus(503));
    const controller = new AbortController();
    const pool = createEndpointPool({ endpoints: endpointsAt(down.url) });
    const waiting = resolveIdentity(pool, RIGHT_ADDRESSES, controller.signal);
    await expect.poll(() => down.batches.length, { interval: 5 }).toBeGreaterThan(0);
    controller.abort(new Error('stopping'));
    await expect(waiting).rejects.toThrow('stopping');
    await down.close();
  });
});
