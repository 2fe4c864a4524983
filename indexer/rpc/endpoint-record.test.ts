import { describe, expect, it } from 'vitest';
import { createEndpointRecord, endpointNames, redactor } from './endpoint-record.ts';
import { RetryableRpcError } from './rpc-errors.ts';

const KEYED = 'https://user:hunter22@rpc.example.com/v2/secret-key-1?api-key=secret-key-2';
const failure = new RetryableRpcError('server', 'HTTP 503');

function recordAt(clock: { now: number }, random = 1) {
  return createEndpointRecord('rpc.example.com', KEYED, { now: () => clock.now, random: () => random });
}

describe('what is known of an endpoint', () => {
  it('counts failures of the last five minutes', () => {
    const clock = { now: 1_000_000 };
    const endpoint = recordAt(clock);
    endpoint.failed(failure);
    clock.now += 200_000;
    endpoint.failed(failure);
    expect(endpoint.health().errorCount).toBe(2);
    clock.now += 150_000;
    expect(endpoint.health().errorCount).toBe(1);
    clock.now += 200_000;
    expect(endpoint.health().errorCount).toBe(0);
  });

  it('rests longer after each failure in a row, and not at all after a success', () => {
    const clock = { now: 0 };
    const endpoint = recordAt(clock);
    const rests = [1, 2, 3, 20].map((times) => {
      while (endpoint.failures < times) endpoint.failed(failure);
      return endpoint.notBefore;
    });
    expect(rests).toEqual([250, 500, 1_000, 5_000]);
    endpoint.succeeded(5);
    expect([endpoint.failures, endpoint.notBefore]).toEqual([0, 0]);
  });

  it('rests at least as long as the server asked', () => {
    const endpoint = recordAt({ now: 0 });
    endpoint.failed(new RetryableRpcError('rate-limit', 'HTTP 429', { retryAfterMs: 9_000 }));
    expect(endpoint.notBefore).toBe(9_000);
  });

  it('is active once it answered, and no longer after three failures in a row', () => {
    const endpoint = recordAt({ now: 0 });
    expect(endpoint.health().active).toBe(false);
    endpoint.succeeded(5);
    endpoint.failed(failure);
    endpoint.failed(failure);
    expect(endpoint.health().active).toBe(true);
    endpoint.failed(failure);
    expect(endpoint.health().active).toBe(false);
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
    expect(endpoint.health()).toMatchObject({ active: true, lastError: 'no history' });
    expect(endpoint.health().errorCount).toBeGreaterThan(50);
    expect(endpoint.notBefore).toBe(0);
    clock.now += 25_000;
    expect(endpoint.health().active).toBe(false);
    endpoint.succeeded(5);
    expect(endpoint.health().active).toBe(true);
  });

  it('smooths latency', () => {
    const endpoint = recordAt({ now: 0 });
    expect(endpoint.health().latencyMs).toBeNull();
    endpoint.succeeded(100);
    endpoint.succeeded(200);
    expect(endpoint.health().latencyMs).toBe(120);
  });

  it("never shows a key, not even in the server's own words", () => {
    const endpoint = recordAt({ now: 0 });
    endpoint.failed(
      new RetryableRpcError('node', 'key secret-key-2 of /v2/secret-key-1 by hunter22 is over its limit'),
    );
    const shown = JSON.stringify(endpoint.health());
    for (const secret of ['secret-key-1', 'secret-key-2', 'hunter22']) expect(shown).not.toContain(secret);
    expect(redactor('https://h/%E0%A4%A')('fine')).toBe('fine');
  });

  it('names endpoints by host, numbered where several share it', () => {
    expect(endpointNames([KEYED, 'http://127.0.0.1:8899', 'https://rpc.example.com/other'])).toEqual([
      'rpc.example.com',
      '127.0.0.1:8899',
      'rpc.example.com #2',
    ]);
  });
});
