import type { IncomingMessage, ServerResponse } from 'node:http';
import bs58 from 'bs58';
import { startHttpServer } from './fake-server.ts';
import {
  type ExecutedTransaction,
  type ScriptedCluster,
  SLOTS_TO_FINALITY,
  TOKEN_2022,
} from './scripted-cluster.ts';

/** The maximum number of rows in an answer to `getSignaturesForAddress`. */
const MAX_PAGE_ROWS = 1_000;

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

interface RpcError {
  readonly code: number;
  readonly message: string;
}

/** How an endpoint differs from a complete and honest one. A test may change these traits at any time. */
export interface EndpointTraits {
  /** The HTTP status with which the endpoint refuses every request. */
  refusesWith?: number;
  /** Whether the endpoint refuses batches (JSON arrays), as Helius' free plan does. */
  refusesArrays?: boolean;
  /** The highest transaction version that the endpoint returns. */
  newestVersion?: number;
}

export type ScriptedEndpoint = Awaited<ReturnType<typeof startScriptedEndpoint>>;

export async function startScriptedEndpoint(cluster: ScriptedCluster, traits: EndpointTraits = {}) {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body: Call | readonly Call[] = JSON.parse(Buffer.concat(chunks).toString());
    const reply = (status: number, answer: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    };
    if (traits.refusesWith !== undefined) return reply(traits.refusesWith, { error: 'refused' });
    if (!Array.isArray(body)) return reply(200, answer(body as Call));
    if (traits.refusesArrays) {
      const message =
        'Batch requests are only available for paid plans. Please upgrade if you would like to gain access';
      return reply(403, { jsonrpc: '2.0', error: { code: -32403, message } });
    }
    reply(200, (body as readonly Call[]).map(answer));
  };

  const answer = ({ id, method, params = [] }: Call) => ({ jsonrpc: '2.0', id, ...resultOf(method, params) });

  /** The transactions that involve an account, newest first. */
  const rowsOf = (address: string): readonly ExecutedTransaction[] =>
    cluster
      .state()
      .rows.filter(({ keys }) => keys.includes(address))
      .toReversed();

  const resultOf = (
    method: string,
    params: readonly unknown[],
  ): { result: unknown } | { error: RpcError } => {
    const [first, second] = params as [never, Record<string, never> | undefined];
    const { slot, accounts, rows } = cluster.state();
    const context = { slot, apiVersion: '4.0.2' };
    const accountJson = (address: string, slice?: { offset: number; length: number }) => {
      const account = accounts.get(address);
      if (!account) return null;
      const data = slice ? account.data.subarray(slice.offset, slice.offset + slice.length) : account.data;
      const space = account.data.length;
      return {
        ...{ data: [data.toString('base64'), 'base64'], executable: false, lamports: 2_039_280 },
        ...{ owner: account.owner, rentEpoch: 18_446_744_073_709_552_000, space },
      };
    };
    const isFinal = (row: { readonly slot: number }) => row.slot <= slot - SLOTS_TO_FINALITY;
    const isBehind = (second?.minContextSlot ?? 0) > slot;
    if (isBehind) return { error: { code: -32016, message: 'Minimum context slot has not been reached' } };
    switch (method) {
      case 'getGenesisHash':
        return { result: cluster.genesisHash };
      case 'getSlot':
        return {
          result:
            (first as { commitment?: string })?.commitment === 'finalized' ? slot - SLOTS_TO_FINALITY : slot,
        };
      case 'getFirstAvailableBlock':
        return { result: 0 };
      case 'getAccountInfo':
        return { result: { context, value: accountJson(first) } };
      case 'getMultipleAccounts':
        return { result: { context, value: (first as readonly string[]).map((one) => accountJson(one)) } };
      case 'getProgramAccounts': {
        const { filters = [], dataSlice } = second as unknown as {
          filters?: { dataSize?: number; memcmp?: { offset: number; bytes: string } }[];
          dataSlice?: { offset: number; length: number };
        };
        const fits = (data: Buffer) =>
          filters.every(({ dataSize, memcmp }) => {
            const bytes = memcmp && Buffer.from(bs58.decode(memcmp.bytes));
            const comparedBytes =
              memcmp && bytes && data.subarray(memcmp.offset, memcmp.offset + bytes.length);
            return dataSize === undefined ? comparedBytes?.equals(bytes as Buffer) : data.length === dataSize;
          });
        const found = [...accounts].filter(([, { owner, data }]) => owner === first && fits(data));
        const value = found.map(([pubkey]) => ({ pubkey, account: accountJson(pubkey, dataSlice) }));
        return { result: { context, value } };
      }
      case 'getTokenAccountsByOwner': {
        const owned = [...accounts].filter(
          ([, { owner, data }]) => owner === TOKEN_2022 && bs58.encode(data.subarray(32, 64)) === first,
        );
        const value = owned.map(([pubkey]) => ({ pubkey, account: accountJson(pubkey) }));
        return { result: { context, value } };
      }
      case 'getSignaturesForAddress': {
        const {
          before,
          until,
          limit = MAX_PAGE_ROWS,
        } = (second ?? {}) as { before?: string; until?: string; limit?: number };
        const all = rowsOf(first);
        const from = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1;
        // A node without the `before` transaction returns an empty list.
        if (before !== undefined && from === 0) return { result: [] };
        const to = until === undefined ? -1 : all.findIndex(({ signature }) => signature === until);
        const page = all.slice(from, to === -1 ? undefined : to).slice(0, Math.min(limit, MAX_PAGE_ROWS));
        return {
          result: page.map((row) => ({
            ...{ signature: row.signature, slot: row.slot, err: row.err, memo: null },
            blockTime: cluster.timeOf(row.slot),
            confirmationStatus: isFinal(row) ? 'finalized' : 'confirmed',
            transactionIndex: row.index,
          })),
        };
      }
      case 'getSignatureStatuses': {
        const value = (first as readonly string[]).map((one) => {
          const row = rows.find(({ signature }) => signature === one);
          const confirmationStatus = row && isFinal(row) ? 'finalized' : 'confirmed';
          return row ? { slot: row.slot, confirmations: null, err: row.err, confirmationStatus } : null;
        });
        return { result: { context, value } };
      }
      case 'getTransaction': {
        const row = rows.find(({ signature }) => signature === first);
        if (!row) return { result: null };
        const config = second as unknown as { encoding?: string; maxSupportedTransactionVersion?: number };
        const version = row.version === 'legacy' ? -1 : row.version;
        const newest = Math.min(config.maxSupportedTransactionVersion ?? -1, traits.newestVersion ?? 1);
        if (version > newest) {
          const message = `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`;
          return { error: { code: -32015, message } };
        }
        const transaction = config.encoding === 'base64' ? [row.wire.toString('base64'), 'base64'] : row.json;
        const { meta, slot: at, index: transactionIndex } = row;
        const blockTime = cluster.timeOf(at);
        return { result: { slot: at, blockTime, transaction, meta, version: row.version, transactionIndex } };
      }
      default:
        return { error: { code: -32601, message: 'Method not found' } };
    }
  };

  const server = await startHttpServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  return { ...server, traits };
}
