import { LEDGER } from '../../indexer/ledger/addresses.ts';
import type { RpcCall } from '../../indexer/rpc/json-rpc.ts';
import { type SignatureInfo, signaturesCall, transactionCall } from '../../indexer/rpc/solana-calls.ts';
import { LOOP_SIZES } from '../../indexer/sync/chain-loop.ts';
import type { BenchMessage } from './bench-process.ts';

// Sends the indexer's requests in the same batches and order, but discards the replies. The indexer cannot be faster.
const [url = ''] = process.argv.slice(2);
const { pageSize, windowSize, batchSize, requestsAtOnce } = LOOP_SIZES;

async function post(calls: readonly RpcCall<unknown>[]): Promise<string> {
  const body = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.text();
}

async function listPage(before: string | undefined): Promise<readonly SignatureInfo[]> {
  const call = signaturesCall(LEDGER.vault, { ...(before && { before }), limit: pageSize });
  const [reply]: [{ result: unknown }] = JSON.parse(await post([call]));
  return call.read(reply.result, () => {});
}

const pages: (readonly SignatureInfo[])[] = [];
for (;;) {
  const page = await listPage(pages.at(-1)?.at(-1)?.signature);
  if (page.length === 0) break;
  pages.push(page);
}
// Oldest page first, as the indexer reads them.
const beforeSignatures = pages.map((_, index) => pages[index - 1]?.at(-1)?.signature).toReversed();
const batches: (readonly string[])[] = [];
let listing: Promise<void> = Promise.resolve();

async function listNext(): Promise<void> {
  if (beforeSignatures.length === 0) return;
  const rows = (await listPage(beforeSignatures.shift())).toReversed();
  for (let from = 0; from < rows.length; from += batchSize) {
    batches.push(rows.slice(from, from + batchSize).map(({ signature }) => signature));
  }
}

let transactions = 0;
/** Where the measurement of the rate starts: after the first full window of transactions. Until then, `at` is NaN. */
const rateStart = { transactionCount: 0, at: Number.NaN };
async function fetchBatches(): Promise<void> {
  for (;;) {
    // Lists one page while the previous page's batches are fetched.
    if (batches.length <= requestsAtOnce && beforeSignatures.length > 0) listing = listing.then(listNext);
    if (batches.length === 0) await listing;
    const batch = batches.shift();
    if (!batch && beforeSignatures.length === 0) return;
    if (!batch) continue;
    await post(batch.map(transactionCall));
    transactions += batch.length;
    if (Number.isNaN(rateStart.at) && transactions >= windowSize) {
      Object.assign(rateStart, { transactionCount: transactions, at: performance.now() });
    }
  }
}
await Promise.all(Array.from({ length: requestsAtOnce }, fetchBatches));
const seconds = (performance.now() - rateStart.at) / 1_000;
process.send?.({
  type: 'measured',
  transactions: transactions - rateStart.transactionCount,
  seconds,
} satisfies BenchMessage);
