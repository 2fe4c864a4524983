import { RetryableRpcError } from './rpc-errors.ts';

/** The boundary between two replies, as nodes write it. Inside a JSON string the quotes would be escaped. */
const REPLY_SEPARATOR = Buffer.from('},{"jsonrpc"');
const LOGS_BEGIN = Buffer.from('"logMessages":[');
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;

/**
 * Parses the answer to a batch: a list of replies, or one object for the whole batch. A list is parsed one reply at a time, so
 * that each can be freed before the next. If all were parsed at once, they would move to V8's old generation, and collecting them
 * would cost several times as much as parsing them. Transaction logs are skipped.
 *
 * @throws {RetryableRpcError} if the body is not JSON; for a list, possibly only during iteration
 */
export function parseReplies(body: Buffer): unknown {
  if (body[0] !== OPENING_BRACKET || body.at(-1) !== CLOSING_BRACKET) return parse(body);
  const firstEnd = body.indexOf(REPLY_SEPARATOR);
  return firstEnd === -1 ? parse(body) : parseEach(body, firstEnd);
}

export function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function* parseEach(body: Buffer, firstEnd: number): Generator<unknown> {
  let from = 1;
  for (let end = firstEnd; end !== -1; end = body.indexOf(REPLY_SEPARATOR, from)) {
    yield parse(stripLogs(body.subarray(from, end + 1)));
    from = end + 2;
  }
  yield parse(stripLogs(body.subarray(from, -1)));
}

function parse(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString());
  } catch {
    // The parser's error quotes the body, which may contain a key.
    throw json[0] === OPENING_BRACKET || json[0] === OPENING_BRACE
      ? new RetryableRpcError('cut-off', 'the answer is cut off')
      : new RetryableRpcError('not-json-rpc', 'the answer is not JSON');
  }
}

/**
 * Removes the logs from a transaction's JSON, of which they are a large part. The indexer never reads them, because any program
 * can log anything and nodes truncate logs. Logs are removed only if they have the format that nodes use: a list of strings
 * without spaces between them, followed by another member.
 *
 * @param json compacted in place
 * @returns the part of `json` that remains
 */
export function stripLogs(json: Buffer): Buffer {
  const begin = json.indexOf(LOGS_BEGIN);
  // Inside a JSON string a backslash would precede the quote. After `{` or a comma, the quote begins a member's name.
  if (begin < 1) return json;
  const before = json[begin - 1];
  if (before !== OPENING_BRACE && before !== COMMA) return json;
  const end = endOfStringList(json, begin + LOGS_BEGIN.length);
  if (end === -1 || json[end + 1] !== COMMA) return json;
  const next = end + 2;
  json.copyWithin(begin, next);
  return json.subarray(0, json.length - (next - begin));
}

/** The index of the closing bracket; -1 if the list contains anything but strings, or has no end. */
function endOfStringList(json: Buffer, from: number): number {
  if (json[from] === CLOSING_BRACKET) return from;
  let begin = from;
  while (json[begin] === QUOTE) {
    const end = endOfString(json, begin);
    if (end === -1) return -1;
    if (json[end + 1] === CLOSING_BRACKET) return end + 1;
    if (json[end + 1] !== COMMA) return -1;
    begin = end + 2;
  }
  return -1;
}

/** The index of the closing quote; -1 if there is none. */
function endOfString(json: Buffer, openingQuote: number): number {
  let end = openingQuote;
  do {
    end = json.indexOf(QUOTE, end + 1);
  } while (end !== -1 && isEscaped(json, end));
  return end;
}

function isEscaped(json: Buffer, quote: number): boolean {
  let first = quote;
  while (json[first - 1] === BACKSLASH) first -= 1;
  return (quote - first) % 2 === 1;
}
