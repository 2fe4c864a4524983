import { join } from 'node:path';
import { priceOf } from '../indexer/rpc/providers.ts';
import { startFakeServer } from '../indexer/testing/fake-server.ts';
import { heliusProxy } from '../indexer/testing/helius-proxy.ts';
import { makeLedger } from './indexer/make-ledger.ts';
import { readWith, withLedgerServer } from './indexer.ts';
import { withTempFolder } from './temp-folder.ts';

// Counts the calls of a backfill, with and without Helius' bulk call.

const TRANSACTIONS = 100_000;
/** The bulk call must reduce the credits by at least this factor. */
const LIMIT = 5;
const price = priceOf('https://mainnet.helius-rpc.com');

const count = (value: number) => value.toLocaleString('en').padStart(10);

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
        const { peakMib } = await readWith(server.url, TRANSACTIONS, null, settings);
        const calls = server.batches.flat();
        const spent = calls.reduce((sum, { method }) => sum + price(method), 0);
        credits.push(spent);
        console.log(
          `${count(TRANSACTIONS)} transactions ${settings === helius ? 'with' : 'without'} the bulk call`,
        );
        for (const [method, made] of Map.groupBy(calls, (call) => call.method)) {
          console.log(`${count(made.length)} ${method}`);
        }
        console.log(`${count(server.batches.length)} requests`);
        console.log(`${count(calls.length)} calls`);
        console.log(`${count(spent)} credits`);
        console.log(`${count(Math.round(peakMib ?? Number.NaN))} MiB peak memory`);
      }
      await server.close();
      const [without = 0, withBulk = 0] = credits;
      const isMet = without >= LIMIT * withBulk;
      console.log(
        `credits: ${(without / withBulk).toFixed(1)} times fewer; limit ${LIMIT}: ${isMet ? 'met' : 'MISSED'}`,
      );
      return isMet;
    });
  });
}
