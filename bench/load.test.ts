import { describe, expect, it } from 'vitest';
import { parseWrk } from './load.ts';

const REPORT = `Running 2s test @ http://127.0.0.1:4000/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.05ms  312.00us  11.00ms   93.00%
    Req/Sec    60.11k     2.00k   63.00k    85.00%
  119712 requests in 2.00s, 81.00MB read
`;

describe('the wrk report', () => {
  it('gives the request count, the rate, and no failures', () => {
    expect(parseWrk(`${REPORT}Requests/sec:  59798.31\nTransfer/sec:     40.4MB\n`)).toEqual({
      requests: 119_712,
      perSecond: 59_798.31,
      failed: 0,
    });
  });

  it('counts socket errors and other statuses as failed', () => {
    const errors = '  Socket errors: connect 1, read 2, write 0, timeout 3\n  Non-2xx or 3xx responses: 10\n';
    expect(parseWrk(`${REPORT}${errors}Requests/sec:  1.00\n`).failed).toBe(16);
  });

  it('is rejected if it cannot be parsed', () => {
    expect(() => parseWrk('unable to connect')).toThrow('unable to connect');
  });
});
