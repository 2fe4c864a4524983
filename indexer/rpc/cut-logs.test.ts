import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutLogs } from './cut-logs.ts';

/** What anyone can write into a log, among it what looks like the end of the logs. */
const log = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('],', '],"a', '"],"slot":1', '\\', '"', '\\"],"x":[', 'logMessages', '"logMessages":['),
  fc
    .array(fc.constantFrom(']', ',', '"', '\\', 'a', 'ü', '[', ':', ' '), { maxLength: 12 })
    .map((parts) => parts.join('')),
);
const logs = fc.array(log, { maxLength: 8 });
/** Any value, but without a member of that name. */
const member = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('logMessages'));

function cut(json: string): unknown {
  return JSON.parse(cutLogs(Buffer.from(json)).toString());
}

/** A value as JSON tells it: without a zero's sign. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe('the logs of a transaction', () => {
  it('are cut out and nothing else is, whatever is written into them', () => {
    fc.assert(
      fc.property(member, logs, member, (before, logMessages, after) => {
        const json = JSON.stringify({ result: { meta: { before, logMessages, after }, slot: 7 }, id: 1 });
        const left = JSON.stringify({ result: { meta: { before, after }, slot: 7 }, id: 1 });
        expect(cut(json)).toEqual(JSON.parse(left));
      }),
      { numRuns: 500 },
    );
  });

  /** Members of any other name, and a list behind them. */
  const name = fc.oneof(log, fc.constantFrom('x"logMessages', 'x,"logMessages', '{"logMessages'));
  const anywhere = fc
    .dictionary(
      name.filter((text) => text !== 'logMessages'),
      member,
    )
    .map((value) => ({ ...value, transaction: ['AA==', 'base64'] }));
  const lists = fc.oneof(logs, fc.jsonValue());

  it('are cut out at most, wherever they stand, however it is written, and whatever else is there', () => {
    fc.assert(
      fc.property(anywhere, lists, anywhere, fc.constantFrom(0, 1), (before, logMessages, after, spaces) => {
        const last = { result: { before, meta: { err: before, logMessages }, after, slot: 7 }, id: 1 };
        const first = { result: { before, meta: { logMessages, err: before }, after }, id: 1 };
        for (const value of [last, first]) {
          const { result } = cut(JSON.stringify(value, null, spaces)) as typeof value;
          const whole = { id: 1, result: { ...result, meta: { ...result.meta, logMessages } } };
          expect(plain(whole)).toEqual(plain(value));
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['stand last in their object', { meta: { fee: 5, logMessages: ['a', '],'] } }],
    [
      'stand last before a list',
      { meta: { logMessages: ['a'] }, slot: 7, transaction: ['AA=='], version: 0 },
    ],
    ['are named as the end of a member', { 'x"logMessages': ['a'], fee: 5 }],
    ['are no texts', { meta: { logMessages: [['a'], 5], fee: 5 } }],
    ['are not recorded', { meta: { logMessages: null, fee: 5 } }],
    ['are not there', { meta: { fee: 5 } }],
    ['are named in a text', { memo: '"logMessages":["x"],"y"', fee: 5 }],
  ])('stay as they are where they %s', (_where, value) => {
    expect(cut(JSON.stringify(value))).toEqual(value);
  });

  it('stay where spaces are written between members', () => {
    const value = { meta: { logMessages: ['a'], fee: 5 } };
    expect(cut(JSON.stringify(value, null, 1))).toEqual(value);
  });

  it('stay where the next member is on a line of its own', () => {
    const json = '{"logMessages":["a"],\n"err":{"InstructionError":[0,1]},"rewards":[],"fee":5}';
    expect(cut(json)).toEqual({ err: { InstructionError: [0, 1] }, rewards: [], fee: 5 });
  });

  it('are no end of an answer that is cut off in them', () => {
    const json = JSON.stringify({ logMessages: ['a', '],"b', 'c'], fee: 5 });
    for (let length = 0; length < json.length; length += 1) {
      expect(() => cut(json.slice(0, length)), `${length} bytes`).toThrow(SyntaxError);
    }
  });
});
