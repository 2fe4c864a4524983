import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
export const CHAIN_ID = 1;
export const TOKEN_ADDRESS = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
export const FUNDING_ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
export const SENDER_ADDRESS = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

const hex = (number: number | bigint) => `0x${number.toString(16)}`;
const word = (digits: string) => `0x${digits.replace(/^0x/, '').toLowerCase().padStart(64, '0')}`;
const hash = (...parts: readonly unknown[]) =>
  `0x${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}`;

export interface FakeTransfer {
  /** The transaction's hash. It stays the same when a reorganization moves the transfer to another block. */
  readonly transaction: string;
  readonly amount: bigint;
  readonly from?: string;
  readonly to?: string;
  readonly token?: string;
}

interface FakeBlock {
  readonly hash: string;
  readonly parentHash: string;
  readonly transfers: readonly FakeTransfer[];
}

/** A chain like Ethereum's main network that contains only token transfers. */
export class FakeChain {
  readonly blocks: FakeBlock[] = [{ hash: hash('genesis'), parentHash: word('0'), transfers: [] }];
  finalBlock = 0;
  #forkCount = 0;

  get newestBlock(): number {
    return this.blocks.length - 1;
  }
  mine(...transfers: readonly FakeTransfer[]): void {
    const parentHash = this.blocks.at(-1)?.hash ?? '';
    const key = transfers.map(({ transaction }) => transaction);
    this.blocks.push({
      hash: hash(parentHash, this.newestBlock, this.#forkCount, key),
      parentHash,
      transfers,
    });
  }
  mineEmpty(count: number): void {
    for (let mined = 0; mined < count; mined += 1) this.mine();
  }
  /** Replaces blocks that are not final. @param transfers the transfers of each new block */
  reorganize(depth: number, transfers: readonly (readonly FakeTransfer[])[]): void {
    this.blocks.length = Math.max(this.finalBlock + 1, this.blocks.length - depth);
    this.#forkCount += 1;
    for (const blockTransfers of transfers) this.mine(...blockTransfers);
  }
  /** The transfers in the blocks that a reorganization of this depth would replace. */
  lastTransfers(depth: number): readonly FakeTransfer[] {
    return this.blocks
      .slice(Math.max(this.finalBlock + 1, this.blocks.length - depth))
      .flatMap((one) => one.transfers);
  }
  finalize(block = this.newestBlock): void {
    this.finalBlock = Math.max(this.finalBlock, block);
  }
  balance(block: number): bigint {
    const moved = this.blocks.slice(0, block + 1).flatMap(({ transfers }) => transfers);
    return moved.reduce(
      (sum, { amount, from = SENDER_ADDRESS, to = FUNDING_ADDRESS, token = TOKEN_ADDRESS }) => {
        if (token !== TOKEN_ADDRESS || from === to) return sum;
        return to === FUNDING_ADDRESS ? sum + amount : from === FUNDING_ADDRESS ? sum - amount : sum;
      },
      0n,
    );
  }
}

export interface Deviations {
  /** The endpoint answers every request with an error. */
  isDown?: boolean;
  /** The endpoint answers with something other than JSON-RPC. */
  isGarbled?: boolean;
  /** How many blocks the endpoint is behind. */
  lag?: number;
  maxLogRange?: number;
  chainId?: number;
  reportsNewestAsFinal?: boolean;
  changeLogs?: (logs: readonly Log[]) => readonly Log[];
  /** The endpoint's blocks have different hashes. */
  isForked?: boolean;
  balance?: bigint;
  /** The endpoint answers with a balance of fewer than 32 bytes. */
  hasShortBalance?: boolean;
  /** The endpoint answers requests for logs with status 429 (too many requests), and counts them here. */
  refusedLogRequests?: number;
  /** The endpoint redirects to another path, which answers correctly. */
  redirects?: boolean;
  /** How many bytes the endpoint adds to each answer. */
  paddingBytes?: number;
}

type Log = Readonly<Record<string, unknown>>;
interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

class RpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Starts a JSON-RPC endpoint for a chain. It answers as specified in https://ethereum.github.io/execution-apis. */
export async function startFakeEndpoint(chain: FakeChain, deviations: Deviations = {}) {
  const currentDeviations = { ...deviations };
  const newest = () => Math.max(0, chain.newestBlock - (currentDeviations.lag ?? 0));
  const hashOf = (block: number) => hash(chain.blocks[block]?.hash, currentDeviations.isForked ?? false);

  function numberOf(tag: unknown): number {
    if (tag === 'latest') return newest();
    if (tag === 'finalized')
      return currentDeviations.reportsNewestAsFinal ? newest() : Math.min(newest(), chain.finalBlock);
    return Number(tag);
  }

  function blockOf(tag: unknown) {
    const number = numberOf(tag);
    const block = chain.blocks[number];
    if (!block || number > newest()) return null;
    return {
      number: hex(number),
      hash: hashOf(number),
      parentHash: hashOf(number - 1),
      timestamp: hex(1_700_000_000 + number * 12),
      transactions: [],
      uncles: [],
      gasLimit: '0x1c9c380',
      gasUsed: '0x0',
      size: '0x220',
    };
  }

  function logsOf(filter: {
    readonly fromBlock: string;
    readonly toBlock: string;
    readonly address: string;
    readonly topics: readonly (string | null)[];
  }): readonly Log[] {
    const [first, last] = [Number(filter.fromBlock), Number(filter.toBlock)];
    if (last - first >= (currentDeviations.maxLogRange ?? 1e9)) {
      throw new RpcError(-32_005, 'query returned more than 10000 results');
    }
    const logs: Log[] = [];
    // An endpoint that is behind returns what it has, without an error.
    for (let number = first; number <= Math.min(last, newest()); number += 1) {
      for (const [index, transfer] of (chain.blocks[number]?.transfers ?? []).entries()) {
        const {
          from = SENDER_ADDRESS,
          to = FUNDING_ADDRESS,
          token = TOKEN_ADDRESS,
          amount,
          transaction,
        } = transfer;
        const topics = [TRANSFER_TOPIC, word(from), word(to)];
        const isRequested =
          token.toLowerCase() === filter.address.toLowerCase() &&
          filter.topics.every(
            (topic, position) => topic === null || topic.toLowerCase() === topics[position],
          );
        if (!isRequested) continue;
        logs.push({
          address: token.toLowerCase(),
          topics,
          data: word(amount.toString(16)),
          blockNumber: hex(number),
          blockHash: hashOf(number),
          transactionHash: transaction,
          transactionIndex: hex(index),
          logIndex: hex(index),
          removed: false,
        });
      }
    }
    return currentDeviations.changeLogs?.(logs) ?? logs;
  }

  function answer({ method, params }: Request): unknown {
    if (currentDeviations.isDown) throw new RpcError(-32_603, 'internal error');
    switch (method) {
      case 'eth_chainId':
        return hex(currentDeviations.chainId ?? CHAIN_ID);
      case 'eth_getBlockByNumber':
        return blockOf(params[0]);
      case 'eth_getLogs':
        return logsOf(params[0] as Parameters<typeof logsOf>[0]);
      case 'eth_call':
        if (currentDeviations.hasShortBalance) return '0x0';
        return word((currentDeviations.balance ?? chain.balance(numberOf(params[1]))).toString(16));
      default:
        throw new RpcError(-32_601, 'the method does not exist');
    }
  }

  const server = createServer(async (request, response) => {
    const rpcRequest = (await json(request)) as Request;
    response.setHeader('content-type', 'application/json');
    if (currentDeviations.redirects && request.url !== '/moved')
      return response.writeHead(307, { location: '/moved' }).end();
    if (currentDeviations.refusedLogRequests !== undefined && rpcRequest.method === 'eth_getLogs') {
      currentDeviations.refusedLogRequests += 1;
      return response.writeHead(429).end('{}');
    }
    if (currentDeviations.isGarbled) return response.end('<html>502</html>');
    const reply = {
      jsonrpc: '2.0',
      id: rpcRequest.id,
      padding: 'x'.repeat(currentDeviations.paddingBytes ?? 0),
    };
    try {
      response.end(JSON.stringify({ ...reply, result: answer(rpcRequest) }));
    } catch (error) {
      const { code = -32_603, message } = error as RpcError;
      response.end(JSON.stringify({ ...reply, error: { code, message } }));
    }
  });
  // Idle connections stay open. With a timeout, a connection could close just as its next request is sent.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    deviations: currentDeviations as Deviations,
    url: `http://127.0.0.1:${port}/key-that-nobody-may-see`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
export type FakeEndpoint = Awaited<ReturnType<typeof startFakeEndpoint>>;
