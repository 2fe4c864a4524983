// @module-tag slow
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isIterable, parseReplies, stripLogs } from './replies.ts';
import { RetryableRpcError } from './rpc-errors.ts';

/** Anything that a program can log, including strings that resemble the end of the logs. */
const log = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('],', '],"a', '"],"slot":1', '\\', '"', '\\"],"x":[', 'logMessages', '"logMessages":['),
  fc
    .array(fc.constantFrom(']', ',', '"', '\\', 'a', 'ü', '[', ':', ' '), { maxLength: 12 })
    .map((parts) => parts.join('')),
);
const logs = fc.array(log, { maxLength: 8 });
const member = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('logMessages'));

function withoutLogs(json: string): unknown {
  return JSON.parse(stripLogs(Buffer.from(json)).toString());
}

/** A value after a round trip through JSON, which drops the sign of zero. */
function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe('the logs of a transaction', () => {
  it('are removed, whatever they contain, and nothing else is removed', () => {
    fc.assert(
      fc.property(member, logs, member, (before, logMessages, after) => {
        const json = JSON.stringify({ result: { meta: { before, logMessages, after }, slot: 7 }, id: 1 });
        const expectedJson = JSON.stringify({ result: { meta: { before, after }, slot: 7 }, id: 1 });
        expect(withoutLogs(json)).toEqual(JSON.parse(expectedJson));
      }),
      { numRuns: 150 },
    );
  });

  /**
   * Objects with any member names except `logMessages`, and a list as the last member. No name contains a backslash:
   * once an object with a member named `\` exists, `JSON.parse` in V8 13.6 (Node 24) reads the name `"` as `\`.
   */
  const name = fc.oneof(log, fc.constantFrom('x"logMessages', 'x,"logMessages', '{"logMessages'));
  const anywhere = fc
    .dictionary(
      name.filter((text) => text !== 'logMessages' && !text.includes('\\')),
      member,
    )
    .map((value) => ({ ...value, transaction: ['AA==', 'base64'] }));
  const lists = fc.oneof(logs, fc.jsonValue());

  it('may be kept because of their place or format, but nothing else ever changes', () => {
    fc.assert(
      fc.property(anywhere, lists, anywhere, fc.constantFrom(0, 1), (before, logMessages, after, spaces) => {
        const last = { result: { before, meta: { err: before, logMessages }, after, slot: 7 }, id: 1 };
        const first = { result: { before, meta: { logMessages, err: before }, after }, id: 1 };
        for (const value of [last, first]) {
          const { result } = withoutLogs(JSON.stringify(value, null, spaces)) as typeof value;
          const whole = { id: 1, result: { ...result, meta: { ...result.meta, logMessages } } };
          expect(throughJson(whole)).toEqual(throughJson(value));
        }
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ['come last in their object', { meta: { fee: 5, logMessages: ['a', '],'] } }],
    ['come last before a list', { meta: { logMessages: ['a'] }, slot: 7, transaction: ['AA=='], version: 0 }],
    ['have a longer name that ends the same', { 'x"logMessages': ['a'], fee: 5 }],
    ['are not strings', { meta: { logMessages: [['a'], 5], fee: 5 } }],
    ['are null', { meta: { logMessages: null, fee: 5 } }],
    ['are part of a string', { memo: '"logMessages":["x"],"y"', fee: 5 }],
  ])('stay if they %s', (_when, value) => {
    expect(withoutLogs(JSON.stringify(value))).toEqual(value);
  });

  it.each([
    ['stay if a space precedes them', '{"logMessages": ["a"],"fee":5}', { logMessages: ['a'], fee: 5 }],
    ['stay if a space precedes the comma', '{"logMessages":["a"] ,"fee":5}', { logMessages: ['a'], fee: 5 }],
    ['are removed if a line break follows the comma', '{"logMessages":["a"],\n"err":[0]}', { err: [0] }],
  ])('%s', (_rule, json, expected) => {
    expect(withoutLogs(json)).toEqual(expected);
  });

  it('leave invalid JSON if the answer is truncated inside them', () => {
    const json = JSON.stringify({ logMessages: ['a', '],"b', 'c'], fee: 5 });
    for (let length = 0; length < json.length; length += 1) {
      expect(() => withoutLogs(json.slice(0, length)), `${length} bytes`).toThrow(SyntaxError);
    }
  });
});

function read(text: string): unknown {
  const replies = parseReplies(Buffer.from(text));
  return isIterable(replies) ? [...replies] : replies;
}

const reply = fc
  .record({ id: fc.nat(), result: fc.jsonValue() })
  .map(({ id, result }) => ({ jsonrpc: '2.0', id, result }));

describe('the replies in an answer', () => {
  it('equal those that JSON.parse returns, whatever their number and content', () => {
    fc.assert(
      fc.property(fc.array(reply, { maxLength: 6 }), fc.constantFrom(undefined, 2, '\t'), (batch, space) => {
        const text = JSON.stringify(batch, null, space);
        expect(read(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('are not split at a string that looks like a separator', () => {
    const text = JSON.stringify([
      { jsonrpc: '2.0', id: 1, result: '},{"jsonrpc"' },
      { jsonrpc: '2.0', id: 2, result: 'ü},{"jsonrpc":"2.0"}' },
    ]);
    expect(read(text)).toEqual(JSON.parse(text));
  });

  it('may be one object for the whole batch', () => {
    expect(read('{"jsonrpc":"2.0","error":{"code":1}}')).toEqual({ jsonrpc: '2.0', error: { code: 1 } });
  });

  it('are parsed one at a time, on demand', () => {
    const replies = parseReplies(Buffer.from('[{"jsonrpc":"2.0","id":1},{"jsonrpc":"2.0",broken]'));
    if (!isIterable(replies)) throw new Error('a list was expected');
    const one = replies[Symbol.iterator]();
    expect(one.next().value).toEqual({ jsonrpc: '2.0', id: 1 });
    expect(() => one.next()).toThrow(RetryableRpcError);
  });

  it('are rejected if the answer is truncated', () => {
    const text = JSON.stringify([
      { jsonrpc: '2.0', id: 1, result: [{ a: '}' }] },
      { jsonrpc: '2.0', id: 2, result: null },
    ]);
    for (let length = 0; length < text.length; length += 1) {
      expect(() => read(text.slice(0, length)), `${length} bytes`).toThrow(RetryableRpcError);
    }
  });
});
