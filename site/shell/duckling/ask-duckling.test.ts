// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest';
import { askDuckling, isSitePath, judgeAnswer, readAnswer } from './ask-duckling.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

function serve(response: Response | Error) {
  const fetchMock = vi.fn(async () => {
    if (response instanceof Error) throw response;
    return response;
  });
  vi.stubGlobal('fetch', fetchMock);
  return fetchMock;
}

const jsonResponse = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });

describe('asking a question', () => {
  it('returns a validated answer', async () => {
    const fetchMock = serve(
      jsonResponse(200, {
        response: ' It is. ',
        kind: 'figure',
        sources: [],
        source: 'figure:price',
        by: 'model',
      }),
    );
    expect(await askDuckling('Is it?')).toEqual({
      kind: 'answered',
      answer: {
        text: 'It is.',
        kind: 'figure',
        sources: [],
        closest: [],
        source: 'figure:price',
        by: 'model',
      },
    });
    expect(fetchMock).toHaveBeenCalledExactlyOnceWith(
      '/api/chat/duckling',
      expect.objectContaining({ method: 'POST', body: '{"message":"Is it?"}' }),
    );
  });

  it.each([
    ['an answer without text', jsonResponse(200, { response: ' ', message: 5 }), { kind: 'empty' }],
    ['an answer that is not JSON', new Response('<h1>Hello</h1>'), { kind: 'empty' }],
    ['status 429', jsonResponse(429, { error: 'Wait.' }), { kind: 'too-many' }],
    [
      'status 400 with a message',
      jsonResponse(400, { error: 'Remove the characters.' }),
      { kind: 'rejected', message: 'Remove the characters.' },
    ],
    ['status 400 without a message', new Response('no', { status: 400 }), { kind: 'failed' }],
    ['status 500', jsonResponse(500, { error: 'Inner workings.' }), { kind: 'failed' }],
    ['a timeout', new DOMException('late', 'TimeoutError'), { kind: 'failed' }],
    ['no network', new TypeError('Failed to fetch'), { kind: 'failed' }],
  ])('returns the outcome for %s', async (_case, response, outcome) => {
    serve(response);
    expect(await askDuckling('Is it?')).toEqual(outcome);
  });

  it('has a separate outcome while the browser is offline', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    serve(new TypeError('Failed to fetch'));
    expect(await askDuckling('Is it?')).toEqual({ kind: 'offline' });
    vi.restoreAllMocks();
  });
});

describe('an answer', () => {
  it('has its text in `response` or `message`', () => {
    expect(readAnswer({ message: 'Yes.' })).toEqual({
      text: 'Yes.',
      kind: 'answer',
      sources: [],
      closest: [],
      source: '',
      by: 'portal',
    });
    expect(readAnswer({ response: 'Yes.', message: 'No.' })?.text).toBe('Yes.');
  });

  it.each([null, 'Yes.', [], {}, { response: null }])('cannot be %j', (body) => {
    expect(readAnswer(body)).toBeNull();
  });

  it.each(['/faq#lock', '/', '/my-position#wallet=abc'])('can link to %s', (href) => {
    expect(isSitePath(href)).toBe(true);
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    'faq',
    '',
    ' /faq',
    '/a\\b',
  ])('never links to %j', (href) => {
    expect(isSitePath(href)).toBe(false);
  });

  it('lists the closest questions, except blank ones and values that are not text', () => {
    expect(readAnswer({ response: 'No.', closest: ['Is it?', ' ', 5] })?.closest).toEqual(['Is it?']);
    expect(readAnswer({ response: 'No.', closest: 'Is it?' })?.closest).toEqual([]);
  });

  it('omits sources without a title or a path on this site', () => {
    const sources = [
      { title: 'The lock', href: '/faq#lock' },
      { title: '', href: '/faq' },
      { title: 'X', href: '//x' },
      5,
    ];
    expect(readAnswer({ response: 'Yes.', sources })?.sources).toEqual([
      { title: 'The lock', href: '/faq#lock' },
    ]);
  });
});

it('a verdict reports whether it was counted', async () => {
  const fetchMock = serve(jsonResponse(200, { success: true }));
  expect(await judgeAnswer('/faq#lock', 'down')).toBe(true);
  expect(fetchMock).toHaveBeenCalledExactlyOnceWith(
    '/api/chat/verdict',
    expect.objectContaining({ body: '{"source":"/faq#lock","verdict":"down"}' }),
  );
  serve(jsonResponse(429, {}));
  expect(await judgeAnswer('/faq#lock', 'down')).toBe(false);
});
