import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  answerMessage,
  type CallMethod,
  invalidParams,
  MAX_BATCH_REPLY_CHARACTERS,
  MAX_BATCH_REQUESTS,
  methodNotFound,
  parseJson,
  stringifyJson,
} from './json-rpc.ts';

const call: CallMethod = (method, params) => {
  if (method === 'echo') return params;
  if (method === 'nothing') return undefined;
  if (method === 'refuse') throw invalidParams('params[0] is wrong');
  if (method === 'break') throw new TypeError('secret path /etc/passwd');
  throw methodNotFound(method);
};

async function answer(text: string): Promise<unknown> {
  const reply = await answerMessage(text, call, () => undefined);
  return reply === null ? null : JSON.parse(reply);
}

const request = (id: unknown, method: unknown, params?: unknown) => ({ jsonrpc: '2.0', id, method, params });

describe('a single request', () => {
  it.each(['text', 'é"\\', 0, -1, 1.5, null])('is answered with its id: %j', async (id) => {
    const reply = await answer(JSON.stringify(request(id, 'echo', [1])));
    expect(reply).toEqual({ jsonrpc: '2.0', result: [1], id });
  });

  it('is answered with every digit of its id, even beyond 2^53', async () => {
    const text = '{"jsonrpc":"2.0","id":18446744073709551615,"method":"echo"}';
    expect(await answerMessage(text, call, () => undefined)).toBe(
      '{"jsonrpc":"2.0","result":[],"id":18446744073709551615}',
    );
  });

  it('whose method returns nothing is answered with null', async () => {
    const reply = await answer(JSON.stringify(request(1, 'nothing')));
    expect(reply).toEqual({ jsonrpc: '2.0', result: null, id: 1 });
  });

  it('without an id is a notification and is not answered, even if it fails', async () => {
    expect(await answer('{"jsonrpc":"2.0","method":"echo"}')).toBeNull();
    expect(await answer('{"jsonrpc":"2.0","method":"unknown"}')).toBeNull();
  });

  it.each([
    ['not JSON at all', 'garbage', -32700],
    ['a number', '7', -32600],
    ['null', 'null', -32600],
    ['an empty object', '{}', -32600],
    ['JSON-RPC 1.0', '{"id":1,"method":"echo","params":[]}', -32600],
    ['a version that is a number', '{"jsonrpc":2.0,"id":1,"method":"echo"}', -32600],
    ['a method that is not a string', '{"jsonrpc":"2.0","id":1,"method":7}', -32600],
    ['no method', '{"jsonrpc":"2.0","id":1}', -32600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"echo"}', -32600],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"getMoney"}', -32601],
    ['a method named like an inherited member', '{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32601],
    ['parameters by name', '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}}', -32602],
    ['parameters that the method rejects', '{"jsonrpc":"2.0","id":1,"method":"refuse"}', -32602],
    ['a method that throws', '{"jsonrpc":"2.0","id":1,"method":"break"}', -32603],
  ])('is answered with an error code: %s', async (_what, text, code) => {
    expect(await answer(text)).toMatchObject({ jsonrpc: '2.0', error: { code } });
  });
});

describe('a batch', () => {
  it('is answered in request order, with an error for each invalid request and nothing for notifications', async () => {
    const batch = [
      request('a', 'echo', ['A']),
      1,
      { jsonrpc: '2.0', method: 'echo' },
      request('b', 'no'),
      {},
      request('c', 'break'),
      request('d', 'echo'),
    ];
    expect(await answer(JSON.stringify(batch))).toMatchObject([
      { id: 'a', result: ['A'] },
      { id: null, error: { code: -32600 } },
      { id: 'b', error: { code: -32601 } },
      { id: null, error: { code: -32600 } },
      { id: 'c', error: { code: -32603 } },
      { id: 'd', result: [] },
    ]);
  });

  it('of notifications is not answered', async () => {
    expect(await answer('[{"jsonrpc":"2.0","method":"echo"}]')).toBeNull();
  });

  it('is rejected if it is empty or too large', async () => {
    expect(await answer('[]')).toMatchObject({ id: null, error: { code: -32600 } });
    const batch = Array.from({ length: MAX_BATCH_REQUESTS + 1 }, (_, index) => request(index, 'echo'));
    expect(await answer(JSON.stringify(batch))).toMatchObject({ id: null, error: { code: -32600 } });
    expect(await answer(JSON.stringify(batch.slice(1)))).toHaveLength(MAX_BATCH_REQUESTS);
  });

  it('fails the remaining requests once its replies are too large', async () => {
    const text = 'x'.repeat(MAX_BATCH_REPLY_CHARACTERS / 4);
    let calls = 0;
    const large: CallMethod = () => {
      calls += 1;
      return text;
    };
    const batch = Array.from({ length: 50 }, (_, id) => request(id, 'large'));
    const reply = await answerMessage(JSON.stringify(batch), large, () => undefined);
    expect(calls).toBe(4);
    expect(reply?.length).toBeLessThan(MAX_BATCH_REPLY_CHARACTERS * 1.1);
    expect(JSON.parse(reply ?? '').slice(3)).toMatchObject([
      { id: 3, result: text },
      ...batch.slice(4).map((_, index) => ({ id: index + 4, error: { code: -32600 } })),
    ]);
  });

  it('yields to the event loop between large replies', async () => {
    const turns: number[] = [];
    let turn = 0;
    const tick = (): void => {
      turn += 1;
      if (turns.length < 4) setImmediate(tick);
    };
    setImmediate(tick);
    const text = 'x'.repeat(2 ** 20);
    const large: CallMethod = () => {
      turns.push(turn);
      return text;
    };
    const batch = Array.from({ length: 4 }, (_, id) => request(id, 'large'));
    await answerMessage(JSON.stringify(batch), large, () => undefined);
    expect(new Set(turns).size).toBe(4);
  });

  it('waits for an earlier long batch only if it is long itself', async () => {
    const served: string[] = [];
    const note: CallMethod = (name) => served.push(name);
    const send = async (name: string, length: number): Promise<void> => {
      const batch = Array.from({ length }, (_, id) => request(id, name));
      await answerMessage(JSON.stringify(batch), note, () => undefined);
      served.push(`${name} answered`);
    };
    const long = [send('first', 100), send('second', 100)];
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([...long, send('short', 3)]);
    expect(served.indexOf('short answered')).toBeLessThan(served.lastIndexOf('first'));
    expect(served.lastIndexOf('first')).toBeLessThan(served.indexOf('second'));
  });
});

describe('the JSON codec', () => {
  it('writes a bigint as a number without losing a digit, and omits undefined members', () => {
    expect(stringifyJson({ lamports: 18446744073709551615n, list: [0n, -1n], memo: undefined })).toBe(
      '{"lamports":18446744073709551615,"list":[0,-1]}',
    );
  });

  it('reads every unsigned 64-bit integer that it wrote', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        const parsed = parseJson(stringifyJson([value]));
        expect(Array.isArray(parsed) && BigInt(parsed[0])).toBe(value);
      }),
    );
  });

  it('reads the same values as JSON.parse, except long integers', () => {
    const roundIntegers = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value, (_key, member: unknown) =>
          typeof member === 'bigint' ? Number(member) : member,
        ),
      );
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(roundIntegers(parseJson(text))).toEqual(roundIntegers(JSON.parse(text)));
      }),
    );
  });

  it('keeps safe integers, fractions and digits in strings', () => {
    expect(
      parseJson('[9007199254740991, 9007199254740993, 0.1234567890123456, "12345678901234567890"]'),
    ).toEqual([9007199254740991, 9007199254740993n, 0.1234567890123456, '12345678901234567890']);
  });
});
