import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byHealth, type EndpointStanding, isClearlyBetter } from './endpoint-choice.ts';

const sound: EndpointStanding = { failures: 0, isFaltering: false, slotLag: 0, latencyMs: 50 };
const anyStanding = fc.record({
  failures: fc.nat(3),
  isFaltering: fc.boolean(),
  slotLag: fc.option(fc.nat(400)),
  latencyMs: fc.option(fc.nat(2_000)),
});

describe('the healthiest endpoint', () => {
  it('failed least, does not lag, and answers fastest, in this order', () => {
    const faltering = { ...sound, isFaltering: true, latencyMs: 1 };
    const failing = { ...sound, failures: 1, latencyMs: 1 };
    const lagging = { ...sound, slotLag: 51, latencyMs: 1 };
    const slow = { ...sound, latencyMs: 60 };
    const mixed = [faltering, slow, lagging, sound, failing];
    expect(mixed.toSorted(byHealth)).toEqual([sound, slow, lagging, failing, faltering]);
  });

  it('may be a few dozen slots behind', () => {
    const jittering = { ...sound, slotLag: 50, latencyMs: 40 };
    expect([sound, jittering].toSorted(byHealth)[0]).toBe(jittering);
  });
});

describe('work leaves an endpoint that answers', () => {
  it.each<[string, Partial<EndpointStanding>, Partial<EndpointStanding>, boolean]>([
    ['for one that is further by more than the tolerance', {}, { slotLag: 51 }, true],
    ['not for one that is hardly further', {}, { slotLag: 50 }, false],
    ['for one that is much faster', { latencyMs: 20 }, { latencyMs: 141 }, true],
    ['not for one that is somewhat faster', { latencyMs: 20 }, { latencyMs: 140 }, false],
    ['not for a fast one that lags', { latencyMs: 1, slotLag: 51 }, { latencyMs: 900 }, false],
    ['not for a fast one that failed', { latencyMs: 1, failures: 1 }, { latencyMs: 900 }, false],
    ['not for one of which nothing is known', { slotLag: null, latencyMs: null }, { slotLag: 500 }, false],
  ])('%s', (_case, other, current, expected) => {
    expect(isClearlyBetter({ ...sound, ...other }, { ...sound, ...current })).toBe(expected);
  });

  it('never to and fro between two', () => {
    fc.assert(
      fc.property(anyStanding, anyStanding, (one, other) => {
        expect(isClearlyBetter(one, other) && isClearlyBetter(other, one)).toBe(false);
      }),
    );
  });
});
