import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isIterable, repliesIn } from './replies.ts';
import { RetryableRpcError } from './rpc-errors.ts';

function read(text: string): unknown {
  const replies = repliesIn(Buffer.from(text));
  return isIterable(replies) ? [...replies] : replies;
}

const reply = fc
  .record({ id: fc.nat(), result: fc.jsonValue() })
  .map(({ id, result }) => ({ jsonrpc: '2.0', id, result }));

describe('the replies in an answer', () => {
  it('are those of JSON.parse, however many there are and whatever they hold', () => {
    fc.assert(
      fc.property(fc.array(reply, { maxLength: 6 }), fc.constantFrom(undefined, 2, '\t'), (batch, space) => {
        const text = JSON.stringify(batch, null, space);
        expect(read(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('are not cut at a text that looks like their border', () => {
    const text = JSON.stringify([
      { jsonrpc: '2.0', id: 1, result: '},{"jsonrpc"' },
      { jsonrpc: '2.0', id: 2, result: 'ü},{"jsonrpc":"2.0"}' },
    ]);
    expect(read(text)).toEqual(JSON.parse(text));
  });

  it('may be one object for the whole batch', () => {
    expect(read('{"jsonrpc":"2.0","error":{"code":1}}')).toEqual({ jsonrpc: '2.0', error: { code: 1 } });
  });

  it('are read one at a time, as they are asked for', () => {
    const replies = repliesIn(Buffer.from('[{"jsonrpc":"2.0","id":1},{"jsonrpc":"2.0",broken]'));
    if (!isIterable(replies)) throw new Error('a list was expected');
    const one = replies[Symbol.iterator]();
    expect(one.next().value).toEqual({ jsonrpc: '2.0', id: 1 });
    expect(() => one.next()).toThrow(RetryableRpcError);
  });

  it('are no JSON where any byte is missing', () => {
    const text = JSON.stringify([
      { jsonrpc: '2.0', id: 1, result: [{ a: '}' }] },
      { jsonrpc: '2.0', id: 2, result: null },
    ]);
    for (let length = 0; length < text.length; length += 1) {
      expect(() => read(text.slice(0, length)), `${length} bytes`).toThrow(RetryableRpcError);
    }
  });
});
