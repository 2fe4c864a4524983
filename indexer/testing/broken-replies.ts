import { LEDGER } from '../ledger/addresses.ts';
import { FAULT_CODES, type Fault } from './fault-schedule.ts';

const SLOTS_AHEAD = 1_000_000_000;

export interface BatchCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}
export type Reply = { readonly id: unknown; readonly result?: unknown; readonly error?: unknown };

/** For tests: a sound list of replies with one fault in it. Faults of the transport leave it as it is. */
export function breakReplies(
  calls: readonly BatchCall[],
  replies: readonly Reply[],
  { kind, form }: Fault,
): readonly Reply[] | Reply {
  const at = replies.length === 0 ? 0 : form % replies.length;
  const change = (matches: (call: BatchCall, index: number) => boolean, to: (reply: Reply) => Reply) =>
    replies.map((reply, index) => {
      const call = calls.find(({ id }) => id === reply.id);
      return call && matches(call, index) ? to(reply) : reply;
    });
  switch (kind) {
    case 'wrong-id':
      return change(
        (_, index) => index === at,
        ({ id, ...reply }) => ({ ...reply, id: Number(id) + 1_000_000 }),
      );
    case 'duplicate-id':
      return replies.flatMap((reply, index) => (index === at ? [reply, reply] : [reply]));
    case 'reordered':
      return replies.toReversed();
    case 'missing-reply':
      return replies.filter((_, index) => index !== at);
    case 'batch-error':
      return failure(null, form);
    case 'call-error':
      return change(
        (_, index) => index === at,
        ({ id }) => failure(id, form),
      );
    case 'odd-shape':
      return change(
        (_, index) => index === at,
        ({ id }) => ({ id, result: form % 2 === 0 ? 'odd' : [{}] }),
      );
    case 'null-transaction':
      return change(
        ({ method }, index) => method === 'getTransaction' && index >= at,
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
          Array.isArray(reply.result) ? { ...reply, result: reply.result.slice(0, 1 + (form % 3)) } : reply,
      );
    case 'lying-balance':
      return change(
        ({ method }) => method === 'getMultipleAccounts',
        (reply) => lyingOfVault(calls, reply, form),
      );
    case 'lying-from-the-future':
      return change(
        () => true,
        (reply) => fromTheFuture(lyingOfVault(calls, reply, form)),
      );
    default:
      return replies;
  }
}

function failure(id: unknown, form: number): Reply {
  const code = FAULT_CODES[form % FAULT_CODES.length];
  return { id, error: { code, message: `as scheduled: ${code}` } };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Tells a later slot where the reply tells one. */
function fromTheFuture(reply: Reply): Reply {
  const { result } = reply;
  if (typeof result === 'number') return { ...reply, result: result + SLOTS_AHEAD };
  if (!isObject(result) || !isObject(result.context)) return reply;
  const context = { ...result.context, slot: Number(result.context.slot) + SLOTS_AHEAD };
  return { ...reply, result: { ...result, context } };
}

/** Says that the vault holds more or less than it does. Layout: spl-token `Account`, amount at 64. */
function lyingOfVault(calls: readonly BatchCall[], reply: Reply, form: number): Reply {
  const addresses = calls.find(({ id }) => id === reply.id)?.params[0];
  const { result } = reply;
  if (!Array.isArray(addresses) || !isObject(result) || !Array.isArray(result.value)) return reply;
  const accounts = result.value.map((account: unknown, index) => {
    if (addresses[index] !== LEDGER.vault || !isObject(account) || !Array.isArray(account.data))
      return account;
    const data = Buffer.from(String(account.data[0]), 'base64');
    const amount = data.readBigUInt64LE(64);
    data.writeBigUInt64LE(form % 2 === 0 ? amount + BigInt(form + 1) : amount - BigInt(form + 1), 64);
    return { ...account, data: [data.toString('base64'), 'base64'] };
  });
  return { ...reply, result: { ...result, value: accounts } };
}
