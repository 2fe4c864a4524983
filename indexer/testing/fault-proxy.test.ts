import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LEDGER } from '../ledger/addresses.ts';
import { SLOT_MILLISECONDS } from '../ledger/chain.ts';
import { postText } from './fake-server.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { FAULT_KINDS, type FaultKind, faultSchedule, LIE_KINDS } from './fault-schedule.ts';
import { type LedgerNode, startLedgerNode } from './ledger-cluster.ts';
import { recordLedger } from './ledger-record.ts';
import { startTestChain, type TestChain } from './test-chain.ts';

let ledger: TestChain;
let node: LedgerNode;
let proxy: FaultProxy | undefined;
beforeAll(async () => {
  ledger = await startTestChain();
  const record = recordLedger(ledger.chain);
  node = await startLedgerNode(() => record);
  ledger.advance(10 * SLOT_MILLISECONDS);
  return () => Promise.all([node.close(), ledger.close()]);
});
afterEach(() => proxy?.close());

async function startProxyWithFault(kind: FaultKind, variant = 0): Promise<FaultProxy> {
  await proxy?.close();
  const schedule = faultSchedule([{ healthyRequests: 0, kind, faultyRequests: 1, variant }]);
  proxy = await startFaultProxy(node, schedule);
  return proxy;
}

const CALLS = [
  ['getSlot'],
  ['getSignaturesForAddress', LEDGER.vault, { limit: 10 }],
  ['getMultipleAccounts', [LEDGER.vault], { encoding: 'base64' }],
  ['getSlot', { commitment: 'finalized' }],
] as const;

function post(url: string, signal: AbortSignal | null = null): Promise<Response> {
  const calls = CALLS.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }));
  return postText(url, JSON.stringify(calls), signal);
}

interface Reply {
  readonly id: number;
  readonly error?: { readonly code: number };
  readonly result?: unknown;
}
async function fetchReplies(url: string): Promise<readonly Reply[]> {
  return (await (await post(url)).json()) as Reply[];
}

describe('a faulty endpoint', () => {
  it('answers like the node once its faults are over', async () => {
    const expected = await fetchReplies(node.url);
    for (const kind of [...FAULT_KINDS, ...LIE_KINDS]) {
      const { url, heal, faultCounts } = await startProxyWithFault(kind);
      const first = post(url).catch(() => {});
      if (kind !== 'hang') await first;
      heal();
      await first;
      expect([kind, await fetchReplies(url)]).toEqual([kind, expected]);
      expect([...faultCounts]).toEqual(kind === 'hang' ? [...faultCounts] : [[kind, 1]]);
    }
  });

  it.each([
    ['rate-limit', [429, null]],
    ['rate-limit-for-a-second', [429, '1']],
    ['server-error', [502, null]],
    ['not-json', [200, null]],
  ] as const)('answers with the HTTP status and Retry-After of the fault: %s', async (kind, expected) => {
    const { status, headers } = await post((await startProxyWithFault(kind)).url);
    expect([status, headers.get('retry-after')]).toEqual(expected);
  });

  it('hangs until the client aborts, or resets the connection before or during an answer', async () => {
    await expect(post((await startProxyWithFault('hang')).url, AbortSignal.timeout(50))).rejects.toThrow(
      'timeout',
    );
    await expect(post((await startProxyWithFault('reset')).url)).rejects.toThrow('fetch failed');
    const response = await post((await startProxyWithFault('reset-in-body')).url);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  it.each([
    ['wrong-id', [0, 1_000_001, 2, 3]],
    ['duplicate-id', [0, 1, 1, 2, 3]],
    ['reordered', [3, 2, 1, 0]],
    ['missing-reply', [0, 2, 3]],
  ] as const)('returns a faulty batch: %s', async (kind, ids) => {
    expect((await fetchReplies((await startProxyWithFault(kind)).url)).map(({ id }) => id)).toEqual(ids);
  });

  it('returns an error for all calls or for one, or truncates its answer', async () => {
    expect(await fetchReplies((await startProxyWithFault('batch-error')).url)).toMatchObject({
      error: { code: -32004 },
    });
    const [, , failed] = await fetchReplies((await startProxyWithFault('call-error', 9)).url);
    expect(failed).toMatchObject({ error: { code: -32020 } });
    await expect(fetchReplies((await startProxyWithFault('truncated-json')).url)).rejects.toThrow(
      SyntaxError,
    );
  });

  it('can report an earlier slot, or lie about the vault alone', async () => {
    const expected = await fetchReplies(node.url);
    const stale = await fetchReplies((await startProxyWithFault('stale', 3)).url);
    expect(stale[0]?.result).toBe(Number(expected[0]?.result) - 4);
    const lying = await fetchReplies((await startProxyWithFault('lying-balance')).url);
    expect(lying.slice(0, 2)).toEqual(expected.slice(0, 2));
    expect(lying[2]).not.toEqual(expected[2]);
  });
});
