import { describe, expect, it } from 'vitest';
import { callFault, faultText } from './call-fault.ts';
import { RequestError } from './request.ts';

const refusal = (status: number, body: unknown) =>
  new RequestError(status, 'Status', typeof body === 'string' ? body : JSON.stringify(body));

describe('a failed call', () => {
  it.each([
    [refusal(401, {}), 'not-proved'],
    [refusal(409, {}), 'refused'],
    [refusal(403, {}), 'refused'],
    [refusal(429, {}), 'failed'],
    [refusal(502, {}), 'failed'],
    [new TypeError('Failed to fetch'), 'no-network'],
    [new SyntaxError('Unexpected token'), 'failed'],
  ])('is told apart by what can be done about it: %s', (error, fault) => {
    expect(callFault(error)).toBe(fault);
  });

  it('is told in the words of the server, and otherwise in those of the page', () => {
    const otherwise = 'It failed.';
    expect(faultText(refusal(409, { error: 'All cards are given out.' }), otherwise)).toBe(
      'All cards are given out.',
    );
    expect(faultText(new TypeError('Failed to fetch'), otherwise)).toContain('No connection');
    // A proxy's page, and bodies that say nothing to people.
    for (const body of ['<h1>Bad gateway</h1>', '', { error: 5 }, { error: '' }, null, 'null'])
      expect(faultText(refusal(502, body), otherwise)).toBe(otherwise);
  });
});
