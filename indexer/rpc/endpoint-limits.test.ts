import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createEndpoint } from './endpoint.ts';
import { createEndpointCircuit, createRateLimit, createSlidingCounter } from './endpoint-limits.ts';
import { maxCallsPerSecond } from './providers.ts';
import { RetryableRpcError } from './rpc-errors.ts';

const failure = new RetryableRpcError('server', 'HTTP 503');
const failingRequest = async () => ({ failure });
const workingRequest = async () => ({ failure: null });

function circuitAt(clock: { now: number }, random = 1) {
  return createEndpointCircuit({ now: () => clock.now, random: () => random });
}

afterEach(() => void vi.useRealTimers());

describe('the circuit breaker of an endpoint', () => {
  it('backs off longer after each failure in a row, and not at all after a success', async () => {
    const clock = { now: 0 };
    const circuit = circuitAt(clock);
    const waits: number[] = [];
    for (let times = 1; times <= 7; times += 1) {
      await circuit.run(failingRequest);
      waits.push(circuit.waitMs());
      clock.now += circuit.waitMs();
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
    await circuit.run(workingRequest);
    expect([circuit.waitMs(), circuit.isClosed]).toEqual([0, true]);
    await circuit.run(failingRequest);
    expect(circuit.waitMs()).toBe(250);
  });

  it('jitters the backoff, so that clients that failed together do not retry together', async () => {
    const circuit = circuitAt({ now: 0 }, 0.4);
    await circuit.run(failingRequest);
    expect(circuit.waitMs()).toBe(100);
  });

  it('counts concurrent failures as one', async () => {
    const circuit = circuitAt({ now: 0 });
    await Promise.all([
      circuit.run(failingRequest),
      circuit.run(failingRequest),
      circuit.run(failingRequest),
    ]);
    expect(circuit.waitMs()).toBe(250);
  });

  it('backs off at least as long as any of the failed responses requires', async () => {
    const circuit = circuitAt({ now: 0 });
    const limited = new RetryableRpcError('rate-limit', 'HTTP 429', { retryAfterMs: 9_000 });
    await Promise.all([circuit.run(failingRequest), circuit.run(async () => ({ failure: limited }))]);
    expect(circuit.waitMs()).toBe(9_000);
  });

  it('lets the first request after the backoff decide, even if others succeed meanwhile', async () => {
    const clock = { now: 0 };
    const circuit = circuitAt(clock);
    await circuit.run(failingRequest);
    clock.now += 250;
    const probe = Promise.withResolvers<{ failure: RetryableRpcError | null }>();
    const deciding = circuit.run(() => probe.promise);
    expect(circuit.waitMs()).toBe(Number.POSITIVE_INFINITY);
    await circuit.run(workingRequest);
    expect(circuit.isClosed).toBe(false);
    probe.resolve({ failure: null });
    await deciding;
    expect(circuit.isClosed).toBe(true);
  });

  it('does not back off longer if the system clock steps back', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const clock = { now: 0 };
    const circuit = circuitAt(clock);
    await circuit.run(failingRequest);
    vi.setSystemTime(Date.now() - 3_600_000);
    clock.now += 250;
    expect(circuit.waitMs()).toBe(0);
    await circuit.run(workingRequest);
    expect(circuit.isClosed).toBe(true);
  });

  it('admits requests again after an aborted one', async () => {
    const clock = { now: 0 };
    const circuit = circuitAt(clock);
    await circuit.run(failingRequest);
    clock.now += 250;
    const aborted = async (): Promise<{ failure: null }> => Promise.reject(new Error('stopping'));
    await expect(circuit.run(aborted)).rejects.toThrow('stopping');
    expect(circuit.waitMs()).toBe(0);
  });
});

it('a sliding counter counts nothing older than its window, and misses at most one bucket within it', () => {
  const steps = fc.array(fc.record({ wait: fc.nat(400), amount: fc.nat(5) }), { maxLength: 60 });
  fc.assert(
    fc.property(steps, fc.nat(5_000), (history, begin) => {
      const clock = { now: begin };
      const count = createSlidingCounter({ windowMs: 1_000, buckets: 10, now: () => clock.now });
      const added: { at: number; amount: number }[] = [];
      for (const { wait, amount } of history) {
        clock.now += wait;
        count.add(amount);
        added.push({ at: clock.now, amount });
        const since = (age: number) =>
          added.filter(({ at }) => at > clock.now - age).reduce((sum, one) => sum + one.amount, 0);
        expect(count.total()).toBeGreaterThanOrEqual(since(900));
        expect(count.total()).toBeLessThanOrEqual(since(1_000));
      }
    }),
  );
});

/** @returns the calls sent, by time */
function sendUntil(
  end: number,
  clock: { now: number },
  rate: ReturnType<typeof createRateLimit>,
  wantedCalls: number,
) {
  const sent: { at: number; calls: number }[] = [];
  while (clock.now < end) {
    const calls = rate.allowedCalls(wantedCalls);
    if (calls > 0) {
      rate.noteSent(calls);
      sent.push({ at: clock.now, calls });
    }
    clock.now += Math.max(1, rate.waitMs(wantedCalls));
  }
  return sent;
}

const total = (sent: readonly { calls: number }[]) => sent.reduce((sum, { calls }) => sum + calls, 0);

describe('the rate limit', () => {
  it('is absent for an endpoint that never rejected a request', () => {
    const clock = { now: 0 };
    const rate = createRateLimit(() => clock.now);
    for (let times = 0; times < 1_000; times += 1) {
      expect([rate.allowedCalls(1_000), rate.waitMs(1_000)]).toEqual([1_000, 0]);
      rate.noteSent(1_000);
    }
    expect(rate.limit()).toBeNull();
  });

  it('never exceeds a known maximum, however much is requested or rejected', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.nat(4_000)), { maxLength: 60 }),
        (turns) => {
          const clock = { now: 5_000 };
          const rate = createRateLimit(() => clock.now, maxCallsPerSecond('https://api.devnet.solana.com'));
          const sent = turns.flatMap(([wantedCalls, until]) => {
            const some = sendUntil(clock.now + until, clock, rate, wantedCalls);
            rate.noteRejected(clock.now);
            return some;
          });
          for (const { at } of sent) {
            expect(
              total(sent.filter((later) => later.at >= at && later.at < at + 10_000)),
            ).toBeLessThanOrEqual(40);
          }
        },
      ),
    );
    const clock = { now: 0 };
    const rate = createRateLimit(() => clock.now, 3.9);
    expect(total(sendUntil(100_000, clock, rate, 20))).toBeGreaterThan(380);
  });

  it('applies the maximum of the public clusters only to their endpoints', () => {
    const waitAt = (url: string) =>
      createEndpoint({
        name: 'one',
        url,
        furthestSlot: () => 0,
        otherSlots: { exist: () => false, recentSlots: () => [], requestCurrentSlots: async () => [] },
        exceedsSlotRate: () => false,
        onFailure: () => {},
        now: () => 0,
        random: () => 0,
      }).waitMs(50);
    expect(waitAt('https://api.mainnet-beta.solana.com')).toBeGreaterThan(0);
    expect(waitAt('https://notsolana.com')).toBe(0);
  });

  it('halves on a rejection, and then grows by one percent per second', () => {
    const clock = { now: 10_000 };
    const rate = createRateLimit(() => clock.now);
    rate.noteSent(200);
    rate.noteServed(100);
    rate.noteRejected(clock.now);
    expect(rate.limit()).toBeCloseTo(100);
    clock.now += 10_000;
    expect(rate.limit()).toBeCloseTo(110);
    clock.now += 90_000;
    expect(rate.limit()).toBeCloseTo(200);
  });

  it('halves once for requests that are rejected together, and again for a later one', () => {
    const clock = { now: 0 };
    const rate = createRateLimit(() => clock.now);
    rate.noteServed(1);
    rate.noteSent(50);
    clock.now += 5;
    rate.noteSent(50);
    clock.now += 20;
    rate.noteRejected(0);
    rate.noteRejected(5);
    expect(rate.limit()).toBeCloseTo(50);
    clock.now += 10;
    rate.noteSent(1);
    rate.noteRejected(clock.now);
    expect(rate.limit()).toBeLessThan(30);
  });

  it('recovers quickly after a time in which everything was rejected', () => {
    const clock = { now: 0 };
    const rate = createRateLimit(() => clock.now);
    for (let times = 0; times < 100; times += 1) {
      rate.noteSent(100);
      rate.noteServed(100);
      clock.now += 10;
    }
    for (let times = 0; times < 20; times += 1) {
      rate.noteSent(Math.max(1, rate.allowedCalls(100)));
      rate.noteRejected(clock.now);
      clock.now += 2_000;
    }
    expect(rate.limit()).toBeLessThan(50);
    clock.now += 12_000;
    // Half of the 10,000 calls that the endpoint served in a second.
    expect(rate.limit()).toBeGreaterThan(4_000);
    expect(rate.limit()).toBeLessThan(6_000);
  });

  it('stays above zero after a rejection, but does not exceed the earlier rate', () => {
    const bursts = fc.array(fc.record({ gap: fc.nat(300), calls: fc.integer({ min: 8, max: 400 }) }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(bursts, fc.integer({ min: 1, max: 300 }), (sentBursts, wantedCalls) => {
        const clock = { now: 0 };
        const rate = createRateLimit(() => clock.now);
        const before: { at: number; calls: number }[] = [];
        for (const [index, { gap, calls }] of sentBursts.entries()) {
          clock.now += gap;
          rate.noteSent(calls);
          before.push({ at: clock.now, calls });
          if (index < sentBursts.length - 1) rate.noteServed(calls);
        }
        rate.noteRejected(clock.now);
        const inSecondTo = (end: number) => total(before.filter(({ at }) => at > end - 1_000 && at <= end));
        const maxPerSecond = Math.max(...before.map(({ at }) => inSecondTo(at)));
        const begin = clock.now;
        const sent = sendUntil(begin + 3_000, clock, rate, wantedCalls);
        const firstSecond = total(sent.filter(({ at }) => at < begin + 1_000));
        expect(firstSecond).toBeLessThanOrEqual(inSecondTo(begin));
        if (before.length > 1) {
          for (const { at } of sent.filter((one) => one.at < begin + 1_000)) {
            const second = total(sent.filter((one) => one.at >= at && one.at < at + 1_000));
            expect(second).toBeLessThanOrEqual(maxPerSecond);
          }
        }
        expect(total(sent)).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  it("converges to a server's rate and stays near it with few rejections", () => {
    const clock = { now: 0 };
    const rate = createRateLimit(() => clock.now);
    let refusals = 0;
    let served = 0;
    // A server that accepts 40 calls each second, no matter when in the second they arrive.
    let second = -1;
    let remainingCalls = 0;
    while (clock.now < 300_000) {
      const calls = rate.allowedCalls(100);
      if (Math.floor(clock.now / 1_000) !== second) {
        second = Math.floor(clock.now / 1_000);
        remainingCalls = 40;
      }
      if (calls > 0) {
        rate.noteSent(calls);
        if (calls > remainingCalls) {
          refusals += 1;
          rate.noteRejected(clock.now);
        } else {
          remainingCalls -= calls;
          served += calls;
          rate.noteServed(calls);
        }
      }
      clock.now += Math.max(1, rate.waitMs(100));
    }
    expect(served / 300).toBeGreaterThan(40 * 0.6);
    expect(refusals).toBeLessThan(30);
  });
});
