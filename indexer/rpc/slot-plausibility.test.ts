import { describe, expect, it } from 'vitest';
import { isDoubtful, medianSlot, outrunsTime, slotFault } from './slot-plausibility.ts';

const AHEAD = 'it told slot 1129, while the other endpoints are at 1000';

describe('a slot', () => {
  it('outruns time beyond four times the pace of the chain and 512 slots', () => {
    const before = { slot: 1_000, at: 5_000 };
    expect(outrunsTime(1_512, before, 5_000)).toBe(false);
    expect(outrunsTime(1_513, before, 5_000)).toBe(true);
    expect(outrunsTime(1_522, before, 6_000)).toBe(false);
    expect(outrunsTime(1_523, before, 6_000)).toBe(true);
  });

  it('is compared with what most others have reached', () => {
    expect(medianSlot([])).toBeNull();
    expect(medianSlot([7])).toBe(7);
    expect(medianSlot([9, 10, 8])).toBe(9);
    expect(medianSlot([10, 2])).toBe(10);
  });

  it.each([
    ['far ahead of what others told lately', 1_129, [1_000], false, true],
    ['not where it is near them, however fast it came there', 1_128, [1_000], true, false],
    ['the first of all', 5, [], null, true],
    ['faster than time, where no other told any', 5, [], true, true],
    ['not where it goes on in time', 5, [], false, false],
  ])('is in doubt where it is %s', (_where, slot, others, outruns, expected) => {
    expect(isDoubtful(slot, others, outruns)).toBe(expected);
  });

  it.each([
    ['is false against several others, even in time', 1_129, [1_000, 900], false, AHEAD],
    ['is false against one other where nothing speaks for it', 1_129, [1_000], null, AHEAD],
    ['is false against one other where it outran time', 1_129, [1_000], true, AHEAD],
    ['is true against one other where it went on in time: the other lags', 1_129, [1_000], false, null],
    ['is true near the others', 1_128, [1_000, 20], true, null],
    ['is true where it is the first and nobody answers', 1_129, [], null, null],
    [
      'is false where it outran time and nobody answers',
      7,
      [],
      true,
      'its slot 7 is further than time allows',
    ],
  ])('%s', (_rule, slot, others, outruns, expected) => {
    expect(slotFault(slot, others, outruns)).toBe(expected);
  });
});
