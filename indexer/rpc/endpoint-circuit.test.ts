import { afterEach, describe, expect, it, vi } from 'vitest';
import { createEndpointCircuit } from './endpoint-circuit.ts';
import { RetryableRpcError } from './rpc-errors.ts';

const fault = new RetryableRpcError('server', 'HTTP 503');
const fails = async () => ({ fault });
const works = async () => ({ fault: null });

function circuitAt(clock: { now: number }, random = 1) {
  return createEndpointCircuit({ now: () => clock.now, random: () => random });
}

afterEach(() => void vi.useRealTimers());

describe('the circuit of an endpoint', () => {
  it('rests longer after each failure in a row, and not at all after a success', async () => {
    const clock = { now: 0 };
    const circuit = circuitAt(clock);
    const rests: number[] = [];
    for (let times = 1; times <= 7; times += 1) {
      await circuit.run(fails);
      rests.push(circuit.wait());
      clock.now += circuit.wait();
    }
    expect(rests).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
    await circuit.run(works);
    expect([circuit.wait(), circuit.isClosed]).toEqual([0, true]);
    await circuit.run(fails);
    expect(circuit.wait()).toBe(250);
  });

  it('draws its rest, so that programs which failed together do not return together', async () => {
    const circuit = circuitAt({ now: 0 }, 0.4);
    await circuit.run(fails);
    expect(circuit.wait()).toBe(100);
  });

  it('counts requests that fail together as one failure', async () => {
    const circuit = circuitAt({ now: 0 });
    await Promise.all([circuit.run(fails), circuit.run(fails), circuit.run(fails)]);
    expect(circuit.wait()).toBe(250);
  });

  it('rests at least as long as the server asked, whichever of the requests it told', async () => {
    const circuit = circuitAt({ now: 0 });
    const limited = new RetryableRpcError('rate-limit', 'HTTP 429', { retryAfterMs: 9_000 });
    await Promise.all([circuit.run(fails), circuit.run(async () => ({ fault: limited }))]);
    expect(circuit.wait()).toBe(9_000);
  });

  it('lets one request decide after the rest, and nobody wait for it', async () => {
    const clock = { now: 0 };
    const circuit = circuitAt(clock);
    await circuit.run(fails);
    clock.now += 250;
    const probe = Promise.withResolvers<{ fault: RetryableRpcError | null }>();
    const deciding = circuit.run(() => probe.promise);
    expect(circuit.wait()).toBe(Number.POSITIVE_INFINITY);
    await circuit.run(works);
    expect(circuit.isClosed).toBe(false);
    probe.resolve({ fault: null });
    await deciding;
    expect(circuit.isClosed).toBe(true);
  });

  it('rests no longer where the clock of the system steps back', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const clock = { now: 0 };
    const circuit = circuitAt(clock);
    await circuit.run(fails);
    vi.setSystemTime(Date.now() - 3_600_000);
    clock.now += 250;
    expect(circuit.wait()).toBe(0);
    await circuit.run(works);
    expect(circuit.isClosed).toBe(true);
  });

  it('is not left undecided by a request that is aborted', async () => {
    const clock = { now: 0 };
    const circuit = circuitAt(clock);
    await circuit.run(fails);
    clock.now += 250;
    const aborted = async (): Promise<{ fault: null }> => Promise.reject(new Error('stopping'));
    await expect(circuit.run(aborted)).rejects.toThrow('stopping');
    expect(circuit.wait()).toBe(0);
  });
});
