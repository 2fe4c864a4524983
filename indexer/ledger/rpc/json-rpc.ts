/**
 * JSON-RPC 2.0 (https://www.jsonrpc.org/specification). A single request gets one reply. A batch gets a list of replies, in
 * the order of its requests. A request without an id is a notification: it runs, but gets no reply.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bulkhead } from 'cockatiel';

/** JSON functions that read and write number literals unchanged. TypeScript does not declare these signatures yet. */
interface VerbatimJson {
  rawJSON(literal: string): unknown;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}
const verbatimJson = JSON as unknown as VerbatimJson;

/** Only text with a match can contain an unsafe integer. Other text is parsed without a reviver, which is faster. */
const LONG_DIGITS = /[0-9]{16}/;
const INTEGER_LITERAL = /^-?[0-9]+$/;

/**
 * Parses JSON. Integers outside the safe range become `bigint`, because a Solana node writes 64-bit integers.
 * @throws {SyntaxError} if the string is not JSON
 */
export function parseJson(text: string): unknown {
  if (!LONG_DIGITS.test(text)) return JSON.parse(text);
  return verbatimJson.parse(text, (_key, value, { source }) =>
    typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    source !== undefined &&
    INTEGER_LITERAL.test(source)
      ? BigInt(source)
      : value,
  );
}

/** Writes JSON; a `bigint` becomes an integer literal. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? verbatimJson.rawJSON(member.toString()) : member,
  );
}

/** Error codes of JSON-RPC and of a Solana node (agave, `rpc-client-api/src/custom_error.rs`). */
export const RPC_ERROR = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  preflightFailure: -32002,
  signatureVerificationFailure: -32003,
  blockNotAvailable: -32004,
  unsupportedTransactionVersion: -32015,
  minContextSlotNotReached: -32016,
  filterTransactionNotFound: -32020,
} as const;

/** An error for the caller, sent as the reply's `error` member. Any other error becomes -32603. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export function invalidParams(message: string): RpcError {
  return new RpcError(RPC_ERROR.invalidParams, message);
}

function invalidRequest(reason: string): RpcError {
  return new RpcError(RPC_ERROR.invalidRequest, `Invalid request: ${reason}`);
}

export function methodNotFound(method: string): RpcError {
  return new RpcError(RPC_ERROR.methodNotFound, `Method not found: ${method.slice(0, 80)}`);
}

export const MAX_BATCH_REQUESTS = 1000;
/** Once the replies to a batch total this many characters, the remaining requests in the batch are rejected. */
export const MAX_BATCH_REPLY_CHARACTERS = 32 * 1024 * 1024;
/**
 * After this many requests, or this many characters of replies, a batch yields to the event loop, so that other requests are
 * served and the runtime's copies of accounts are freed.
 */
const TURN_REQUESTS = 20;
const TURN_CHARACTERS = 1024 * 1024;
/** Long batches run one after the other. If they ran concurrently, all of them would finish late. */
const longBatches = bulkhead(1, Number.POSITIVE_INFINITY);

/** @throws {RpcError} for an error that the caller caused */
export type CallMethod = (method: string, params: readonly unknown[]) => unknown;
/** Receives every error that the caller did not cause. */
export type ReportError = (method: string, error: unknown) => void;

type Id = string | number | bigint | null;

function isId(value: unknown): value is Id {
  return value === null || ['string', 'number', 'bigint'].includes(typeof value);
}

function failureReply(id: Id, { code, message, data }: RpcError): object {
  return { jsonrpc: '2.0', error: data === undefined ? { code, message } : { code, message, data }, id };
}

function run(call: CallMethod, report: ReportError, method: string, params: unknown): unknown {
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    throw invalidParams('params must be an array');
  }
  try {
    return call(method, params ?? []) ?? null;
  } catch (error) {
    if (error instanceof RpcError) throw error;
    report(method, error);
    throw new RpcError(RPC_ERROR.internal, 'Internal error');
  }
}

function answerOne(request: unknown, call: CallMethod, report: ReportError): object | null {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    return failureReply(null, invalidRequest('not an object'));
  }
  const { id, jsonrpc, method, params } = request as Readonly<Record<string, unknown>>;
  const isNotification = id === undefined;
  const replyId = isId(id) ? id : null;
  if (jsonrpc !== '2.0') return failureReply(replyId, invalidRequest('jsonrpc must be "2.0"'));
  if (typeof method !== 'string') return failureReply(replyId, invalidRequest('method must be a string'));
  if (!isNotification && !isId(id)) {
    return failureReply(null, invalidRequest('id must be a string, a number or null'));
  }
  try {
    const result = run(call, report, method, params);
    return isNotification ? null : { jsonrpc: '2.0', result, id: replyId };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return isNotification ? null : failureReply(replyId, error);
  }
}

const refuseRemaining: CallMethod = () => {
  throw invalidRequest(`the replies to a batch can have at most ${MAX_BATCH_REPLY_CHARACTERS} characters`);
};

function tryParse(text: string): { readonly value: unknown } | null {
  try {
    return { value: parseJson(text) };
  } catch {
    return null;
  }
}

/** @returns the reply; null if the message contains only notifications */
export async function answerMessage(
  text: string,
  call: CallMethod,
  report: ReportError,
): Promise<string | null> {
  const message = tryParse(text);
  if (message === null)
    return stringifyJson(failureReply(null, new RpcError(RPC_ERROR.parse, 'Parse error')));
  if (!Array.isArray(message.value)) {
    const reply = answerOne(message.value, call, report);
    return reply === null ? null : stringifyJson(reply);
  }
  const batch: readonly unknown[] = message.value;
  if (batch.length === 0 || batch.length > MAX_BATCH_REQUESTS) {
    const refused = invalidRequest(
      `a batch must have 1 to ${MAX_BATCH_REQUESTS} requests, got ${batch.length}`,
    );
    return stringifyJson(failureReply(null, refused));
  }
  const answer = () => answerBatch(batch, call, report);
  return batch.length > TURN_REQUESTS ? longBatches.execute(answer) : answer();
}

async function answerBatch(
  batch: readonly unknown[],
  call: CallMethod,
  report: ReportError,
): Promise<string | null> {
  const replies: string[] = [];
  let characters = 0;
  let sinceTurn = { requests: 0, characters: 0 };
  for (const request of batch) {
    if (sinceTurn.requests >= TURN_REQUESTS || sinceTurn.characters >= TURN_CHARACTERS) {
      await nextTurn();
      sinceTurn = { requests: 0, characters: 0 };
    }
    const isFull = characters >= MAX_BATCH_REPLY_CHARACTERS;
    const reply = answerOne(request, isFull ? refuseRemaining : call, report);
    const text = reply === null ? '' : stringifyJson(reply);
    if (reply !== null) replies.push(text);
    characters += text.length;
    sinceTurn.requests += 1;
    sinceTurn.characters += text.length;
  }
  return replies.length === 0 ? null : `[${replies.join(',')}]`;
}
