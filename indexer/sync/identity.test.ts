import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configuredEndpoints } from '../../data/config/configured-endpoints.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { LEDGER } from '../ledger/addresses.ts';
import { ledgerAddress } from '../ledger/wallets.ts';
import { createEndpointPool } from '../rpc/endpoint-pool.ts';
import { endpointsAt } from '../testing/endpoints-at.ts';
import { type HostileServer, proxyTo, results, startHostileServer } from '../testing/hostile-server.ts';
import { startTestChain, type TestChain } from '../testing/test-chain.ts';
import { resolveIdentity } from './identity.ts';

const never = new AbortController().signal;
const RIGHT = { mint: LEDGER.mint, vault: LEDGER.vault, stakePool: LEDGER.stakePool };

let ledger: TestChain;
let page: HostileServer;
let otherChain: HostileServer;
beforeAll(async () => {
  ledger = await startTestChain();
  page = await startHostileServer((_, response) => response.end('<title>not a node</title>'));
  otherChain = await startHostileServer(results(() => 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'));
});
afterAll(async () => {
  await ledger.close();
  await page.close();
  await otherChain.close();
});

const resolve = (addresses: Partial<typeof RIGHT> = {}, urls = [ledger.url]) =>
  resolveIdentity(createEndpointPool({ endpoints: endpointsAt(...urls) }), { ...RIGHT, ...addresses }, never);

async function faults(addresses: Partial<typeof RIGHT>, urls?: string[]): Promise<string> {
  const error = await resolve(addresses, urls).catch((fault: unknown) => fault);
  if (!(error instanceof StartError)) throw new Error(`It was accepted, or failed otherwise: ${error}`);
  expect(error.exitCode).toBe(EXIT.configuration);
  return error.message;
}

describe('what the configuration names', () => {
  it('is found on the chain: the pool tells its vault, the mint its decimals', async () => {
    expect(await resolve()).toEqual(ledger.identity);
  });

  it.each([
    [
      'a mint that is a wallet',
      { mint: ledgerAddress('holder-1') },
      /BD_MINT names an account that is no token mint/,
    ],
    [
      'a mint that does not exist',
      { mint: ledgerAddress('nobody') },
      /BD_MINT names an account that does not exist/,
    ],
    [
      'a vault that is a wallet',
      { vault: LEDGER.vaultOwner },
      /BD_VAULT names an account that is no token account/,
    ],
    ['a vault of another mint', { mint: LEDGER.stakeMint }, /BD_VAULT names a token account of another mint/],
    ['a pool of another mint', { mint: LEDGER.stakeMint }, /BD_STAKE_POOL names a pool of another mint/],
    [
      'a pool that is its vault',
      { stakePool: LEDGER.stakeVault },
      /BD_STAKE_POOL names an account that is no Streamflow/,
    ],
    ["a vault that is the pool's", { vault: LEDGER.stakeVault }, /BD_VAULT names the stake pool's own vault/],
    ['an address of too few bytes', { vault: '2'.repeat(33) }, /BD_VAULT is not a Solana address/],
  ])('is refused in plain words: %s', async (_what, addresses, words) => {
    expect(await faults(addresses)).toMatch(words);
  });

  it('is refused with every fault at once', async () => {
    const nobody = ledgerAddress('nobody');
    const message = await faults({ mint: nobody, vault: nobody, stakePool: nobody });
    expect(message).toMatch(/3 settings are wrong/);
    for (const name of ['BD_MINT', 'BD_VAULT', 'BD_STAKE_POOL']) expect(message).toContain(name);
  });
});

describe('the endpoints', () => {
  it('are refused where one is no Solana, together with addresses that are none', async () => {
    const message = await faults({ vault: '2'.repeat(33) }, [ledger.url, page.url]);
    expect(message).toContain(
      `SOLANA_RPC_URLS leads to ${new URL(page.url).host}, which does not answer as a Solana`,
    );
    expect(message).toContain('BD_VAULT is not a Solana address');
  });

  it('are refused together with accounts that the sound ones tell to be wrong', async () => {
    const nobody = ledgerAddress('nobody');
    const message = await faults({ vault: '2'.repeat(33), mint: nobody }, [ledger.url, page.url]);
    expect(message).toMatch(/4 settings are wrong/);
    expect(message).toContain('SOLANA_RPC_URLS leads to');
    expect(message).toContain('BD_VAULT is not a Solana address');
    expect(message).toContain('BD_MINT names an account that does not exist');
    expect(message).toContain(`BD_STAKE_POOL names a pool of another mint (${LEDGER.mint})`);
  });

  it('are refused without waiting for accounts that cannot be read now', async () => {
    const codes = { getMultipleAccounts: -32603 };
    const moody = await startHostileServer(proxyTo(ledger.url, () => codes));
    let waits = 0;
    const resolving = resolveIdentity(
      createEndpointPool({ endpoints: endpointsAt(moody.url), random: () => 0 }),
      { ...RIGHT, vault: '2'.repeat(33) },
      never,
      async () => {
        waits += 1;
      },
    );
    await expect(resolving).rejects.toThrow(/One setting is wrong.*BD_VAULT is not/s);
    expect(waits).toBe(0);
    await moody.close();
  });

  it('are refused where they answer for different chains', async () => {
    expect(await faults({}, [ledger.url, otherChain.url])).toMatch(/endpoints of different chains/);
  });

  it('that refuse their key are blamed on the variable that holds it', async () => {
    const locked = await startHostileServer((_, response) => response.writeHead(401).end());
    const { host } = new URL(locked.url);
    const helius = { apiKey: 'wrong-helius-key', baseUrl: locked.url };
    const blame = (rpcUrls: string[], key: typeof helius | null) => {
      const endpoints = configuredEndpoints({ solana: { kind: 'cluster', rpcUrls }, helius: key });
      return resolveIdentity(createEndpointPool({ endpoints }), RIGHT, never).catch(String);
    };
    const blamedOnKey = await blame([ledger.url], helius);
    expect(blamedOnKey).toContain(`HELIUS_API_KEY holds a key that ${host} refuses (HTTP 401)`);
    expect(blamedOnKey).not.toMatch(/SOLANA_RPC_URLS|wrong-helius-key/);
    expect(await blame([ledger.url, locked.url], null)).toContain(
      `SOLANA_RPC_URLS names ${host}, which refuses`,
    );
    await locked.close();
  });

  it.each([
    ['yet', -32_603],
    ['for a reason that is none', -32_020],
  ])('are asked again where the chain is known but its accounts cannot be read %s', async (_, code) => {
    let codes: Record<string, number> = { getMultipleAccounts: code };
    const moody = await startHostileServer(proxyTo(ledger.url, () => codes));
    const pool = createEndpointPool({ endpoints: endpointsAt(moody.url), random: () => 0 });
    const resolving = resolveIdentity(pool, RIGHT, never, async () => {
      codes = {};
    });
    expect(await resolving).toEqual(ledger.identity);
    await moody.close();
  });

  it('are refused in plain words where they never tell accounts', async () => {
    const lacking = await startHostileServer(proxyTo(ledger.url, () => ({ getMultipleAccounts: -32_601 })));
    expect(await faults({}, [lacking.url])).toMatch(
      /SOLANA_RPC_URLS names endpoints that refuse to tell accounts/,
    );
    await lacking.close();
  });

  it('are believed that an account is missing where they say so again and again, not for a moment', async () => {
    let denials = 5;
    const knowsNone = results(({ params }) => ({
      context: { slot: ledger.chain.clock().slot },
      value: (params[0] as readonly string[]).map(() => null),
    }));
    const lagging = await startHostileServer((calls, response, request) => {
      const isDenied = calls.some(({ method }) => method === 'getMultipleAccounts') && denials > 0;
      if (isDenied) denials -= 1;
      (isDenied ? knowsNone : proxyTo(ledger.url))(calls, response, request);
    });
    expect(await resolve({}, [lagging.url])).toEqual(ledger.identity);
    denials = Number.POSITIVE_INFINITY;
    // Nor where another endpoint has them.
    expect(await resolve({}, [lagging.url, ledger.url])).toEqual(ledger.identity);
    expect(await resolve({}, [ledger.url, lagging.url])).toEqual(ledger.identity);
    expect(await faults({}, [lagging.url])).toMatch(/3 settings are wrong/);
    await lagging.close();
  });

  it('are waited for while none can be reached', async () => {
    let isUp = false;
    const late = await startHostileServer((calls, response, request) => {
      if (!isUp) {
        response.writeHead(503).end();
        return;
      }
      proxyTo(ledger.url)(calls, response, request);
    });
    const pool = createEndpointPool({ endpoints: endpointsAt(late.url), random: () => 0 });
    let looks = 0;
    const resolving = resolveIdentity(pool, RIGHT, never, async () => {
      looks += 1;
    });
    await expect.poll(() => late.batches.length, { interval: 5 }).toBeGreaterThan(0);
    await expect
      .poll(() => pool.health(), { interval: 5 })
      .toMatchObject([{ active: false, lastError: 'HTTP 503' }]);
    await expect.poll(() => looks, { interval: 5 }).toBeGreaterThan(0);
    isUp = true;
    expect(await resolving).toEqual(ledger.identity);
    await late.close();
  });

  it('stop being waited for when the program is told to stop', async () => {
    const down = await startHostileServer((_, response) => response.writeHead(503).end());
    const controller = new AbortController();
    const waiting = resolveIdentity(
      createEndpointPool({ endpoints: endpointsAt(down.url) }),
      RIGHT,
      controller.signal,
    );
    await expect.poll(() => down.batches.length, { interval: 5 }).toBeGreaterThan(0);
    controller.abort(new Error('stopping'));
    await expect(waiting).rejects.toThrow('stopping');
    await down.close();
  });
});
