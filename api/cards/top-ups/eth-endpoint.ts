import { z } from 'zod';
import type { ChainTransfer } from '../../../data/store/top-up-port.ts';

/** The transfers in a range of blocks, sorted by id, and the hash of its last block. */
export interface ReadRange {
  readonly transfers: readonly ChainTransfer[];
  readonly hash: string;
}

/**
 * A standard JSON-RPC endpoint of Ethereum. Every method throws if the endpoint does not answer, or if its answer is
 * implausible.
 */
export interface EthEndpoint {
  /** The host, without path or key. */
  readonly name: string;
  /** The last final block, and the newest one. */
  heads(signal: AbortSignal): Promise<{ readonly final: number; readonly newest: number }>;
  hashOf(block: number, signal: AbortSignal): Promise<string>;
  /** Reads the blocks after `from`, up to `to`. */
  range(from: number, to: number, signal: AbortSignal): Promise<ReadRange>;
  /** The balance of the funding address after a block, in base units. */
  balanceAt(block: number, signal: AbortSignal): Promise<bigint>;
}

interface EthSettings {
  readonly chainId: number;
  /** The contract of USDT. */
  readonly token: string;
  readonly fundingAddress: string;
}

/** The timeout of one request in milliseconds. */
const ANSWER_TIMEOUT_MS = 15_000;
/** The largest answer that is read, in bytes after decompression. */
const MAX_ANSWER_BYTES = 10_485_760;
/** How many blocks are read with one request, unless the endpoint has a lower limit. */
const MAX_RANGE_BLOCKS = 2_000;

const hex = (number: number) => `0x${number.toString(16)}` as const;
const sameAddress = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** The endpoint's answer cannot be right. */
export class ImplausibleAnswerError extends Error {
  override readonly name = 'ImplausibleAnswerError';
}

function throwImplausible(what: string): never {
  throw new ImplausibleAnswerError(what);
}

/** Like `fetch`, for answers up to `MAX_ANSWER_BYTES`. Redirects are not followed, because only the configured hosts are trusted. */
const fetchLimited: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' });
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > MAX_ANSWER_BYTES) throw new RangeError('The answer is too long.');
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(limit), response);
};

// Answers have the shapes of https://ethereum.github.io/execution-apis. Numbers are hexadecimal.
const hexOf = (digits: number) =>
  z.templateLiteral(['0x', z.string().regex(new RegExp(`^[0-9a-fA-F]{${digits}}$`))]);
const QUANTITY = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/i)
  .transform(BigInt);
const NUMBER = QUANTITY.transform(Number).pipe(z.int());
/** 32 bytes. */
const WORD = hexOf(64);
const BLOCK = z.object({ hash: WORD, number: NUMBER, timestamp: NUMBER });
const LOGS = z.array(
  z.object({
    address: hexOf(40),
    topics: z.tuple([WORD, WORD, WORD]),
    data: WORD,
    blockNumber: NUMBER,
    blockHash: WORD,
    transactionHash: WORD,
    logIndex: NUMBER,
    removed: z.boolean().default(false),
  }),
);

/**
 * Opens an endpoint with the library ox, which is loaded for the first endpoint. viem, by the same authors, is 65 MB and takes
 * four times as long to load.
 * @param name the host, without path or key
 */
export async function openEthEndpoint(
  url: string,
  name: string,
  { chainId, token, fundingAddress }: EthSettings,
): Promise<EthEndpoint> {
  const [RpcTransport, AbiEvent, AbiFunction, Address] = await Promise.all([
    import('ox/RpcTransport'),
    import('ox/AbiEvent'),
    import('ox/AbiFunction'),
    import('ox/Address'),
  ]);
  const event = AbiEvent.from('event Transfer(address indexed from, address indexed to, uint256 value)');
  const balanceOf = AbiFunction.from('function balanceOf(address) view returns (uint256)');
  const [tokenAddress, funding] = [Address.checksum(token), Address.checksum(fundingAddress)];
  let maxRange = MAX_RANGE_BLOCKS;

  const createRequestClient = (signal: AbortSignal) => {
    const { request } = RpcTransport.fromHttp(url, {
      timeout: ANSWER_TIMEOUT_MS,
      fetchOptions: { signal },
      fetchFn: fetchLimited,
    });
    return async <Answer>(
      answer: z.ZodType<Answer>,
      ...call: Parameters<typeof request>
    ): Promise<Answer> => {
      const parsed = answer.safeParse(await request(...call));
      return parsed.success ? parsed.data : throwImplausible(`no valid answer to ${call[0].method}`);
    };
  };
  type Client = ReturnType<typeof createRequestClient>;
  type Log = Awaited<ReturnType<typeof readLogs>>[number];

  const readLogs = async (client: Client, afterBlock: number, lastBlock: number) => {
    const range = { address: tokenAddress, fromBlock: hex(afterBlock + 1), toBlock: hex(lastBlock) } as const;
    const read = ({ topics }: ReturnType<typeof AbiEvent.encode>) =>
      client(LOGS, { method: 'eth_getLogs', params: [{ ...range, topics }] });
    const logs = await Promise.all([
      read(AbiEvent.encode(event, { to: funding })),
      read(AbiEvent.encode(event, { from: funding })),
    ]);
    return logs.flat();
  };

  /** Reads the logs of a range, in shorter parts if the endpoint refuses a long one. */
  async function logsOf(
    client: Client,
    afterBlock: number,
    lastBlock: number,
    signal: AbortSignal,
  ): Promise<readonly Log[]> {
    const logs: Log[] = [];
    for (let at = afterBlock; at < lastBlock; ) {
      const end = Math.min(lastBlock, at + maxRange);
      try {
        logs.push(...(await readLogs(client, at, end)));
        at = end;
      } catch (error) {
        // The error does not show whether the range was too long, because each endpoint words that differently. A single block is
        // never too long, so its error is passed on.
        const isShort = end - at <= 1;
        if (signal.aborted || isShort || error instanceof ImplausibleAnswerError) throw error;
        maxRange = Math.max(1, Math.floor((end - at) / 2));
      }
    }
    maxRange = Math.min(MAX_RANGE_BLOCKS, maxRange * 2);
    return logs;
  }

  const blockAt = async (client: Client, block: `0x${string}` | 'finalized' | 'latest') =>
    (await client(BLOCK.nullable(), { method: 'eth_getBlockByNumber', params: [block, false] })) ??
    throwImplausible('no such block');

  async function readBlock(client: Client, blockNumber: number) {
    const { hash, number, timestamp } = await blockAt(client, hex(blockNumber));
    if (number !== blockNumber) throwImplausible('a different block than the requested one');
    return { hash, at: timestamp * 1_000 };
  }

  return {
    name,
    async heads(signal) {
      const client = createRequestClient(signal);
      const [id, final, newest] = await Promise.all([
        client(NUMBER, { method: 'eth_chainId' }),
        blockAt(client, 'finalized'),
        blockAt(client, 'latest'),
      ]);
      if (id !== chainId) throwImplausible(`the chain ${id} instead of ${chainId}`);
      if (final.number > newest.number) throwImplausible('a final block after the newest one');
      return { final: final.number, newest: newest.number };
    },
    hashOf: async (block, signal) => (await readBlock(createRequestClient(signal), block)).hash,
    async range(afterBlock, lastBlock, signal) {
      const client = createRequestClient(signal);
      const logs = await logsOf(client, afterBlock, lastBlock, signal);
      const blockTimes = new Map<number, number>();
      const transfers = new Map<string, ChainTransfer>();
      for (const log of logs) {
        const { from: sender, to: receiver, value: amount } = AbiEvent.decode(event, log);
        const block = log.blockNumber;
        const isOurs = sameAddress(receiver, funding) || sameAddress(sender, funding);
        if (!sameAddress(log.address, tokenAddress) || !isOurs)
          throwImplausible('a transfer of another token or address');
        if (log.removed || block <= afterBlock || block > lastBlock)
          throwImplausible('a transfer outside the range');
        // Transfers of zero are spam, and a transfer to its own sender changes nothing.
        if (amount === 0n || sameAddress(sender, receiver)) continue;
        if (!blockTimes.has(block)) {
          const { hash, at } = await readBlock(client, block);
          if (hash !== log.blockHash) throwImplausible('a transfer in a block that was replaced');
          blockTimes.set(block, at);
        }
        const isOutgoing = sameAddress(sender, funding);
        const id = `${chainId}-${log.transactionHash}-${log.logIndex}`;
        const counterparty = Address.checksum(isOutgoing ? receiver : sender);
        transfers.set(id, { id, block, at: blockTimes.get(block) ?? 0, isOutgoing, counterparty, amount });
      }
      // The block is read last, to check that it exists: behind a load balancer, the logs may come from a server that does not
      // have it yet.
      const { hash } = await readBlock(client, lastBlock);
      const sortedTransfers = [...transfers.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
      return { transfers: sortedTransfers, hash };
    },
    balanceAt: (block, signal) => {
      const data = AbiFunction.encodeData(balanceOf, [funding]);
      return createRequestClient(signal)(WORD.transform(BigInt), {
        method: 'eth_call',
        params: [{ to: tokenAddress, data }, hex(block)],
      });
    },
  };
}
