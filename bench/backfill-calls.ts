import { join } from 'node:path';
import { createCreditLookup } from '../indexer/rpc/providers.ts';
import { startFakeServer } from '../indexer/testing/fake-server.ts';
import { heliusProxy } from '../indexer/testing/helius-proxy.ts';
import { makeLedger } from './indexer/make-ledger.ts';
import { measureIndexer, withLedgerServer } from './indexer.ts';
import { withTempFolder } from './temp-folder.ts';

// Counts the RPC calls and the credits that a backfill takes, with and without Helius' bulk call.

const TRANSACTIONS = 100_000;
/** The bulk call must reduce the credits by at least this factor. */
const MIN_FACTOR = 5;
const creditsOf = createCreditLookup('https://mainnet.helius-rpc.com');

const countText = (value: number) => value.toLocaleString('en').padStart(10);

export function benchBackfillCalls(): Promise<boolean> {
  return withTempFolder(async (folder) => {
    const file = join(folder, 'ledger.db');
    makeLedger(file, TRANSACTIONS);
    return await withLedgerServer(file, null, async (url) => {
      const server = await startFakeServer(heliusProxy(url));
      const helius = { HELIUS_API_KEY: 'bench-api-key', HELIUS_BASE_URL: server.url };
      const credits: number[] = [];
      for (const settings of [{}, helius]) {
        server.batches.length = 0;
        const { peakMib } = await measureIndexer(server.url, TRANSACTIONS, null, settings);
        const calls = server.batches.flat();
        const spent = calls.reduce((sum, { method }) => sum + creditsOf(method), 0);
        credits.push(spent);
        console.log(
          `${countText(TRANSACTIONS)} transactions ${settings === helius ? 'with' : 'without'} the bulk call`,
        );
        for (const [method, callsOfMethod] of Map.groupBy(calls, (call) => call.method)) {
          console.log(`${countText(callsOfMethod.length)} ${method}`);
        }
        console.log(`${countText(server.batches.length)} requests`);
        console.log(`${countText(calls.length)} calls`);
        console.log(`${countText(spent)} credits`);
        console.log(`${countText(Math.round(peakMib ?? Number.NaN))} MiB peak memory`);
      }
      await server.close();
      const [withoutBulk = 0, withBulk = 0] = credits;
      const isMet = withoutBulk >= MIN_FACTOR * withBulk;
      console.log(
        `credits: ${(withoutBulk / withBulk).toFixed(1)} times fewer; limit ${MIN_FACTOR}: ${isMet ? 'met' : 'MISSED'}`,
      );
      return isMet;
    });
  });
}
