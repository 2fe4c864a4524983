import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LEDGER } from '../ledger/addresses.ts';
import { SLOT_MILLISECONDS } from '../ledger/chain.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { FAULT_KINDS, type FaultKind, faultSchedule, LIES } from './fault-schedule.ts';
import { type LedgerNode, startLedgerNode } from './ledger-node.ts';
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
});
afterEach(() => proxy?.close());
afterAll(async () => {
  await node.close();
  await ledger.close();
});

async function faulty(kind: FaultKind, form = 0): Promise<FaultProxy> {
  proxy = await startFaultProxy(node, faultSchedule([{ peace: 0, kind, times: 1, form }]));
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
  const headers = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(calls), signal });
}

interface Reply {
  readonly id: number;
  readonly error?: { readonly code: number };
  readonly result?: unknown;
}
async function replies(url: string): Promise<readonly Reply[]> {
  return (await (await post(url)).json()) as Reply[];
}
const idsOf = (list: readonly Reply[]) => list.map(({ id }) => id);

describe('a faulty endpoint', () => {
  it('answers as the node does once its faults are over', async () => {
    const sound = await replies(node.url);
    expect(idsOf(sound)).toEqual([0, 1, 2, 3]);
    for (const kind of [...FAULT_KINDS, ...LIES]) {
      const { url, heal, met, close } = await faulty(kind);
      const first = post(url).catch(() => {});
      if (kind !== 'hang') await first;
      heal();
      await first;
      expect([kind, await replies(url)]).toEqual([kind, sound]);
      expect([...met]).toEqual(kind === 'hang' ? [...met] : [[kind, 1]]);
      await close();
    }
  });

  it('refuses by HTTP, with and without a time to wait', async () => {
    const answers = [];
    for (const kind of ['rate-limit', 'rate-limit-for-a-second', 'server-error', 'not-json'] as const) {
      const { url, close } = await faulty(kind);
      const { status, headers } = await post(url);
      answers.push([status, headers.get('retry-after')]);
      await close();
    }
    expect(answers).toEqual([
      [429, null],
      [429, '1'],
      [502, null],
      [200, null],
    ]);
  });

  it('hangs until the client gives up, and breaks off before and within an answer', async () => {
    const { url } = await faulty('hang');
    await expect(post(url, AbortSignal.timeout(50))).rejects.toThrow('timeout');
    await proxy?.close();
    await expect(post((await faulty('reset')).url)).rejects.toThrow('fetch failed');
    await proxy?.close();
    const response = await post((await faulty('reset-in-body')).url);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  it('spoils the batch: ids, order, number, one error for all', async () => {
    const spoilt = async (kind: FaultKind, form = 0) => {
      const { url, close } = await faulty(kind, form);
      const answer = await (await post(url)).text();
      await close();
      return answer;
    };
    const idsAfter = async (kind: FaultKind) => idsOf(JSON.parse(await spoilt(kind)));
    expect(await idsAfter('wrong-id')).toEqual([0, 1_000_001, 2, 3]);
    expect(await idsAfter('duplicate-id')).toEqual([0, 1, 1, 2, 3]);
    expect(await idsAfter('reordered')).toEqual([3, 2, 1, 0]);
    expect(await idsAfter('missing-reply')).toEqual([0, 2, 3]);
    expect(JSON.parse(await spoilt('batch-error'))).toMatchObject({ id: null, error: { code: -32004 } });
    expect(JSON.parse(await spoilt('call-error', 9))).toMatchObject([
      {},
      {},
      { error: { code: -32020 } },
      {},
    ]);
    const cut = await spoilt('truncated-json');
    expect(() => JSON.parse(cut)).toThrow(SyntaxError);
  });

  it('tells what was some slots ago, and lies about the vault alone', async () => {
    const sound = await replies(node.url);
    const stale = await replies((await faulty('stale', 3)).url);
    expect(stale[0]?.result).toBe(Number(sound[0]?.result) - 4);
    await proxy?.close();
    const lying = await replies((await faulty('lying-balance')).url);
    expect(lying[0]).toEqual(sound[0]);
    expect(lying[1]).toEqual(sound[1]);
    expect(lying[2]).not.toEqual(sound[2]);
  });
});
