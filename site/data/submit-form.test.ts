import { afterEach, describe, expect, it, vi } from 'vitest';
import { newIdempotencyKey, submitForm } from './submit-form.ts';

afterEach(() => vi.unstubAllGlobals());

function submit(response: () => Promise<Response>) {
  const fetched = vi.fn(response);
  vi.stubGlobal('fetch', fetched);
  return { fetched, outcome: submitForm('/api/form', { a: 1 }, 'the-key') };
}

describe('a sent form', () => {
  it('carries its idempotency key, and yields the reference number if it is accepted', async () => {
    const { fetched, outcome } = submit(async () =>
      Response.json({ success: true, referenceNumber: 'BD-20260101-123456' }),
    );
    expect(await outcome).toEqual({ kind: 'accepted', referenceNumber: 'BD-20260101-123456' });
    expect(fetched).toHaveBeenCalledWith(
      '/api/form',
      expect.objectContaining({
        method: 'POST',
        body: '{"a":1}',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'the-key' },
      }),
    );
  });

  it.each([
    ["the server's message", Response.json({ error: 'Say more.' }, { status: 400 }), 'Say more.'],
    ['no message, on 500 without a body', new Response('', { status: 500 }), null],
    ['no message, on a proxy’s error page', new Response('<h1>Bad gateway</h1>', { status: 502 }), null],
    ['the message, on a failure with status 200', Response.json({ success: false, error: 'No.' }), 'No.'],
    ['no message, without a reference number', Response.json({ success: true }), null],
    ['no message, if the response is not JSON', new Response('ok'), null],
  ])('is refused with %s', async (_case, response, message) => {
    expect(await submit(async () => response).outcome).toEqual({ kind: 'refused', message });
  });

  it.each([new TypeError('Failed to fetch'), new DOMException('too late', 'TimeoutError')])(
    'has the outcome “no-network” if no response arrives: %s',
    async (error) => {
      expect(await submit(() => Promise.reject(error)).outcome).toEqual({ kind: 'no-network' });
    },
  );

  it('has a unique key that the server accepts', () => {
    const keys = Array.from({ length: 100 }, newIdempotencyKey);
    expect(new Set(keys).size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^[\w-]{8,128}$/);
  });
});
