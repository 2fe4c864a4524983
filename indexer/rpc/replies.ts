import { cutLogs } from './cut-logs.ts';
import { RetryableRpcError } from './rpc-errors.ts';

/** Where one reply ends and the next begins, as nodes write them. Within a text of JSON its quotes would be escaped. */
const BETWEEN_REPLIES = Buffer.from('},{"jsonrpc"');
const LIST_BEGINS = 0x5b;
const LIST_ENDS = 0x5d;
const OBJECT_BEGINS = 0x7b;

/**
 * The replies in the answer to a batch: a list, or the one object that stands for all. A list is read one reply at a time,
 * as it is asked for, so that a reply is garbage before the next is read: all at once they outlive the space of what is
 * young, and cost the collector several times what they cost the parser. Logs of transactions are not read.
 *
 * @throws {RetryableRpcError} where it is not JSON, also while the list is read
 */
export function repliesIn(body: Buffer): unknown {
  if (body[0] !== LIST_BEGINS || body.at(-1) !== LIST_ENDS) return parse(body);
  const firstEnd = body.indexOf(BETWEEN_REPLIES);
  return firstEnd === -1 ? parse(body) : parsed(body, firstEnd);
}

export function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** The replies of a list. @param firstEnd where the first of them ends */
function* parsed(body: Buffer, firstEnd: number): Generator<unknown> {
  let from = 1;
  for (let end = firstEnd; end !== -1; end = body.indexOf(BETWEEN_REPLIES, from)) {
    yield parse(cutLogs(body.subarray(from, end + 1)));
    from = end + 2;
  }
  yield parse(cutLogs(body.subarray(from, -1)));
}

function parse(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString());
  } catch {
    // Without the parser's error, which quotes the body.
    throw json[0] === LIST_BEGINS || json[0] === OBJECT_BEGINS
      ? new RetryableRpcError('cut-off', 'the answer is cut off')
      : new RetryableRpcError('not-json-rpc', 'the answer is not JSON');
  }
}
