// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest';
import { askDuckling, isOwnPath, judgeAnswer, readAnswer } from './ask-duckling.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

function serve(answer: Response | Error) {
  const fetched = vi.fn(async () => {
    if (answer instanceof Error) throw answer;
    return answer;
  });
  vi.stubGlobal('fetch', fetched);
  return fetched;
}

const told = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });

describe('a question', () => {
  it('is answered with what can be shown of the reply', async () => {
    const fetched = serve(
      told(200, { response: ' It is. ', kind: 'figure', sources: [], source: 'figure:price', by: 'model' }),
    );
    expect(await askDuckling('Is it?')).toEqual({
      kind: 'answered',
      answer: { text: 'It is.', kind: 'figure', sources: [], source: 'figure:price', by: 'model' },
    });
    expect(fetched).toHaveBeenCalledExactlyOnceWith(
      '/api/chat/duckling',
      expect.objectContaining({ method: 'POST', body: '{"message":"Is it?"}' }),
    );
  });

  it.each([
    ['has no text', told(200, { response: ' ', message: 5 }), { kind: 'empty' }],
    ['is no JSON', new Response('<h1>Hello</h1>'), { kind: 'empty' }],
    ['comes too often', told(429, { error: 'Wait.' }), { kind: 'too-many' }],
    [
      'is refused',
      told(400, { error: 'Remove the characters.' }),
      { kind: 'refused', words: 'Remove the characters.' },
    ],
    ['is refused without words', new Response('no', { status: 400 }), { kind: 'failed' }],
    ['meets a broken server', told(500, { error: 'Inner workings.' }), { kind: 'failed' }],
    ['has no answer in time', new DOMException('late', 'TimeoutError'), { kind: 'failed' }],
    ['reaches nobody', new TypeError('Failed to fetch'), { kind: 'failed' }],
  ])('whose reply or sending %s has its own outcome', async (_case, answer, outcome) => {
    serve(answer);
    expect(await askDuckling('Is it?')).toEqual(outcome);
  });

  it('without a connection is told apart from one that the server does not answer', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    serve(new TypeError('Failed to fetch'));
    expect(await askDuckling('Is it?')).toEqual({ kind: 'offline' });
    vi.restoreAllMocks();
  });
});

describe('an answer', () => {
  it('has its text in `response` or in `message`', () => {
    expect(readAnswer({ message: 'Yes.' })).toEqual({
      text: 'Yes.',
      kind: 'answer',
      sources: [],
      source: '',
      by: 'portal',
    });
    expect(readAnswer({ response: 'Yes.', message: 'No.' })?.text).toBe('Yes.');
  });

  it.each([null, 'Yes.', [], {}, { response: null }])('that is %j is none', (body) => {
    expect(readAnswer(body)).toBeNull();
  });

  it.each(['/faq#lock', '/', '/my-position?wallet=abc'])('may link to %s', (href) => {
    expect(isOwnPath(href)).toBe(true);
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
    expect(isOwnPath(href)).toBe(false);
  });

  it('leaves out sources that cannot be linked', () => {
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

it('a verdict says whether it was counted', async () => {
  const fetched = serve(told(200, { success: true }));
  expect(await judgeAnswer('/faq#lock', 'down')).toBe(true);
  expect(fetched).toHaveBeenCalledExactlyOnceWith(
    '/api/chat/verdict',
    expect.objectContaining({ body: '{"source":"/faq#lock","verdict":"down"}' }),
  );
  serve(told(429, {}));
  expect(await judgeAnswer('/faq#lock', 'down')).toBe(false);
});
