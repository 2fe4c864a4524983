import { afterEach, describe, expect, it, vi } from 'vitest';
import { callError, errorText } from './call-error.ts';
import { RequestError } from './request.ts';

const responseError = (status: number, body: unknown) =>
  new RequestError(status, 'Status', typeof body === 'string' ? body : JSON.stringify(body));

describe('a failed call', () => {
  afterEach(() => void vi.unstubAllGlobals());

  it.each([
    [responseError(401, {}), 'not-proven'],
    [responseError(409, {}), 'refused'],
    [responseError(403, {}), 'refused'],
    [responseError(429, {}), 'failed'],
    [responseError(502, {}), 'failed'],
    [new TypeError('Failed to fetch'), 'no-network'],
    [new SyntaxError('Unexpected token'), 'failed'],
  ])('with the error “%s” is classified as %s', (error, expected) => {
    expect(callError(error)).toBe(expected);
  });

  it('shows the server’s message, or the page’s message if the response has none', () => {
    const fallback = 'It failed.';
    expect(errorText(responseError(409, { error: 'No cards left.' }), fallback)).toBe('No cards left.');
    expect(errorText(new TypeError('Failed to fetch'), fallback)).not.toBe(fallback);
    // A proxy's error page, and bodies without a message.
    for (const body of ['<h1>Bad gateway</h1>', '', { error: 5 }, { error: '' }, null, 'null'])
      expect(errorText(responseError(502, body), fallback)).toBe(fallback);
  });

  it('blames the visitor’s network only if the browser is offline', () => {
    const textIf = (onLine: boolean) => {
      vi.stubGlobal('navigator', { onLine });
      return errorText(new TypeError('Failed to fetch'), '');
    };
    expect(textIf(false)).toMatch(/^No connection/);
    expect(textIf(true)).toMatch(/^Could not reach the portal/);
  });
});
