import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCallRate } from './call-rate.ts';

/** Sends as many calls as it may until a moment. @returns what was sent when */
function sendUntil(
  end: number,
  clock: { now: number },
  rate: ReturnType<typeof createCallRate>,
  want: number,
) {
  const sent: { at: number; calls: number }[] = [];
  while (clock.now < end) {
    const calls = rate.allowed(want);
    if (calls > 0) {
      rate.sent(calls);
      sent.push({ at: clock.now, calls });
    }
    clock.now += Math.max(1, rate.waitFor(want));
  }
  return sent;
}

const total = (sent: readonly { calls: number }[]) => sent.reduce((sum, { calls }) => sum + calls, 0);

describe('the rate of calls', () => {
  it('has no limit at an endpoint that never refused', () => {
    const clock = { now: 0 };
    const rate = createCallRate(() => clock.now);
    for (let times = 0; times < 1_000; times += 1) {
      expect([rate.allowed(1_000), rate.waitFor(1_000)]).toEqual([1_000, 0]);
      rate.sent(1_000);
    }
    expect(rate.limit()).toBeNull();
  });

  it('halves when it is refused, and grows back by a hundredth a second', () => {
    const clock = { now: 10_000 };
    const rate = createCallRate(() => clock.now);
    rate.sent(200);
    rate.served(100);
    rate.refused(clock.now);
    expect(rate.limit()).toBeCloseTo(100);
    clock.now += 10_000;
    expect(rate.limit()).toBeCloseTo(110);
    clock.now += 90_000;
    expect(rate.limit()).toBeCloseTo(200);
  });

  it('halves once for requests that were refused together, and again for a later one', () => {
    const clock = { now: 0 };
    const rate = createCallRate(() => clock.now);
    rate.served(1);
    rate.sent(50);
    clock.now += 5;
    rate.sent(50);
    clock.now += 20;
    rate.refused(0);
    rate.refused(5);
    expect(rate.limit()).toBeCloseTo(50);
    clock.now += 10;
    rate.sent(1);
    rate.refused(clock.now);
    expect(rate.limit()).toBeLessThan(30);
  });

  it('is soon what it was after a time in which everything is refused', () => {
    const clock = { now: 0 };
    const rate = createCallRate(() => clock.now);
    for (let times = 0; times < 100; times += 1) {
      rate.sent(100);
      rate.served(100);
      clock.now += 10;
    }
    for (let times = 0; times < 20; times += 1) {
      rate.sent(Math.max(1, rate.allowed(100)));
      rate.refused(clock.now);
      clock.now += 2_000;
    }
    expect(rate.limit()).toBeLessThan(50);
    clock.now += 12_000;
    // Half of the 10,000 calls that it served in a second.
    expect(rate.limit()).toBeGreaterThan(4_000);
    expect(rate.limit()).toBeLessThan(6_000);
  });

  it('sends in no second after a refusal what was refused in one, or served in one before, and not nothing', () => {
    const bursts = fc.array(fc.record({ gap: fc.nat(300), calls: fc.integer({ min: 8, max: 400 }) }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(bursts, fc.integer({ min: 1, max: 300 }), (sentBursts, want) => {
        const clock = { now: 0 };
        const rate = createCallRate(() => clock.now);
        const before: { at: number; calls: number }[] = [];
        for (const [index, { gap, calls }] of sentBursts.entries()) {
          clock.now += gap;
          rate.sent(calls);
          before.push({ at: clock.now, calls });
          if (index < sentBursts.length - 1) rate.served(calls);
        }
        rate.refused(clock.now);
        const inSecondTo = (end: number) => total(before.filter(({ at }) => at > end - 1_000 && at <= end));
        const most = Math.max(...before.map(({ at }) => inSecondTo(at)));
        const begin = clock.now;
        const sent = sendUntil(begin + 3_000, clock, rate, want);
        const firstSecond = total(sent.filter(({ at }) => at < begin + 1_000));
        expect(firstSecond).toBeLessThanOrEqual(inSecondTo(begin));
        if (before.length > 1) {
          for (const { at } of sent.filter((one) => one.at < begin + 1_000)) {
            const second = total(sent.filter((one) => one.at >= at && one.at < at + 1_000));
            expect(second).toBeLessThanOrEqual(most);
          }
        }
        expect(total(sent)).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  it('finds the rate of a server and keeps near it, refused now and then', () => {
    const clock = { now: 0 };
    const rate = createCallRate(() => clock.now);
    let refusals = 0;
    let served = 0;
    // A server that takes 40 calls in each second, however they come.
    let second = -1;
    let left = 0;
    while (clock.now < 300_000) {
      const calls = rate.allowed(100);
      if (Math.floor(clock.now / 1_000) !== second) {
        second = Math.floor(clock.now / 1_000);
        left = 40;
      }
      if (calls > 0) {
        rate.sent(calls);
        if (calls > left) {
          refusals += 1;
          rate.refused(clock.now);
        } else {
          left -= calls;
          served += calls;
          rate.served(calls);
        }
      }
      clock.now += Math.max(1, rate.waitFor(100));
    }
    expect(served / 300).toBeGreaterThan(40 * 0.6);
    expect(refusals).toBeLessThan(30);
  });
});
