import { QueryClient } from '@tanstack/react-query';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defaultQueryFunction, RequestError, request } from './request.ts';

function stubResponse(status: number, body: string, statusText = '') {
  const fetchMock = vi.fn<typeof fetch>(async () => new Response(body, { status, statusText }));
  vi.stubGlobal('fetch', fetchMock);
  return fetchMock;
}

afterEach(() => vi.unstubAllGlobals());

describe('request', () => {
  it('sends the visitor’s cookies, and a payload as JSON with its content type', async () => {
    const fetchMock = stubResponse(200, '{}');
    await request('GET', '/api/x');
    await request('POST', '/api/x', { payload: { a: 1 } });
    expect(fetchMock.mock.calls.map(([, init]) => init)).toEqual([
      { method: 'GET', credentials: 'include' },
      {
        method: 'POST',
        credentials: 'include',
        body: '{"a":1}',
        headers: { 'Content-Type': 'application/json' },
      },
    ]);
  });

  it('fails with the message “<status>: <response text>”', async () => {
    stubResponse(500, 'out of memory', 'Internal Server Error');
    const error = await request('GET', '/api/x').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RequestError);
    expect(error).toMatchObject({ message: '500: out of memory', status: 500 });
  });

  it('fails with the status text if the response is empty', async () => {
    stubResponse(404, '', 'Not Found');
    await expect(request('GET', '/api/x')).rejects.toThrow(/^404: Not Found$/);
  });

  it('can return null on 401, but on no other failure', async () => {
    stubResponse(401, 'sign in');
    await expect(request('GET', '/api/x')).rejects.toThrow(/^401: sign in$/);
    await expect(request('GET', '/api/x', { on401: 'null' })).resolves.toBeNull();
    stubResponse(403, 'no');
    await expect(request('GET', '/api/x', { on401: 'null' })).rejects.toThrow(/^403: no$/);
  });
});

describe('the default query function', () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });

  it('reads JSON from the path in the first element of the query key', async () => {
    const fetchMock = stubResponse(200, '{"balance":"1.5"}');
    const read = client.query({ queryKey: ['/api/parsed', 'more'], queryFn: defaultQueryFunction });
    await expect(read).resolves.toEqual({ balance: '1.5' });
    expect(fetchMock.mock.calls[0]?.[0]).toBe('/api/parsed');
  });
});
