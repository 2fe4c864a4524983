import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  byHealth,
  type EndpointMeasurements,
  exceedsSlotRate,
  impossibleSlotReason,
  isClearlyBetter,
  medianSlot,
  needsComparison,
} from './endpoint-comparison.ts';

describe('a slot', () => {
  it("exceeds the slot rate if it is ahead by more than 512 slots plus four times the chain's pace", () => {
    const before = { slot: 1_000, at: 5_000 };
    expect(exceedsSlotRate(1_512, before, 5_000)).toBe(false);
    expect(exceedsSlotRate(1_513, before, 5_000)).toBe(true);
    expect(exceedsSlotRate(1_522, before, 6_000)).toBe(false);
    expect(exceedsSlotRate(1_523, before, 6_000)).toBe(true);
  });

  it('is compared with the median slot of the other endpoints', () => {
    expect(medianSlot([])).toBeNull();
    expect(medianSlot([7])).toBe(7);
    expect(medianSlot([9, 10, 8])).toBe(9);
    expect(medianSlot([10, 2])).toBe(10);
  });

  it.each([
    ['must be compared if it is far ahead of the others’ recent slots', 1_129, [1_000], false, true],
    ['need not be compared if it is near the others, however fast it advances', 1_128, [1_000], true, false],
    ['must be compared if it is the first one', 5, [], null, true],
    ['must be compared if it is too fast and no other slot is known', 5, [], true, true],
    ['need not be compared while it keeps to the slot rate', 5, [], false, false],
  ])('%s', (_rule, slot, others, isTooFast, expected) => {
    expect(needsComparison(slot, others, isTooFast)).toBe(expected);
  });

  it.each([
    ['is refuted by several others, even within the slot rate', 1_129, [1_000, 900], false, true],
    [
      'is trusted against one other if it is the first: a restarted one may be up to a day behind',
      217_000,
      [1_000],
      null,
      false,
    ],
    ['is refuted by one other if it is the first and more than a day ahead', 217_001, [1_000], null, true],
    ['is refuted by one other if it exceeded the slot rate', 1_129, [1_000], true, true],
    [
      'is trusted against one other within the slot rate, because the other lags',
      1_129,
      [1_000],
      false,
      false,
    ],
    ['is trusted if it is near the others', 1_128, [1_000, 20], true, false],
    ['is trusted if it is the first and no endpoint answers', 1_129, [], null, false],
    ['is refuted if it exceeded the slot rate and no endpoint answers', 7, [], true, true],
  ])('%s', (_rule, slot, others, isTooFast, isRefuted) => {
    expect(impossibleSlotReason(slot, others, isTooFast) !== null).toBe(isRefuted);
  });
});

const healthy: EndpointMeasurements = { failures: 0, answersOnlyErrors: false, slotLag: 0, latencyMs: 50 };
const anyMeasurements = fc.record({
  failures: fc.nat(3),
  answersOnlyErrors: fc.boolean(),
  slotLag: fc.option(fc.nat(400)),
  latencyMs: fc.option(fc.nat(2_000)),
});

describe('the healthiest endpoint', () => {
  it('answers calls, and has the fewest failures, no lag and the lowest latency, in this order', () => {
    const useless = { ...healthy, answersOnlyErrors: true, latencyMs: 1 };
    const failing = { ...healthy, failures: 1, latencyMs: 1 };
    const lagging = { ...healthy, slotLag: 51, latencyMs: 1 };
    const slow = { ...healthy, latencyMs: 60 };
    const mixed = [useless, slow, lagging, healthy, failing];
    expect(mixed.toSorted(byHealth)).toEqual([healthy, slow, lagging, failing, useless]);
  });

  it('may be a few dozen slots behind', () => {
    const jittering = { ...healthy, slotLag: 50, latencyMs: 40 };
    expect([healthy, jittering].toSorted(byHealth)[0]).toBe(jittering);
  });
});

describe('work moves from an endpoint that answers:', () => {
  it.each<[string, Partial<EndpointMeasurements>, Partial<EndpointMeasurements>, boolean]>([
    ['to one that is ahead by more than the tolerance', {}, { slotLag: 51 }, true],
    ['not to one that is barely ahead', {}, { slotLag: 50 }, false],
    ['to one that is much faster', { latencyMs: 20 }, { latencyMs: 141 }, true],
    ['not to one that is somewhat faster', { latencyMs: 20 }, { latencyMs: 140 }, false],
    ['not to a fast one that lags', { latencyMs: 1, slotLag: 51 }, { latencyMs: 900 }, false],
    ['not to a fast one that failed', { latencyMs: 1, failures: 1 }, { latencyMs: 900 }, false],
    ['not to one without measurements', { slotLag: null, latencyMs: null }, { slotLag: 500 }, false],
  ])('%s', (_case, other, current, expected) => {
    expect(isClearlyBetter({ ...healthy, ...other }, { ...healthy, ...current })).toBe(expected);
  });

  it('never back and forth between two', () => {
    fc.assert(
      fc.property(anyMeasurements, anyMeasurements, (one, other) => {
        expect(isClearlyBetter(one, other) && isClearlyBetter(other, one)).toBe(false);
      }),
    );
  });
});
