import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { VersionedTransaction } from '@solana/web3.js';
import { wireVersion1 } from '../chain/testing/wire-version-1.ts';
import { LEDGER } from '../ledger/addresses.ts';
import { parseJson, stringifyJson } from '../ledger/rpc/json-rpc.ts';
import { postText, startHttpServer } from './fake-server.ts';
import type { Fault, FaultSchedule } from './fault-schedule.ts';
import type { LedgerNode } from './ledger-cluster.ts';

/** JSON-RPC error codes that nodes return. */
const FAULT_CODES = [
  429, -32004, -32005, -32007, -32009, -32011, -32014, -32015, -32016, -32019, -32020,
] as const;

/** A pruned node keeps at most this many of the newest slots. */
const PRUNED_TO_SLOTS = 60;
const SLOTS_AHEAD = 1_000_000_000;

interface BatchCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}
type Reply = { readonly id: unknown; readonly result?: unknown; readonly error?: unknown };

/** Applies a fault to a node's replies. A transport fault leaves them unchanged. */
function breakReplies(
  calls: readonly BatchCall[],
  replies: readonly Reply[],
  { kind, variant }: Fault,
  newestSlot: number,
): readonly Reply[] | Reply {
  const faultyIndex = replies.length === 0 ? 0 : variant % replies.length;
  const callOf = (reply: Reply) => calls.find(({ id }) => id === reply.id);
  const changeOne = (edit: (reply: Reply) => Reply) =>
    replies.map((reply, index) => (index === faultyIndex ? edit(reply) : reply));
  const change = (matches: (call: BatchCall, index: number) => boolean, edit: (reply: Reply) => Reply) =>
    replies.map((reply, index) => {
      const call = callOf(reply);
      return call && matches(call, index) ? edit(reply) : reply;
    });
  switch (kind) {
    case 'wrong-id':
      return changeOne(({ id, ...reply }) => ({ ...reply, id: Number(id) + 1_000_000 }));
    case 'duplicate-id':
      return replies.flatMap((reply, index) => (index === faultyIndex ? [reply, reply] : [reply]));
    case 'reordered':
      return replies.toReversed();
    case 'missing-reply':
      return replies.filter((_, index) => index !== faultyIndex);
    case 'batch-error':
      return errorReply(null, variant);
    case 'call-error':
      return changeOne(({ id }) => errorReply(id, variant));
    case 'odd-shape':
      return changeOne(({ id }) => ({ id, result: variant % 2 === 0 ? 'odd' : [{}] }));
    case 'null-transaction':
      return change(
        ({ method }, index) => method === 'getTransaction' && index >= faultyIndex,
        ({ id }) => ({ id, result: null }),
      );
    case 'unknown-cursor':
      return change(
        ({ params: [, config] }) => isObject(config) && ('before' in config || 'until' in config),
        ({ id }) => ({ id, error: { code: -32020, message: 'Transaction history is not available' } }),
      );
    case 'short-page':
      return change(
        ({ method }) => method === 'getSignaturesForAddress',
        (reply) =>
          Array.isArray(reply.result)
            ? { ...reply, result: reply.result.slice(0, 1 + (variant % 3)) }
            : reply,
      );
    case 'pruned':
      return replies.map((reply) =>
        prunedReply(callOf(reply), reply, newestSlot - (variant % PRUNED_TO_SLOTS)),
      );
    case 'flipped-order':
      return replies.map((reply) => flippedPage(callOf(reply), reply, variant));
    case 'lying-balance':
      return replies.map((reply) => withFalseBalance(callOf(reply), reply, variant));
    case 'lying-from-the-future':
      return replies.map((reply) => withFutureSlot(withFalseBalance(callOf(reply), reply, variant)));
    default:
      return replies;
  }
}

/**
 * Cuts the requested page from the whole list that `requestForWholeLists` requested. Odd variants reverse the order of the rows
 * within each slot. Each row keeps its `transactionIndex`.
 */
function flippedPage(call: BatchCall | undefined, reply: Reply, variant: number): Reply {
  if (call?.method !== LISTING_METHOD || !Array.isArray(reply.result)) return reply;
  const rows = reply.result as ListedRow[];
  const ordered =
    variant % 2 === 0 ? rows : rows.toReversed().toSorted((one, other) => other.slot - one.slot);
  const { before, until, limit } = call.params[1] as ListingConfig;
  const [from, to] = [before, until].map((cursor) =>
    ordered.findIndex(({ signature }) => signature === cursor),
  );
  const page = ordered.slice((from ?? -1) + 1, to === -1 ? undefined : to).slice(0, limit);
  return { ...reply, result: page };
}

function prunedReply(call: BatchCall | undefined, reply: Reply, firstSlot: number): Reply {
  const { result } = reply;
  switch (call?.method) {
    case LISTING_METHOD:
      if (!Array.isArray(result)) return reply;
      return { ...reply, result: (result as ListedRow[]).filter(({ slot }) => slot >= firstSlot) };
    case 'getTransaction':
      return isObject(result) && Number(result.slot) < firstSlot ? { ...reply, result: null } : reply;
    case 'getFirstAvailableBlock':
      return { ...reply, result: firstSlot };
    default:
      return reply;
  }
}

const LISTING_METHOD = 'getSignaturesForAddress';

interface ListedRow {
  readonly signature: string;
  readonly slot: number;
}
interface ListingConfig {
  readonly before?: string;
  readonly until?: string;
  readonly limit: number;
}

function errorReply(id: unknown, variant: number): Reply {
  const code = FAULT_CODES[variant % FAULT_CODES.length];
  return { id, error: { code, message: `as scheduled: ${code}` } };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function withFutureSlot(reply: Reply): Reply {
  const { result } = reply;
  if (typeof result === 'number') return { ...reply, result: result + SLOTS_AHEAD };
  if (!isObject(result) || !isObject(result.context)) return reply;
  const context = { ...result.context, slot: Number(result.context.slot) + SLOTS_AHEAD };
  return { ...reply, result: { ...result, context } };
}

/** Changes the vault's balance. Layout: SPL Token `Account`, with the amount at byte 64. */
function withFalseBalance(call: BatchCall | undefined, reply: Reply, variant: number): Reply {
  const addresses = call?.params[0];
  const { result } = reply;
  if (!Array.isArray(addresses) || !isObject(result) || !Array.isArray(result.value)) return reply;
  const accounts = result.value.map((account: unknown, index) => {
    if (addresses[index] !== LEDGER.vault || !isObject(account) || !Array.isArray(account.data))
      return account;
    const data = Buffer.from(String(account.data[0]), 'base64');
    const amount = data.readBigUInt64LE(64);
    const difference = BigInt(variant + 1);
    data.writeBigUInt64LE(variant % 2 === 0 ? amount + difference : amount - difference, 64);
    return { ...account, data: [data.toString('base64'), 'base64'] };
  });
  return { ...reply, result: { ...result, value: accounts } };
}

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>;

const SLOTS_BEHIND = 6;

/** Starts a Solana endpoint over real HTTP that forwards a node's answers and adds faults to them. */
export async function startFaultProxy(
  node: Pick<LedgerNode, 'url' | 'newestSlot' | 'fallBehind' | 'catchUp'>,
  schedule: FaultSchedule,
) {
  const faultCounts = new Map<Fault['kind'], number>();
  const hanging = new Set<ServerResponse>();
  const listeners: (() => void)[] = [];
  let isHealed = false;

  const forward = async (body: string): Promise<string> => {
    const text = await (await postText(node.url, body)).text();
    return body.includes('"getTransaction"') ? rewriteInVersion1(text) : text;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readText(request);
    for (const listener of listeners) listener();
    const fault = schedule.next();
    if (!isHealed && fault?.kind === 'stale') node.fallBehind(fault.variant % SLOTS_BEHIND);
    else node.catchUp();
    if (!fault) return respond(response, 200, await forward(body));
    faultCounts.set(fault.kind, (faultCounts.get(fault.kind) ?? 0) + 1);
    if (respondWithTransportFault(response, fault)) return;
    if (fault.kind === 'hang') {
      hanging.add(response);
      response.once('close', () => hanging.delete(response));
      return;
    }
    const text = withFault(
      body,
      await forward(fault.kind === 'flipped-order' ? requestForWholeLists(body) : body),
      fault,
      node.newestSlot(),
    );
    if (fault.kind !== 'reset-in-body') return respond(response, 200, text);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.write(text.slice(0, Math.ceil(text.length / 2)), () => response.destroy());
  };

  const server = await startHttpServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  return {
    ...server,
    faultCounts: faultCounts as ReadonlyMap<Fault['kind'], number>,
    onRequest: (listener: () => void): void => void listeners.push(listener),
    /** Ends all faults: aborts hanging requests and makes the node catch up. */
    heal(): void {
      isHealed = true;
      schedule.end();
      node.catchUp();
      for (const response of hanging) response.destroy();
    },
  };
}

/** Rewrites about half of an answer's transactions as version 1, which the ledger cannot execute. */
function rewriteInVersion1(answer: string): string {
  const rewrite = (reply: Reply): Reply => {
    const { result } = reply;
    if (!isObject(result) || !Array.isArray(result.transaction)) return reply;
    const wire = Buffer.from(String(result.transaction[0]), 'base64');
    const { signatures, message } = VersionedTransaction.deserialize(wire);
    if ((signatures[0]?.[0] ?? 0) % 2 === 0 || message.addressTableLookups.length > 0) return reply;
    const { header, staticAccountKeys, compiledInstructions } = message;
    const version1 = wireVersion1({
      signatures,
      readonlySignedCount: header.numReadonlySignedAccounts,
      readonlyUnsignedCount: header.numReadonlyUnsignedAccounts,
      configMask: 0,
      keys: staticAccountKeys.map((key) => key.toBase58()),
      instructions: compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
        programIndex: programIdIndex,
        accounts: Uint8Array.from(accountKeyIndexes),
        data,
      })),
    });
    return {
      ...reply,
      result: { ...result, version: 1, transaction: [version1.toString('base64'), 'base64'] },
    };
  };
  const replies = parseJson(answer) as Reply | readonly Reply[];
  return stringifyJson(Array.isArray(replies) ? replies.map(rewrite) : rewrite(replies as Reply));
}

function respond(response: ServerResponse, status: number, text: string, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}

/** Answers with a fault at the HTTP or connection level. @returns false for any other fault */
function respondWithTransportFault(response: ServerResponse, { kind, variant }: Fault): boolean {
  if (kind === 'reset') response.destroy();
  else if (kind === 'server-error')
    respond(response, [500, 502, 503, 504][variant % 4] ?? 500, 'out of order');
  else if (kind === 'rate-limit') respond(response, 429, 'too many requests');
  else if (kind === 'rate-limit-for-a-second') respond(response, 429, 'wait', { 'retry-after': '1' });
  else if (kind === 'rate-limit-until-a-date') {
    respond(response, 429, 'wait', { 'retry-after': new Date(Date.now() + 2_000).toUTCString() });
  } else if (kind === 'not-json') respond(response, 200, '<!doctype html><title>Be right back</title>');
  else return false;
  return true;
}

function requestForWholeLists(body: string): string {
  const withoutRange = (call: BatchCall) =>
    call.method === LISTING_METHOD
      ? { ...call, params: [call.params[0], { commitment: 'confirmed' }] }
      : call;
  const calls = parseJson(body) as BatchCall | readonly BatchCall[];
  return stringifyJson(Array.isArray(calls) ? calls.map(withoutRange) : withoutRange(calls as BatchCall));
}

function withFault(request: string, answer: string, fault: Fault, newestSlot: number): string {
  if (fault.kind === 'truncated-json') return answer.slice(0, Math.floor(answer.length * 0.7));
  const [calls, replies] = [parseJson(request), parseJson(answer)];
  const broken = breakReplies([calls].flat() as BatchCall[], [replies].flat() as Reply[], fault, newestSlot);
  const isOne = !Array.isArray(calls) && Array.isArray(broken) && broken.length === 1;
  return stringifyJson(withEnvelope(isOne ? (broken[0] as Reply) : broken));
}

function withEnvelope(broken: readonly Reply[] | Reply): unknown {
  const withVersion = (one: Reply) => ({ jsonrpc: '2.0', ...one });
  return Array.isArray(broken) ? broken.map(withVersion) : withVersion(broken as Reply);
}
