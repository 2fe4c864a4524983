import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChangeLog } from './change-log.ts';

describe('the log of changes', () => {
  it('tells what changed since a version, each call once', () => {
    const log = new ChangeLog(10, 8);
    log.record(11, ['/api/a', '/api/b']);
    log.record(12, ['/api/b', '/api/c']);
    expect(log.since(10)).toEqual(new Set(['/api/a', '/api/b', '/api/c']));
    expect(log.since(11)).toEqual(new Set(['/api/b', '/api/c']));
    expect(log.since(12)).toEqual(new Set());
  });

  it.each([
    ['of the future', 13],
    ['of an earlier run', 9],
    ['that is no number', Number.NaN],
    ['that is no whole number', 11.5],
  ])('cannot fill the gap from a version %s', (_case, version) => {
    const log = new ChangeLog(10, 8);
    log.record(11, ['/api/a']);
    log.record(12, ['/api/a']);
    expect(log.since(version)).toBeNull();
  });

  it('fills a gap wholly or not at all, however many changes it forgot', () => {
    const changes = fc.array(fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd')), { maxLength: 30 });
    fc.assert(
      fc.property(changes, fc.integer({ min: 1, max: 10 }), fc.nat(40), (all, capacity, from) => {
        const log = new ChangeLog(0, capacity);
        for (const [index, paths] of all.entries()) log.record(index + 1, paths);
        const told = log.since(from);
        const isKnown = from <= all.length && from >= all.length - capacity;
        expect(told === null).toBe(!isKnown);
        if (told !== null) expect(told).toEqual(new Set(all.slice(from).flat()));
      }),
    );
  });
});
