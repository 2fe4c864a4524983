import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStream } from '../api/testing/portal-client.ts';
import { liveChange } from '../data/contract/live.ts';
import { vaultLiveBalance } from '../data/contract/metrics.ts';
import { ledgerKeypair } from '../indexer/ledger/addresses.ts';
import { SLOT_MILLISECONDS } from '../indexer/ledger/chain.ts';
import { depositTransactionBytes } from '../indexer/ledger/transactions.ts';
import { proxyTo, startFakeServer } from '../indexer/testing/fake-server.ts';
import { LEDGER_ADDRESS_ENV, spawnIndexer, startApi } from '../indexer/testing/processes.ts';
import { startTestChain } from '../indexer/testing/test-chain.ts';

const MOVEMENTS = 40;
/** Milliseconds to wait before a deposit. They vary, so that the deposits arrive at different times after a poll. */
const gapMs = (movement: number): number => 1_000 + ((movement * 617) % 3_000);

const MODES = [
  { name: 'with a websocket', hasWebsocket: true, limitMs: 2_000 },
  { name: 'polling', hasWebsocket: false, limitMs: 4_000 },
] as const;

/** @returns milliseconds from each deposit until the live stream has the new balance, in ascending order */
async function measureDelays(hasWebsocket: boolean): Promise<readonly number[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portal-bench-'));
  const ledger = await startTestChain({ history: true, startAt: Date.now() });
  const ticking = setInterval(() => ledger.advance(SLOT_MILLISECONDS), SLOT_MILLISECONDS);
  // The proxy does not support websockets.
  const proxy = await startFakeServer(proxyTo(ledger.url));
  const settings = {
    SOLANA_RPC_URLS: hasWebsocket ? ledger.url : proxy.url,
    ...LEDGER_ADDRESS_ENV,
    DATA_DIR: dataDir,
  };
  const worker = spawnIndexer(settings);
  await worker.ready;
  const api = await startApi(settings);
  const stream = await openStream(Number(new URL(api.url).port), '/api/live');
  const nextBalance = async (): Promise<string> => {
    for (;;) {
      const { bodies } = liveChange.parse((await stream.nextOf('change')).data);
      const body = vaultLiveBalance.response.safeParse(bodies[vaultLiveBalance.path]);
      if (body.success) return body.data.vaultBalance;
    }
  };
  try {
    const delaysMs: number[] = [];
    let balance = await nextBalance();
    for (let movement = 1; movement <= MOVEMENTS; movement += 1) {
      await sleep(gapMs(movement));
      const { blockhash } = ledger.chain.latestBlockhash();
      const wire = depositTransactionBytes(
        ledgerKeypair('holder-1'),
        { amount: BigInt(movement) },
        blockhash,
      );
      ledger.chain.send(wire, { skipPreflight: false });
      const sentAt = performance.now();
      const before = balance;
      while (balance === before) balance = await nextBalance();
      delaysMs.push(performance.now() - sentAt);
    }
    return delaysMs.toSorted((one, other) => one - other);
  } finally {
    stream.close();
    await Promise.all([api.end(), worker.end('SIGTERM'), proxy.close()]);
    clearInterval(ticking);
    await ledger.close();
    await rm(dataDir, { recursive: true });
  }
}

export async function benchMovement(): Promise<boolean> {
  let areMet = true;
  for (const { name, hasWebsocket, limitMs } of MODES) {
    const delaysMs = await measureDelays(hasWebsocket);
    const [median, longest] = [
      delaysMs[Math.floor(delaysMs.length / 2)] ?? Infinity,
      delaysMs.at(-1) ?? Infinity,
    ];
    const isMet = longest <= limitMs;
    areMet &&= isMet;
    console.log(
      `${name}: median ${Math.round(median)} ms, longest of ${delaysMs.length} ${Math.round(longest)} ms, ` +
        `${(longest / limitMs).toFixed(2)} of the limit: ${isMet ? 'met' : 'MISSED'}`,
    );
  }
  return areMet;
}
