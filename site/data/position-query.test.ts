import { describe, expect, it } from 'vitest';
import { positionError } from './position-query.ts';
import { RequestError } from './request.ts';

const body = JSON.stringify({ success: false, error: 'Not yet.', code: 'not-indexed-yet' });

describe('why a position could not be read', () => {
  it.each([
    ['invalid-address', new RequestError(400, 'Bad Request', body)],
    ['too-many', new RequestError(429, 'Too Many Requests', body)],
    ['not-known', new RequestError(503, 'Service Unavailable', body)],
    // Only the API's own 503 means that the position is not known yet, not one from a proxy.
    ['failed', new RequestError(503, 'Service Unavailable', '<html>')],
    ['failed', new RequestError(500, 'Internal Server Error', body)],
    ['no-network', new TypeError('Failed to fetch')],
    ['failed', new SyntaxError('Unexpected token')],
  ] as const)('is “%s” for the error “%s”', (expected, error) => {
    expect(positionError(error)).toBe(expected);
  });
});
