import { describe, expect, it } from 'vitest';
import { createEndpointRecord } from './endpoint-record.ts';
import { RetryableRpcError } from './rpc-errors.ts';

const KEYED_URL = 'https://user:hunter22@rpc.example.com/v2/secret-key-1?api-key=secret-key-2';
const failure = new RetryableRpcError('server', 'HTTP 503');

function recordAt(clock: { now: number }, random = 1) {
  return createEndpointRecord('rpc.example.com', KEYED_URL, { now: () => clock.now, random: () => random });
}

describe('the record of an endpoint', () => {
  it('counts requests and failures of the last five minutes', () => {
    const clock = { now: 1_000_000 };
    const endpoint = recordAt(clock);
    const counts = () => {
      const { requestCount, errorCount } = endpoint.health(false);
      return [requestCount, errorCount];
    };
    endpoint.noteRequest([]);
    endpoint.noteFailure(failure);
    clock.now += 200_000;
    endpoint.noteRequest([]);
    endpoint.noteRequest([]);
    endpoint.noteFailure(failure);
    expect(counts()).toEqual([3, 2]);
    clock.now += 150_000;
    expect(counts()).toEqual([2, 1]);
    clock.now += 200_000;
    expect(counts()).toEqual([0, 0]);
  });

  it.each([
    ['https://mainnet.helius-rpc.com/?api-key=key', 23],
    ['https://rpc.example.com', 5],
    ['https://helius-rpc.com.example', 5],
  ])(
    'estimates the daily credits charged at %s from the last hour, after the first five minutes',
    (url, credits) => {
      const clock = { now: 1_000_000 };
      const endpoint = createEndpointRecord('host', url, { now: () => clock.now, random: () => 1 });
      const perDay = () => endpoint.health(false).creditsPerDay;
      endpoint.noteRequest(['getSlot', 'getMultipleAccounts', 'getTransaction']);
      endpoint.noteRequest(['getProgramAccounts', 'getSlot']);
      clock.now += 299_999;
      expect(perDay()).toBeNull();
      clock.now += 1;
      expect(perDay()).toBe(credits * 288);
      clock.now += 1_500_000;
      expect(perDay()).toBe(credits * 48);
      clock.now += 3_600_000;
      expect(perDay()).toBe(0);
    },
  );

  it('is active once the endpoint has answered, and inactive after three failures in a row', () => {
    const endpoint = recordAt({ now: 0 });
    expect(endpoint.health(false).active).toBe(false);
    endpoint.noteSuccess(5);
    endpoint.noteFailure(failure);
    endpoint.noteFailure(failure);
    expect(endpoint.health(false).active).toBe(true);
    endpoint.noteFailure(failure);
    expect(endpoint.health(false).active).toBe(false);
  });

  it('stays active while some calls get errors, and becomes inactive if all calls get errors for 30 seconds', () => {
    const clock = { now: 0 };
    const endpoint = recordAt(clock);
    const error = new RetryableRpcError('node', 'no history', { code: -32011 });
    for (let times = 0; times < 20; times += 1) {
      endpoint.noteSuccess(5);
      for (let calls = 0; calls < 5; calls += 1) endpoint.noteCallError(error);
      clock.now += 10_000;
    }
    expect(endpoint.health(false)).toMatchObject({ active: true, lastError: 'no history' });
    expect(endpoint.health(false).errorCount).toBeGreaterThan(50);
    clock.now += 25_000;
    expect(endpoint.health(false).active).toBe(false);
    endpoint.noteSuccess(5);
    expect(endpoint.health(false).active).toBe(true);
  });

  it('stays active during a backoff, unless it is also distrusted', () => {
    const endpoint = recordAt({ now: 0 });
    endpoint.noteSuccess(5);
    expect(endpoint.health(true)).toMatchObject({ state: 'backoff', active: true });
    endpoint.distrust('it contradicts itself');
    expect(endpoint.health(true)).toMatchObject({ state: 'distrusted', active: false });
  });

  it('smooths latency', () => {
    const endpoint = recordAt({ now: 0 });
    expect(endpoint.health(false).latencyMs).toBeNull();
    endpoint.noteSuccess(100);
    endpoint.noteSuccess(200);
    expect(endpoint.health(false).latencyMs).toBe(120);
  });

  it('ignores the latency of large requests once a small one was measured', () => {
    const endpoint = recordAt({ now: 0 });
    endpoint.noteSuccess(3_000);
    endpoint.noteLatency(20);
    expect(endpoint.latencyMs).toBe(20);
    endpoint.noteSuccess(3_000);
    expect(endpoint.latencyMs).toBe(20);
    endpoint.noteLatency(30);
    expect(endpoint.latencyMs).toBe(22);
  });

  it('doubles the duration of distrust, up to half an hour, and resets it after an hour of trust', () => {
    const clock = { now: 0 };
    const endpoint = recordAt(clock, 0);
    const minutesDistrusted = (): number => {
      endpoint.distrust('it lies');
      const from = clock.now;
      while (endpoint.isDistrusted) clock.now += 60_000;
      return (clock.now - from) / 60_000;
    };
    expect([1, 2, 3, 4, 5, 6, 7].map(minutesDistrusted)).toEqual([1, 2, 4, 8, 16, 30, 30]);
    clock.now += 61 * 60_000;
    expect(minutesDistrusted()).toBe(1);
  });

  it('does not distrust longer if the same error is reported repeatedly', () => {
    const clock = { now: 0 };
    const endpoint = recordAt(clock, 0);
    for (let times = 0; times < 8; times += 1) endpoint.distrust('it lies');
    clock.now += 60_000;
    expect(endpoint.isDistrusted).toBe(false);
  });

  it('clears chain and slot when it becomes distrusted', () => {
    const clock = { now: 0 };
    const endpoint = recordAt(clock);
    endpoint.genesisHash = 'a chain';
    endpoint.noteSlot(5_000, 0);
    endpoint.distrust('its slot went back');
    expect([endpoint.genesisHash, endpoint.slot, endpoint.slotLag]).toEqual([null, null, null]);
    expect(endpoint.health(false)).toMatchObject({ state: 'distrusted', slot: 5_000 });
    clock.now += 120_000;
    expect(endpoint.health(false)).toMatchObject({ state: 'active', slot: null });
    endpoint.noteSlot(300, 0);
    expect([endpoint.slot, endpoint.health(false).slot]).toEqual([300, 300]);
  });

  it('blocks history calls for a time that doubles with each refusal, until one is answered', () => {
    const clock = { now: 0 };
    const endpoint = recordAt(clock);
    const secondsBlocked = (): number => {
      endpoint.noteMissingHistory(['getTransaction']);
      const from = clock.now;
      while (!endpoint.supports('getTransaction') && clock.now - from < 1e6) clock.now += 1_000;
      return (clock.now - from) / 1_000;
    };
    expect([1, 2, 3].map(secondsBlocked)).toEqual([5, 10, 20]);
    expect(endpoint.supports('getSlot')).toBe(true);
    endpoint.noteAnswer('getTransaction');
    expect(endpoint.supportsAll).toBe(true);
    expect(secondsBlocked()).toBe(5);
  });

  it('blocks history calls for a time that doubles with each gap, even if calls in between are answered', () => {
    const clock = { now: 0 };
    const endpoint = recordAt(clock);
    const secondsBlocked = (): number => {
      for (let times = 0; times < 2; times += 1) endpoint.noteHistoryGap();
      const from = clock.now;
      endpoint.noteAnswer('getTransaction');
      while (!endpoint.supports('getTransaction') && clock.now - from < 1e6) clock.now += 1_000;
      endpoint.noteAnswer('getTransaction');
      return (clock.now - from) / 1_000;
    };
    expect([1, 2, 3].map(secondsBlocked)).toEqual([5, 10, 20]);
    endpoint.noteHistoryGap();
    expect([endpoint.supportsAll, endpoint.supports('getSlot')]).toEqual([false, true]);
    clock.now += 40_000 + 600_001;
    expect(secondsBlocked()).toBe(5);
  });

  it("never shows a key, not even in the server's own message", () => {
    const endpoint = recordAt({ now: 0 });
    endpoint.noteFailure(
      new RetryableRpcError('node', 'key secret-key-2 of /v2/secret-key-1 by hunter22 is over its limit'),
    );
    const healthTexts = [JSON.stringify(endpoint.health(false))];
    endpoint.distrust(`it answers nonsense at ${KEYED_URL}`);
    healthTexts.push(JSON.stringify(endpoint.health(false)));
    for (const secret of ['secret-key-1', 'secret-key-2', 'hunter22'])
      expect(healthTexts.join()).not.toContain(secret);
  });
});
