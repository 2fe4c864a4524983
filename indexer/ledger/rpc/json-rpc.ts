/**
 * The JSON-RPC 2.0 envelope (https://www.jsonrpc.org/specification): one request or a batch in, one reply or a list of replies
 * out, in the order of the requests. A request without an id is a notification: it is run and not answered.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bulkhead } from 'cockatiel';
import { parseJson, stringifyJson } from './json.ts';
import {
  INTERNAL_ERROR,
  invalidParams,
  invalidRequest,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  RpcError,
} from './rpc-error.ts';

/** Requests that one batch may hold. */
export const MOST_IN_BATCH = 1000;
/** Characters that the replies of one batch may have together; requests after that are refused. */
export const MOST_BATCH_REPLY_CHARACTERS = 32 * 1024 * 1024;
/**
 * Requests of a batch, and characters of replies, after which the event loop gets a turn: a large batch does not hold up the
 * rest, and what the runtime lent for its replies is given back before more is taken.
 */
const TURN = 20;
const TURN_CHARACTERS = 1024 * 1024;
/** Batches of more than a turn go one after the other: taking turns with each other, all of them would be late. */
const longBatches = bulkhead(1, Number.POSITIVE_INFINITY);

/** Runs a method and answers its result; throws an `RpcError`, or anything else for an internal fault. */
export type CallMethod = (method: string, params: readonly unknown[]) => unknown;
/** Told of every fault that is not the caller's. */
export type ReportFault = (method: string, fault: unknown) => void;

type Id = string | number | bigint | null;

function isId(value: unknown): value is Id {
  return value === null || ['string', 'number', 'bigint'].includes(typeof value);
}

function failure(id: Id, { code, message, data }: RpcError): object {
  return { jsonrpc: '2.0', error: data === undefined ? { code, message } : { code, message, data }, id };
}

/** An RPC error for a method that is not served. */
export function methodNotFound(method: string): RpcError {
  return new RpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 80)}`);
}

function run(call: CallMethod, report: ReportFault, method: string, params: unknown): unknown {
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    throw invalidParams('params must be an array');
  }
  try {
    return call(method, params ?? []) ?? null;
  } catch (fault) {
    if (fault instanceof RpcError) throw fault;
    report(method, fault);
    throw new RpcError(INTERNAL_ERROR, 'Internal error');
  }
}

function answerOne(request: unknown, call: CallMethod, report: ReportFault): object | null {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    return failure(null, invalidRequest('Invalid request: not an object'));
  }
  const { id, jsonrpc, method, params } = request as Readonly<Record<string, unknown>>;
  const isNotification = id === undefined;
  const replyId = isId(id) ? id : null;
  if (jsonrpc !== '2.0') return failure(replyId, invalidRequest('Invalid request: jsonrpc must be "2.0"'));
  if (typeof method !== 'string')
    return failure(replyId, invalidRequest('Invalid request: method must be a string'));
  if (!isNotification && !isId(id)) {
    return failure(null, invalidRequest('Invalid request: id must be a string, a number or null'));
  }
  try {
    const result = run(call, report, method, params);
    return isNotification ? null : { jsonrpc: '2.0', result, id: replyId };
  } catch (fault) {
    if (!(fault instanceof RpcError)) throw fault;
    return isNotification ? null : failure(replyId, fault);
  }
}

const refuseRest: CallMethod = () => {
  throw invalidRequest(
    `Invalid request: the replies of a batch have at most ${MOST_BATCH_REPLY_CHARACTERS} characters together; ask for less at once`,
  );
};

function tryParse(text: string): { readonly value: unknown } | null {
  try {
    return { value: parseJson(text) };
  } catch {
    return null;
  }
}

/** Answers one message. Null where nothing is to be answered: a notification, or a batch of them. */
export async function answerMessage(
  text: string,
  call: CallMethod,
  report: ReportFault,
): Promise<string | null> {
  const message = tryParse(text);
  if (message === null) return stringifyJson(failure(null, new RpcError(PARSE_ERROR, 'Parse error')));
  if (!Array.isArray(message.value)) {
    const reply = answerOne(message.value, call, report);
    return reply === null ? null : stringifyJson(reply);
  }
  const batch: readonly unknown[] = message.value;
  if (batch.length === 0 || batch.length > MOST_IN_BATCH) {
    const fault = invalidRequest(
      `Invalid request: a batch has 1 to ${MOST_IN_BATCH} requests, got ${batch.length}`,
    );
    return stringifyJson(failure(null, fault));
  }
  const replies = () => answerBatch(batch, call, report);
  return batch.length > TURN ? longBatches.execute(replies) : replies();
}

async function answerBatch(
  batch: readonly unknown[],
  call: CallMethod,
  report: ReportFault,
): Promise<string | null> {
  const replies: string[] = [];
  let characters = 0;
  let sinceTurn = { requests: 0, characters: 0 };
  for (const request of batch) {
    if (sinceTurn.requests >= TURN || sinceTurn.characters >= TURN_CHARACTERS) {
      await nextTurn();
      sinceTurn = { requests: 0, characters: 0 };
    }
    const isFull = characters >= MOST_BATCH_REPLY_CHARACTERS;
    const reply = answerOne(request, isFull ? refuseRest : call, report);
    const text = reply === null ? '' : stringifyJson(reply);
    if (reply !== null) replies.push(text);
    characters += text.length;
    sinceTurn.requests += 1;
    sinceTurn.characters += text.length;
  }
  return replies.length === 0 ? null : `[${replies.join(',')}]`;
}
