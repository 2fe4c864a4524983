// @module-tag slow
import bs58 from 'bs58';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readJsonRecord } from '../rpc/json-shape.ts';
import { decodeTransaction, UndecodableTransactionError } from './decode.ts';
import { comparableText, type LedgerToRead, startLedgerToRead } from './testing/ledger-transactions.ts';
import { type Sample, sampleAnswers } from './testing/sample-answers.ts';

let ledger: LedgerToRead;
let samples: readonly Sample[];
beforeAll(async () => {
  ledger = await startLedgerToRead();
  samples = await sampleAnswers(ledger);
  return () => ledger.close();
});

/** An address that occurs in no sample. */
const STRANGER = bs58.encode(new Uint8Array(32).fill(3));

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...path, name]))];
}

/** Returns a copy in which `change` replaces the member at a path, or removes it by returning `undefined`. */
function withChange(value: unknown, [name, ...rest]: Path, change: (member: unknown) => unknown): unknown {
  if (name === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((item, index) => (index === Number(name) ? withChange(item, rest, change) : item));
  const members = Object.entries(readJsonRecord(value, 'the parent'));
  return Object.fromEntries(
    members.map(([key, member]) => [key, key === name ? withChange(member, rest, change) : member]),
  );
}

function memberAt(value: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined) return value;
  const member = Array.isArray(value) ? value[Number(name)] : readJsonRecord(value, 'the parent')[name];
  return memberAt(member, rest);
}

/**
 * Returns the decoded transaction as text, or `refused` if the decoder rejects the answer. Any other error fails the test.
 */
function read(answer: unknown, { mint }: Sample): string {
  try {
    return comparableText(decodeTransaction(answer, mint));
  } catch (error) {
    if (error instanceof UndecodableTransactionError) return 'refused';
    throw error;
  }
}

const NOT_TEXT = [0, true, [], {}, ['x']];
const NOT_BASE_UNITS = ['', '-1', '1.5', '1e3', ' 1', '0x1', '18446744073709551616', '9'.repeat(400), '1\n'];
const NOT_A_COUNT = ['1', -1, 1.5, 2 ** 53, 1e300, Number.NaN, Number.POSITIVE_INFINITY, [], {}];

function wrongValues(value: unknown, path: Path): readonly unknown[] {
  if (path.at(-1) === 'amount') return [...NOT_TEXT, ...NOT_BASE_UNITS];
  if (typeof value === 'string') return NOT_TEXT;
  if (typeof value === 'number') return NOT_A_COUNT;
  if (Array.isArray(value)) return ['x', 5, true, { 0: 'x' }];
  if (typeof value === 'object' && value !== null) return ['x', 5, true, []];
  return [];
}

/** Members that a valid answer may lack or set to null: `err` after success, the others if the node did not record them. */
const OPTIONAL_MEMBERS = new Set(['err', 'owner', 'blockTime', 'innerInstructions', 'loadedAddresses']);

const anyEncoding = fc.constantFrom('base64', 'json');
const anyIndex = fc.nat();
const pickFrom = <T>(items: readonly T[], index: number): T => {
  const item = items[index % items.length];
  if (item === undefined) throw new RangeError('there is nothing to pick from');
  return item;
};

const RUNS = { numRuns: 500 };

const readWith = (sample: Sample, path: Path, member: unknown, encoding: 'base64' | 'json' = 'base64') =>
  read(
    withChange(sample.answers[encoding], path, () => member),
    sample,
  );

describe('a real answer', () => {
  it('with a member of the wrong type or range is rejected, unless that member is not read', () => {
    let refused = 0;
    fc.assert(
      fc.property(
        anyIndex,
        anyEncoding,
        anyIndex,
        anyIndex,
        (sampleIndex, encoding, pathIndex, valueIndex) => {
          const sample = pickFrom(samples, sampleIndex);
          const answer = sample.answers[encoding];
          const path = pickFrom(pathsOf(answer), pathIndex);
          const wrong = wrongValues(memberAt(answer, path), path);
          if (wrong.length === 0 || path.at(-1) === 'err') return;
          const outcome = readWith(sample, path, pickFrom(wrong, valueIndex), encoding);
          if (outcome === 'refused') refused += 1;
          else expect(outcome).toBe(read(answer, sample));
        },
      ),
      RUNS,
    );
    expect(refused).toBeGreaterThan(RUNS.numRuns / 20);
  });

  it('without a member is rejected, unless that member is not read', () => {
    fc.assert(
      fc.property(
        anyIndex,
        anyEncoding,
        anyIndex,
        fc.constantFrom(undefined, null),
        (sampleIndex, encoding, pathIndex, replacement) => {
          const sample = pickFrom(samples, sampleIndex);
          const answer = sample.answers[encoding];
          const path = pickFrom(pathsOf(answer), pathIndex);
          const name = path.at(-1);
          // Elements of a list are not removed, because the shorter list could be a valid answer.
          if (name === undefined || OPTIONAL_MEMBERS.has(String(name)) || !Number.isNaN(Number(name))) return;
          const outcome = readWith(sample, path, replacement, encoding);
          if (outcome !== 'refused') expect(outcome).toBe(read(answer, sample));
        },
      ),
      RUNS,
    );
  });

  it('with additional unknown members is read as without them', () => {
    const junk = fc.dictionary(
      fc.string().map((name) => `x-${name}`),
      fc.anything(),
    );
    fc.assert(
      fc.property(anyIndex, anyEncoding, anyIndex, junk, (sampleIndex, encoding, pathIndex, more) => {
        const sample = pickFrom(samples, sampleIndex);
        const answer = sample.answers[encoding];
        const path = pickFrom(pathsOf(answer), pathIndex);
        const member = memberAt(answer, path);
        if (typeof member !== 'object' || member === null || Array.isArray(member)) return;
        expect(readWith(sample, path, { ...more, ...member }, encoding)).toBe(read(answer, sample));
      }),
      { numRuns: 300 },
    );
  });

  it('with added, removed or malformed loaded addresses is rejected', () => {
    for (const sample of samples) {
      const more = (rows: unknown) => (Array.isArray(rows) ? [...rows, STRANGER] : rows);
      for (const side of ['writable', 'readonly']) {
        const loaded = ['meta', 'loadedAddresses', side];
        expect(read(withChange(sample.answers.base64, loaded, more), sample)).toBe('refused');
      }
    }
    const lookedUp = samples.find(({ name }) => name === 'lookup table');
    if (!lookedUp) throw new Error('no sample has a lookup table');
    for (const value of [undefined, null, { writable: [], readonly: [] }]) {
      expect(readWith(lookedUp, ['meta', 'loadedAddresses'], value)).toBe('refused');
    }
    for (const address of ['', 'x', '0'.repeat(44), '1'.repeat(31), lookedUp.mint]) {
      expect(readWith(lookedUp, ['meta', 'loadedAddresses', 'writable', 0], address)).toBe('refused');
    }
  });

  it('with a changed byte in the transaction is rejected, or decodes to the same balance change or none', () => {
    const deltaOf = (answer: unknown, { mint, watched }: Sample) => {
      const { accounts, changes } = decodeTransaction(answer, mint);
      const index = accounts.indexOf(watched.address);
      return changes.find(({ accountIndex }) => accountIndex === index)?.delta ?? null;
    };
    fc.assert(
      fc.property(anyIndex, anyIndex, fc.integer({ min: 1, max: 255 }), (sampleIndex, byteNumber, flip) => {
        const sample = pickFrom(samples, sampleIndex);
        const path = ['transaction', 0];
        const bytes = Buffer.from(String(memberAt(sample.answers.base64, path)), 'base64');
        const byteIndex = byteNumber % bytes.length;
        bytes[byteIndex] = (bytes[byteIndex] ?? 0) ^ flip;
        const answer = withChange(sample.answers.base64, path, () => bytes.toString('base64'));
        if (read(answer, sample) === 'refused') return;
        expect([null, deltaOf(sample.answers.base64, sample)]).toContain(deltaOf(answer, sample));
      }),
      RUNS,
    );
  });

  it('with truncated, extended or invalid base64 text, or a different encoding, is rejected', () => {
    for (const sample of samples) {
      const text = String(memberAt(sample.answers.base64, ['transaction', 0]));
      const cut = ['', ' ', text.slice(4), text.slice(0, -4)];
      for (const broken of [...cut, `${text}AAAA`, `${text} `, `-${text.slice(1)}`]) {
        expect(readWith(sample, ['transaction', 0], broken)).toBe('refused');
      }
      for (const encoding of ['base58', 'json', '', null]) {
        expect(readWith(sample, ['transaction', 1], encoding)).toBe('refused');
      }
    }
  });
});
