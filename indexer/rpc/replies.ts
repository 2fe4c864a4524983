import { RetryableRpcError } from './rpc-errors.ts';

/** Where one reply ends and the next begins, as nodes write them. Within a text of JSON its quotes would be escaped. */
const BETWEEN_REPLIES = Buffer.from('},{"jsonrpc"');
const LIST_BEGINS = 0x5b;
const LIST_ENDS = 0x5d;
const OBJECT_BEGINS = 0x7b;

/**
 * The replies in the answer to a batch: a list, or the one object that stands for all. A list is read one reply at a time,
 * as it is asked for, so that a reply is garbage before the next is read: all at once they outlive the space of what is
 * young, and cost the collector several times what they cost the parser.
 *
 * @throws {RetryableRpcError} where it is not JSON, also while the list is read
 */
export function repliesIn(body: Buffer): unknown {
  const parts = body[0] === LIST_BEGINS ? partsOf(body) : null;
  return parts ? parsed(body, parts) : parse(body, { from: 0, to: body.length });
}

export function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

interface Part {
  readonly from: number;
  readonly to: number;
}

/** Where the replies of a list stand; null where it is not written as nodes write it, or holds one at most. */
function partsOf(body: Buffer): readonly Part[] | null {
  if (body.at(-1) !== LIST_ENDS) return null;
  const parts: Part[] = [];
  let from = 1;
  for (;;) {
    const end = body.indexOf(BETWEEN_REPLIES, from);
    if (end === -1) break;
    parts.push({ from, to: end + 1 });
    from = end + 2;
  }
  if (parts.length === 0) return null;
  return [...parts, { from, to: body.length - 1 }];
}

function* parsed(body: Buffer, parts: readonly Part[]): Generator<unknown> {
  for (const part of parts) yield parse(body, part);
}

function parse(body: Buffer, { from, to }: Part): unknown {
  try {
    return JSON.parse(body.toString('utf8', from, to));
  } catch {
    // Without the parser's error, which quotes the body.
    throw body[0] === LIST_BEGINS || body[0] === OBJECT_BEGINS
      ? new RetryableRpcError('cut-off', 'the answer is cut off')
      : new RetryableRpcError('not-json-rpc', 'the answer is not JSON');
  }
}
