import { describe, expect, it } from 'vitest';
import { createEndpointRecord } from './endpoint-record.ts';
import { RetryableRpcError } from './rpc-errors.ts';

const KEYED = 'https://user:hunter22@rpc.example.com/v2/secret-key-1?api-key=secret-key-2';
const failure = new RetryableRpcError('server', 'HTTP 503');

function recordAt(clock: { now: number }, random = 1) {
  return createEndpointRecord('rpc.example.com', KEYED, { now: () => clock.now, random: () => random });
}

describe('what is known of an endpoint', () => {
  it('counts requests and failures of the last five minutes', () => {
    const clock = { now: 1_000_000 };
    const endpoint = recordAt(clock);
    const counts = () => {
      const { requestCount, errorCount } = endpoint.health(false);
      return [requestCount, errorCount];
    };
    endpoint.requested();
    endpoint.failed(failure);
    clock.now += 200_000;
    endpoint.requested();
    endpoint.requested();
    endpoint.failed(failure);
    expect(counts()).toEqual([3, 2]);
    clock.now += 150_000;
    expect(counts()).toEqual([2, 1]);
    clock.now += 200_000;
    expect(counts()).toEqual([0, 0]);
  });

  it('is active once it answered, and no longer after three failures in a row', () => {
    const endpoint = recordAt({ now: 0 });
    expect(endpoint.health(false).active).toBe(false);
    endpoint.succeeded(5);
    endpoint.failed(failure);
    endpoint.failed(failure);
    expect(endpoint.health(false).active).toBe(true);
    endpoint.failed(failure);
    expect(endpoint.health(false).active).toBe(false);
  });

  it('stays active while calls get errors beside answers, and not where for long none gets an answer', () => {
    const clock = { now: 0 };
    const endpoint = recordAt(clock);
    const error = new RetryableRpcError('node', 'no history', { code: -32011 });
    for (let times = 0; times < 20; times += 1) {
      endpoint.succeeded(5);
      for (let calls = 0; calls < 5; calls += 1) endpoint.refusedCall(error);
      clock.now += 10_000;
    }
    expect(endpoint.health(false)).toMatchObject({ active: true, lastError: 'no history' });
    expect(endpoint.health(false).errorCount).toBeGreaterThan(50);
    clock.now += 25_000;
    expect(endpoint.health(false).active).toBe(false);
    endpoint.succeeded(5);
    expect(endpoint.health(false).active).toBe(true);
  });

  it('smooths latency', () => {
    const endpoint = recordAt({ now: 0 });
    expect(endpoint.health(false).latencyMs).toBeNull();
    endpoint.succeeded(100);
    endpoint.succeeded(200);
    expect(endpoint.health(false).latencyMs).toBe(120);
  });

  it('takes its latency from small requests alone, once there was one: heavy work is no slowness', () => {
    const endpoint = recordAt({ now: 0 });
    endpoint.succeeded(3_000);
    endpoint.measured(20);
    expect(endpoint.latencyMs).toBe(20);
    endpoint.succeeded(3_000);
    expect(endpoint.latencyMs).toBe(20);
    endpoint.measured(30);
    expect(endpoint.latencyMs).toBe(22);
  });

  it('keeps the newest slot that it told, and how far that was behind', () => {
    const endpoint = recordAt({ now: 0 });
    expect(endpoint.health(false)).toMatchObject({ slot: null, slotLag: null });
    endpoint.reached(100, 0);
    endpoint.reached(90, 12);
    expect(endpoint.health(false)).toMatchObject({ slot: 100, slotLag: 12 });
  });

  it('says whether it is asked, rests or is put aside', () => {
    const clock = { now: 0 };
    const endpoint = recordAt(clock);
    endpoint.succeeded(5);
    expect(endpoint.health(false)).toMatchObject({ state: 'active', active: true });
    expect(endpoint.health(true)).toMatchObject({ state: 'resting', active: true });
    endpoint.putAside('it contradicts itself');
    expect(endpoint.health(true)).toMatchObject({
      state: 'put-aside',
      active: false,
      lastError: 'it contradicts itself',
    });
  });

  it('is put aside for minutes that double up to half an hour, and from one again after an hour of trust', () => {
    const clock = { now: 0 };
    const endpoint = recordAt(clock, 0);
    const minutesAside = (): number => {
      endpoint.putAside('it lies');
      const from = clock.now;
      while (endpoint.isAside) clock.now += 60_000;
      return (clock.now - from) / 60_000;
    };
    expect([1, 2, 3, 4, 5, 6, 7].map(minutesAside)).toEqual([1, 2, 4, 8, 16, 30, 30]);
    clock.now += 61 * 60_000;
    expect(minutesAside()).toBe(1);
  });

  it('is put aside once for one fault, however many notice it', () => {
    const clock = { now: 0 };
    const endpoint = recordAt(clock, 0);
    for (let times = 0; times < 8; times += 1) endpoint.putAside('it lies');
    clock.now += 60_000;
    expect(endpoint.isAside).toBe(false);
  });

  it('has its chain and slot looked at anew after it was put aside', () => {
    const clock = { now: 0 };
    const endpoint = recordAt(clock);
    endpoint.genesisHash = 'a chain';
    endpoint.reached(5_000, 0);
    endpoint.putAside('its slot went back');
    expect([endpoint.genesisHash, endpoint.slot, endpoint.slotLag]).toEqual([null, null, null]);
    expect(endpoint.health(false)).toMatchObject({ state: 'put-aside', slot: 5_000 });
    clock.now += 120_000;
    expect(endpoint.health(false)).toMatchObject({ state: 'active', slot: null });
    endpoint.reached(300, 0);
    expect([endpoint.slot, endpoint.health(false).slot]).toEqual([300, 300]);
  });

  it('is put aside while it lags for long by more than healthy nodes are apart, and is back once it has caught up', () => {
    const clock = { now: 0 };
    const endpoint = recordAt(clock);
    endpoint.succeeded(5);
    endpoint.reached(100, 129);
    clock.now += 10_000;
    endpoint.reached(125, 129);
    expect(endpoint.health(false)).toMatchObject({ state: 'active', active: true });
    clock.now += 1;
    endpoint.reached(125, 130);
    expect(endpoint.health(false)).toMatchObject({
      state: 'put-aside',
      active: false,
      slotLag: 130,
      lastError: 'it is 130 slots behind',
    });
    clock.now += 1e9;
    expect([endpoint.isAside, endpoint.isDistrusted]).toEqual([true, false]);
    endpoint.reached(900, 128);
    expect(endpoint.health(false)).toMatchObject({ state: 'active', active: true, slotLag: 128 });
  });

  it('is not put aside for a lag that ends in between', () => {
    const clock = { now: 0 };
    const endpoint = recordAt(clock);
    for (const lag of [500, 0, 500]) {
      endpoint.reached(100, lag);
      clock.now += 9_000;
    }
    expect(endpoint.isAside).toBe(false);
  });

  it('stays aside where it is of no use for good', () => {
    const clock = { now: 0 };
    const endpoint = recordAt(clock);
    endpoint.putAsideForGood('another chain');
    clock.now = 1e12;
    expect([endpoint.isAside, endpoint.isAsideForGood]).toEqual([true, true]);
  });

  it('is asked for history again after a while that doubles, until it answers', () => {
    const clock = { now: 0 };
    const endpoint = recordAt(clock);
    const without = (): number => {
      endpoint.lacksHistory(['getTransaction']);
      const from = clock.now;
      while (!endpoint.mayAnswer('getTransaction') && clock.now - from < 1e6) clock.now += 1_000;
      return (clock.now - from) / 1_000;
    };
    expect([1, 2, 3].map(without)).toEqual([5, 10, 20]);
    expect(endpoint.mayAnswer('getSlot')).toBe(true);
    endpoint.answered('getTransaction');
    expect(endpoint.mayAnswerAll).toBe(true);
    expect(without()).toBe(5);
  });

  it("never shows a key, not even in the server's own words", () => {
    const endpoint = recordAt({ now: 0 });
    endpoint.failed(
      new RetryableRpcError('node', 'key secret-key-2 of /v2/secret-key-1 by hunter22 is over its limit'),
    );
    const shown = JSON.stringify(endpoint.health(false));
    for (const secret of ['secret-key-1', 'secret-key-2', 'hunter22']) expect(shown).not.toContain(secret);
  });
});
