import { afterEach, describe, expect, it, vi } from 'vitest';
import type { VerificationStep } from '../../../data/contract/verification-steps.ts';
import { verifyStake } from './verify-stake.ts';
import { secondsSince, waitingAfter } from './waiting.ts';

afterEach(() => void vi.unstubAllGlobals());

/** A check that nobody stops, and the steps it was told. */
function watch() {
  const steps: VerificationStep[] = [];
  return {
    steps,
    signal: new AbortController().signal,
    onStep: (step: VerificationStep) => void steps.push(step),
  };
}

const answer = {
  tier: 'None',
  stakedAmountText: '1499999',
  heldAmount: null,
  detectionMethod: 'stake_entry',
};
const found = {
  walletAddress: 'A',
  tier: 'None',
  stakedAmount: '1499999',
  detectionMethod: 'stake_entry',
  currentDetection: '1499999 BD staked (stake_entry)',
};
const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** The portal sends a stream in pieces of so many bytes, and answers the plain call. */
function serve(text: string, { pieces = 1_000, plain = () => Response.json(answer) } = {}) {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    if (!path.includes('/steps')) return plain();
    const bytes = new TextEncoder().encode(text);
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += pieces) controller.enqueue(bytes.slice(at, at + pieces));
        controller.close();
      },
    });
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream; charset=utf-8' } });
  });
  return asked;
}

describe('the check of a stake', () => {
  it.each([
    ['1499999', null, 'stake_entry', '1499999 BD staked (stake_entry)'],
    ['0', '2000000', 'token_account_analysis', '2000000 BD in wallet (not staked) (token_account_analysis)'],
    ['0', '0', 'token_account_analysis', 'No BD tokens found'],
  ])('of %s staked and %s held says so', async (stakedAmountText, heldAmount, detectionMethod, detection) => {
    serve(event('result', { tier: 'None', stakedAmountText, heldAmount, detectionMethod }));
    expect(await verifyStake('A', watch())).toEqual({
      walletAddress: 'A',
      tier: 'None',
      stakedAmount: stakedAmountText,
      detectionMethod,
      currentDetection: detection,
    });
  });

  it.each([1, 7, 1_000])('tells each step in order, the bytes cut after every %i', async (pieces) => {
    const told = ['asked', 'a step of later', 'stake-entries-read', 'decided'];
    const text = [
      ': a comment\n\n',
      ...told.map((step) => event('step', { step })),
      event('result', answer),
    ].join('');
    const asked = serve(text, { pieces });
    const watched = watch();
    expect(await verifyStake('A', watched)).toEqual(found);
    expect(watched.steps).toEqual(['asked', 'stake-entries-read', 'decided']);
    expect(asked).toEqual(['/api/verify-bd-tokens/steps?walletAddress=A']);
  });

  it('that fails on its way tells the status that the portal names, and asks no second time', async () => {
    const failure = { status: 503, error: 'words', code: 'chain-unreadable' };
    const asked = serve(event('step', { step: 'asked' }) + event('failure', failure));
    const fault = await verifyStake('A', watch()).catch((error: unknown) => error);
    expect(fault).toMatchObject({
      message: 'API request failed with status 503',
      advice: expect.stringContaining('cannot be read'),
    });
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['breaks off', event('step', { step: 'asked' })],
    ['says what is no JSON', 'event: result\ndata: {\n\n'],
  ])('asks the plain call where the stream %s', async (_case, text) => {
    const asked = serve(text);
    expect(await verifyStake('A', watch())).toEqual(found);
    expect(asked.at(-1)).toBe('/api/verify-bd-tokens?walletAddress=A');
  });

  it.each([
    ['a proxy that lets no stream through', () => new Response('', { status: 502 })],
    ['an answer that is no stream', () => Response.json(answer)],
  ])('asks the plain call behind %s', async (_case, refuse) => {
    vi.stubGlobal('fetch', async (path: string) =>
      path.includes('/steps') ? refuse() : Response.json(answer),
    );
    expect(await verifyStake('A', watch())).toEqual(found);
  });

  it('that is refused tells the status, and one that goes nowhere that it failed', async () => {
    vi.stubGlobal('fetch', async () => new Response('', { status: 503 }));
    await expect(verifyStake('A', watch())).rejects.toThrow('API request failed with status 503');
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    await expect(verifyStake('A', watch())).rejects.toThrow('Failed to verify BD staking');
  });
});

it('waiting is usual for 20 seconds, slow up to 60, and too long from then on', () => {
  expect([0, 19, 20, 59, 60].map(waitingAfter)).toEqual(['usual', 'usual', 'slow', 'slow', 'too-long']);
  expect(secondsSince(1_000, 20_999)).toBe(19);
  expect(secondsSince(1_000, 0)).toBe(0);
});
