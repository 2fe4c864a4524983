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

  it.each([
    ['stand last in their object', { meta: { fee: 5, logMessages: ['a', '],'] } }],
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

  it('are no end of an answer that is cut off in them', () => {
    const json = JSON.stringify({ logMessages: ['a', '],"b', 'c'], fee: 5 });
    for (let length = 0; length < json.length; length += 1) {
      expect(() => cut(json.slice(0, length)), `${length} bytes`).toThrow(SyntaxError);
    }
  });
});
