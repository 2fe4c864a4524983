import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPortal, walletCall } from './read-api.ts';
import { sampleAddress } from './testing/sample-transaction.ts';

const [ALICE, BOB, CAROL] = [sampleAddress('alice'), sampleAddress('bob'), sampleAddress('carol')];

let server: Server;
let origin: string;
let requests: string[];
/** Each path's answers, in turn; the last one repeats. `'later'` stands for a rate-limit error (429). */
let answers: Record<string, readonly (unknown | 'later')[]>;
const pausesMs: number[] = [];
const pause = async (ms: number) => void pausesMs.push(ms);

beforeAll(async () => {
  server = createServer((request, response) => {
    const url = request.url ?? '';
    const [path = ''] = url.split('?');
    const before = requests.filter((earlier) => earlier.split('?')[0] === path).length;
    requests.push(url);
    const body = answers[path]?.at(Math.min(before, (answers[path]?.length ?? 0) - 1));
    if (path === '/list') response.setHeader('X-Figure-Slot', '9');
    if (body === 'later') response.writeHead(429, { 'retry-after': '7' });
    response.end(
      JSON.stringify(
        body === 'later' ? { success: false, error: 'Too many requests.', code: 'LATER' } : body,
      ),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const bound = server.address();
  origin = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`;
});
afterAll(() => server.close());
beforeEach(() => {
  requests = [];
  pausesMs.length = 0;
});

describe('the portal as read by verify', () => {
  it('is read again after the time in its Retry-After header', async () => {
    answers = { '/figure': ['later', { value: 1 }] };
    const { answer } = await openPortal(origin, pause).read(['/figure']);
    expect(answer('/figure')).toEqual({ kind: 'body', body: { value: 1 } });
    expect(pausesMs).toEqual([7_000]);
  });

  it('reports the slot of a list in the X-Figure-Slot header', async () => {
    answers = { '/list': [[1]] };
    const { answer } = await openPortal(origin, pause).read(['/list']);
    expect(answer('/list')).toEqual({ kind: 'body', body: [1], slot: 9 });
  });

  it('counts as not answering if it rate-limits every attempt', async () => {
    answers = { '/figure': ['later'] };
    const { answer } = await openPortal(origin, pause).read(['/figure']);
    expect(answer('/figure')).toEqual({ kind: 'none', reason: 'Too many requests.' });
    expect(requests).toHaveLength(3);
  });

  it('is read for the same two wallets each time: a staker, and a non-staker from the transactions', async () => {
    const [staker, other] = [walletCall('/wallet', 'staker'), walletCall('/wallet', 'other')];
    const lists = ['/api/stakers/enhanced', '/api/transactions'];
    answers = {
      '/wallet': [{}],
      '/api/stakers/enhanced': [[{ walletAddress: ALICE }], [{ walletAddress: CAROL }]],
      '/api/transactions': [[{ wallet: null }, { wallet: ALICE }, { wallet: 'no wallet' }, { wallet: BOB }]],
    };
    const portal = openPortal(origin, pause);
    for (const calls of [[...lists, staker, other], [...lists, staker, other], [staker]]) {
      expect((await portal.read(calls)).wallets).toEqual([ALICE, BOB]);
    }
    expect(requests.filter((url) => url.startsWith('/wallet'))).toEqual(
      [ALICE, BOB, ALICE, BOB, ALICE].map((wallet) => `/wallet?walletAddress=${wallet}`),
    );
  });

  it('is read only once per call, no matter how many figures need the call', async () => {
    answers = { '/figure': [{ value: 1 }] };
    const reading = await openPortal(origin, pause).read(['/figure', '/figure']);
    expect(requests).toEqual(['/figure']);
    expect(reading.answer('/another').kind).toBe('none');
  });
});
