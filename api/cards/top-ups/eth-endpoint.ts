import { z } from 'zod';
import type { ChainTransfer } from '../../../data/store/top-up-port.ts';

/** The transfers in a range of blocks, sorted by id. `hash` is the hash of the last block in the range. */
export interface TransferRange {
  readonly transfers: readonly ChainTransfer[];
  readonly hash: string;
}

/**
 * A standard Ethereum JSON-RPC endpoint. Every method throws if the endpoint does not answer, or if its answer is
 * implausible.
 */
export interface EthEndpoint {
  /** The host, without path or key. */
  readonly name: string;
  readHeads(signal: AbortSignal): Promise<{ readonly final: number; readonly newest: number }>;
  hashOf(block: number, signal: AbortSignal): Promise<string>;
  /** Reads the blocks after `from`, up to `to`. */
  readRange(from: number, to: number, signal: AbortSignal): Promise<TransferRange>;
  /** The balance of the funding address after a block, in base units. */
  balanceAt(block: number, signal: AbortSignal): Promise<bigint>;
}

interface EthSettings {
  readonly chainId: number;
  /** The address of the USDT contract. */
  readonly token: string;
  readonly fundingAddress: string;
}

const ANSWER_TIMEOUT_MS = 15_000;
/** The maximum size of an answer, in bytes after decompression. */
const MAX_ANSWER_BYTES = 10_485_760;
/** How many blocks are read with one request, unless the endpoint has a lower limit. */
const MAX_RANGE_BLOCKS = 2_000;

const toHex = (number: number) => `0x${number.toString(16)}` as const;
const isSameAddress = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** An endpoint's error that does not depend on the length of the range. Its message contains no URL. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError';
}

function throwImplausible(what: string): never {
  throw new EndpointError(what);
}

/** Like `fetch`, for answers up to `MAX_ANSWER_BYTES`. Redirects are not followed, because only configured hosts are trusted. */
const fetchWithSizeLimit: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' });
  if (response.status === 429) {
    await response.body?.cancel();
    throw new EndpointError('a limit on the rate of requests');
  }
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

// The schemas follow https://ethereum.github.io/execution-apis. Numbers are hexadecimal.
const hexOf = (digits: number) =>
  z.templateLiteral(['0x', z.string().regex(new RegExp(`^[0-9a-fA-F]{${digits}}$`))]);
const quantitySchema = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/i)
  .transform(BigInt);
const numberSchema = quantitySchema.transform(Number).pipe(z.int());
/** 32 bytes. */
const wordSchema = hexOf(64);
const blockSchema = z.object({ hash: wordSchema, number: numberSchema, timestamp: numberSchema });
const logsSchema = z.array(
  z.object({
    address: hexOf(40),
    topics: z.tuple([wordSchema, wordSchema, wordSchema]),
    data: wordSchema,
    blockNumber: numberSchema,
    blockHash: wordSchema,
    transactionHash: wordSchema,
    logIndex: numberSchema,
    removed: z.boolean().default(false),
  }),
);

/**
 * Opens an endpoint with the library ox, which is loaded when the first endpoint is opened. The alternative, viem by the same
 * authors, is 65 MB in size and takes four times as long to load.
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
  const transferEvent = AbiEvent.from(
    'event Transfer(address indexed from, address indexed to, uint256 value)',
  );
  const balanceOf = AbiFunction.from('function balanceOf(address) view returns (uint256)');
  const [tokenAddress, checksumFundingAddress] = [Address.checksum(token), Address.checksum(fundingAddress)];
  let maxRangeBlocks = MAX_RANGE_BLOCKS;

  const createRequestClient = (signal: AbortSignal) => {
    const { request } = RpcTransport.fromHttp(url, {
      timeout: ANSWER_TIMEOUT_MS,
      fetchOptions: { signal },
      fetchFn: fetchWithSizeLimit,
    });
    return async <Answer>(
      schema: z.ZodType<Answer>,
      ...call: Parameters<typeof request>
    ): Promise<Answer> => {
      const parsed = schema.safeParse(await request(...call));
      return parsed.success ? parsed.data : throwImplausible(`no valid answer to ${call[0].method}`);
    };
  };
  type Client = ReturnType<typeof createRequestClient>;
  type Log = Awaited<ReturnType<typeof readLogs>>[number];

  const readLogs = async (client: Client, afterBlock: number, lastBlock: number) => {
    const range = {
      address: tokenAddress,
      fromBlock: toHex(afterBlock + 1),
      toBlock: toHex(lastBlock),
    } as const;
    const read = ({ topics }: ReturnType<typeof AbiEvent.encode>) =>
      client(logsSchema, { method: 'eth_getLogs', params: [{ ...range, topics }] });
    const logs = await Promise.all([
      read(AbiEvent.encode(transferEvent, { to: checksumFundingAddress })),
      read(AbiEvent.encode(transferEvent, { from: checksumFundingAddress })),
    ]);
    return logs.flat();
  };

  /** Reads the logs of a range, in shorter parts if the endpoint refuses a long one. */
  async function readLogsInParts(
    client: Client,
    afterBlock: number,
    lastBlock: number,
    signal: AbortSignal,
  ): Promise<readonly Log[]> {
    const logs: Log[] = [];
    for (let readUpTo = afterBlock; readUpTo < lastBlock; ) {
      const end = Math.min(lastBlock, readUpTo + maxRangeBlocks);
      try {
        logs.push(...(await readLogs(client, readUpTo, end)));
        readUpTo = end;
      } catch (error) {
        // The error does not show whether the range was too long, because each endpoint words this error differently. A
        // single block is never too long, so its error is rethrown.
        const isSingleBlock = end - readUpTo <= 1;
        if (signal.aborted || isSingleBlock || error instanceof EndpointError) throw error;
        maxRangeBlocks = Math.max(1, Math.floor((end - readUpTo) / 2));
      }
    }
    maxRangeBlocks = Math.min(MAX_RANGE_BLOCKS, maxRangeBlocks * 2);
    return logs;
  }

  const blockAt = async (client: Client, block: `0x${string}` | 'finalized' | 'latest') =>
    (await client(blockSchema.nullable(), { method: 'eth_getBlockByNumber', params: [block, false] })) ??
    throwImplausible('no such block');

  async function readBlock(client: Client, blockNumber: number) {
    const { hash, number, timestamp } = await blockAt(client, toHex(blockNumber));
    if (number !== blockNumber) throwImplausible('a different block than the requested one');
    return { hash, at: timestamp * 1_000 };
  }

  return {
    name,
    async readHeads(signal) {
      const client = createRequestClient(signal);
      const [id, final, newest] = await Promise.all([
        client(numberSchema, { method: 'eth_chainId' }),
        blockAt(client, 'finalized'),
        blockAt(client, 'latest'),
      ]);
      if (id !== chainId) throwImplausible(`the chain ${id} instead of ${chainId}`);
      if (final.number > newest.number) throwImplausible('a final block after the newest one');
      return { final: final.number, newest: newest.number };
    },
    hashOf: async (block, signal) => (await readBlock(createRequestClient(signal), block)).hash,
    async readRange(afterBlock, lastBlock, signal) {
      const client = createRequestClient(signal);
      const logs = await readLogsInParts(client, afterBlock, lastBlock, signal);
      const blockTimes = new Map<number, number>();
      const transfers = new Map<string, ChainTransfer>();
      for (const log of logs) {
        const { from: sender, to: receiver, value: amount } = AbiEvent.decode(transferEvent, log);
        const block = log.blockNumber;
        const involvesFundingAddress =
          isSameAddress(receiver, checksumFundingAddress) || isSameAddress(sender, checksumFundingAddress);
        if (!isSameAddress(log.address, tokenAddress) || !involvesFundingAddress)
          throwImplausible('a transfer of another token or address');
        if (log.removed || block <= afterBlock || block > lastBlock)
          throwImplausible('a transfer outside the range');
        // Transfers of zero are spam, and a transfer from an address to itself changes nothing.
        if (amount === 0n || isSameAddress(sender, receiver)) continue;
        if (!blockTimes.has(block)) {
          const { hash, at } = await readBlock(client, block);
          if (hash !== log.blockHash) throwImplausible('a transfer in a block that was replaced');
          blockTimes.set(block, at);
        }
        const isOutgoing = isSameAddress(sender, checksumFundingAddress);
        const id = `${chainId}-${log.transactionHash}-${log.logIndex}`;
        const counterparty = Address.checksum(isOutgoing ? receiver : sender);
        transfers.set(id, { id, block, at: blockTimes.get(block) ?? 0, isOutgoing, counterparty, amount });
      }
      // Checks that the endpoint has the last block. Behind a load balancer, a server without it may answer, and its
      // logs would be incomplete.
      const { hash } = await readBlock(client, lastBlock);
      const sortedTransfers = [...transfers.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
      return { transfers: sortedTransfers, hash };
    },
    balanceAt: (block, signal) => {
      const data = AbiFunction.encodeData(balanceOf, [checksumFundingAddress]);
      return createRequestClient(signal)(wordSchema.transform(BigInt), {
        method: 'eth_call',
        params: [{ to: tokenAddress, data }, toHex(block)],
      });
    },
  };
}
