import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEDGER } from '../ledger/addresses.ts';
import { createEndpointPool, resultOf } from '../rpc/endpoint-pool.ts';
import { runChainLoop } from '../sync/chain-loop.ts';
import { entriesOf, type SnapshotAnswers, snapshotCalls, snapshotOf } from '../sync/snapshot.ts';
import { endpointsAt } from '../testing/endpoints-at.ts';
import { type HostileServer, replyWith, startHostileServer } from '../testing/hostile-server.ts';
import { openTestIndex, startTestChain, type TestChain } from '../testing/test-chain.ts';
import { createProgress } from './progress.ts';
import { createReconciler } from './reconciler.ts';

const log = pino({ level: 'silent' });
const never = new AbortController().signal;
const SLOT_MS = 400;
/** Where the balance stands in a token account. */
const AMOUNT_OFFSET = 64;

interface Reply {
  readonly id: number;
  readonly result?: { readonly value?: ({ data: [string, string] } | null)[] };
}

let ledger: TestChain;
let liar: HostileServer;
beforeAll(async () => {
  ledger = await startTestChain({ history: true });
  ledger.advance(60_000);
  // Answers as the ledger does, but adds one base unit to the vault.
  liar = await startHostileServer((calls, response) => {
    const body = JSON.stringify(calls);
    const headers = { 'content-type': 'application/json' };
    fetch(ledger.url, { method: 'POST', headers, body })
      .then((answer) => answer.json() as Promise<Reply[]>)
      .then((replies) => {
        for (const { id, result } of replies) {
          const asked = calls.find((call) => call.id === id);
          const [addresses] = asked?.params ?? [];
          const vault = Array.isArray(addresses) ? addresses.indexOf(LEDGER.vault) : -1;
          const account = vault === -1 ? null : result?.value?.[vault];
          if (!account) continue;
          const data = Buffer.from(account.data[0], 'base64');
          data.writeBigUInt64LE(data.readBigUInt64LE(AMOUNT_OFFSET) + 1n, AMOUNT_OFFSET);
          account.data[0] = data.toString('base64');
        }
        replyWith(response, replies);
      })
      .catch(() => response.writeHead(502).end());
  });
});
afterAll(async () => {
  await liar.close();
  await ledger.close();
});

describe('an endpoint whose accounts are not those of the chain', () => {
  it('is found out by the history, put aside and shown, and its figures do not count as verified', async () => {
    const { identity } = ledger;
    const index = await openTestIndex(identity);
    const controller = new AbortController();
    const { signal } = controller;
    const progress = createProgress();
    // The history comes from the chain; the snapshots come from the endpoint that lies.
    const loop = runChainLoop({
      pool: ledger.pool,
      writer: { ...index.writer, commitSnapshot: async () => {} },
      identity,
      pollMs: 20,
      log,
      signal,
      onHistoryRead: progress.historyRead,
    });
    const ofLiar = createEndpointPool({ endpoints: endpointsAt(liar.url) });
    const tick = setInterval(async () => {
      ledger.advance(SLOT_MS);
      const [accounts, entries] = await ofLiar.batch<SnapshotAnswers>(snapshotCalls(identity), never);
      const readings = { accounts: resultOf(accounts), entries: entriesOf(resultOf(entries)) };
      if (readings.accounts.slot !== resultOf(entries).slot) return;
      progress.snapshotCommitted(snapshotOf(readings, identity, Date.now()));
    }, 20);
    const pool = createEndpointPool({ endpoints: endpointsAt(liar.url, ledger.url) });
    pool.pinChain(identity.genesisHash);
    const { writer } = index;
    const reconciler = createReconciler({ pool, writer, identity, progress, log });
    await expect.poll(progress.readSlot, { interval: 20 }).not.toBeNull();
    await expect.poll(progress.newestSnapshot, { interval: 20 }).not.toBeNull();
    const result = await reconciler.reconcile(never);
    clearInterval(tick);
    controller.abort();
    await loop;
    expect(result?.differences).toEqual([]);
    expect(pool.health()).toMatchObject([
      {
        name: new URL(liar.url).host,
        state: 'put-aside',
        lastError: expect.stringContaining('contradicts the indexed history (vault.balance)'),
      },
      { name: new URL(ledger.url).host, state: 'active' },
    ]);
    await index.close();
  });
});
