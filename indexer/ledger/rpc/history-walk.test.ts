import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SignatureRecord } from '../chain.ts';
import {
  comparePoints,
  type Direction,
  type History,
  type LedgerPoint,
  walkHistory,
} from './history-walk.ts';

function record(slot: number, position: number): SignatureRecord {
  return { signature: `${slot}:${position}`, slot, position, blockTime: slot, err: null, memo: null };
}

/** A history out of plain arrays, oldest first, by address. */
function historyOf(rows: ReadonlyMap<string, readonly SignatureRecord[]>): History {
  const of = (address: string): readonly SignatureRecord[] => rows.get(address) ?? [];
  return {
    signaturesAscending: (address, after, limit) =>
      of(address)
        .filter((row) => after === null || comparePoints(row, after) > 0)
        .slice(0, limit),
    signaturesFor(address, { before, limit }) {
      const newestFirst = of(address).toReversed();
      const start = before === undefined ? 0 : newestFirst.findIndex((row) => row.signature === before) + 1;
      if (before !== undefined && start === 0) return { kind: 'unknown-cursor', signature: before };
      return { kind: 'found', rows: newestFirst.slice(start, start + limit) };
    },
  };
}

const point = fc.record({ slot: fc.nat({ max: 12 }), position: fc.nat({ max: 3 }) });
const rows = fc
  .uniqueArray(point, { selector: ({ slot, position }) => `${slot}:${position}`, maxLength: 40 })
  .map((points) => points.toSorted(comparePoints).map(({ slot, position }) => record(slot, position)));

describe('a walk over history', () => {
  it('gives each transaction of all addresses once, in order, from the place asked for, whatever the page size', () => {
    fc.assert(
      fc.property(
        fc.tuple(rows, rows, rows),
        fc.constantFrom<Direction>('asc', 'desc'),
        fc.option(point),
        fc.integer({ min: 1, max: 7 }),
        ([own, first, second], direction, from, pageSize) => {
          const history = historyOf(
            new Map([
              ['own', own],
              ['first', first],
              ['second', second],
            ]),
          );
          const walked = Array.from(
            walkHistory(history, ['own', 'first', 'second'], direction, from, pageSize),
          );
          expect(walked).toEqual(expected(own, [...first, ...second], direction, from));
        },
      ),
    );
  });
});

function expected(
  own: readonly SignatureRecord[],
  related: readonly SignatureRecord[],
  direction: Direction,
  from: LedgerPoint | null,
): { row: SignatureRecord; isDirect: boolean }[] {
  const unique = new Map([...own, ...related].map((row) => [row.signature, row]));
  const direct = new Set(own.map(({ signature }) => signature));
  const sign = direction === 'asc' ? 1 : -1;
  return [...unique.values()]
    .filter((row) => from === null || sign * comparePoints(row, from) > 0)
    .toSorted((one, other) => sign * comparePoints(one, other))
    .map((row) => ({ row, isDirect: direct.has(row.signature) }));
}
