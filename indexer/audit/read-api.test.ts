import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPortal, walletCall } from './read-api.ts';
import { address } from './testing/made-transaction.ts';

const [ALICE, BOB, CAROL] = [address('alice'), address('bob'), address('carol')];

let server: Server;
let origin: string;
let asked: string[];
/** What is answered to each path, in turn; the last again and again. */
let answers: Record<string, readonly (unknown | 'later')[]>;
const waited: number[] = [];
const pause = async (ms: number) => void waited.push(ms);

beforeAll(async () => {
  server = createServer((request, response) => {
    const url = request.url ?? '';
    const [path = ''] = url.split('?');
    const before = asked.filter((earlier) => earlier.split('?')[0] === path).length;
    asked.push(url);
    const body = answers[path]?.at(Math.min(before, (answers[path]?.length ?? 0) - 1));
    if (path === '/list') response.setHeader('X-Figure-Slot', '9');
    if (body === 'later') response.writeHead(429, { 'retry-after': '7' });
    response.end(
      JSON.stringify(body === 'later' ? { success: false, error: 'Later.', code: 'LATER' } : body),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const bound = server.address();
  origin = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`;
});
afterAll(() => server.close());
beforeEach(() => {
  asked = [];
  waited.length = 0;
});

describe('the portal, read by the audit', () => {
  it('is asked again after the time that it asks for', async () => {
    answers = { '/figure': ['later', { value: 1 }] };
    const { answer } = await openPortal(origin, pause).read(['/figure']);
    expect(answer('/figure')).toEqual({ kind: 'body', body: { value: 1 } });
    expect(waited).toEqual([7_000]);
  });

  it('tells the slot of a list beside it', async () => {
    answers = { '/list': [[1]] };
    const { answer } = await openPortal(origin, pause).read(['/list']);
    expect(answer('/list')).toEqual({ kind: 'body', body: [1], slot: 9 });
  });

  it('is believed where it keeps putting off, and has no answer then', async () => {
    answers = { '/figure': ['later'] };
    const { answer } = await openPortal(origin, pause).read(['/figure']);
    expect(answer('/figure')).toEqual({ kind: 'none', reason: 'Later.' });
    expect(asked).toHaveLength(3);
  });

  it('is asked for the same wallets each time: one that stakes, and one of its transactions that does not', async () => {
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
    expect(asked.filter((url) => url.startsWith('/wallet'))).toEqual(
      [ALICE, BOB, ALICE, BOB, ALICE].map((wallet) => `/wallet?walletAddress=${wallet}`),
    );
  });

  it('is asked each call once, however many figures it tells', async () => {
    answers = { '/figure': [{ value: 1 }] };
    const reading = await openPortal(origin, pause).read(['/figure', '/figure']);
    expect(asked).toEqual(['/figure']);
    expect(reading.answer('/another').kind).toBe('none');
  });
});
