import { afterEach, describe, expect, it, vi } from 'vitest';
import type { VerificationStep } from '../../../data/contract/verification.ts';
import { secondsSince, waitLevel } from './VerificationPanel.tsx';
import { verifyStake } from './verify-stake.ts';

afterEach(() => void vi.unstubAllGlobals());

/** Options for a check that is never aborted. They record the check's steps. */
function createStepRecorder() {
  const steps: VerificationStep[] = [];
  return {
    steps,
    signal: new AbortController().signal,
    onStep: (step: VerificationStep) => void steps.push(step),
  };
}

const checkBody = {
  tier: 'None',
  stakedAmountText: '1499999',
  heldAmount: null,
  detectionMethod: 'stake_entry',
};
const verification = {
  walletAddress: 'A',
  tier: 'None',
  stakedAmount: '1499999',
  detectionMethod: 'stake_entry',
  currentDetection: '1,499,999 BD staked (found on-chain)',
};
const eventText = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

function stream(text: string, size = 1_000): Response {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
      controller.close();
    },
  });
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream; charset=utf-8' } });
}

/**
 * Responds with `stepsResponse` to the call that streams steps, and with the result to the other call.
 * @returns the requested paths
 */
function serve(stepsResponse: Response): string[] {
  const requests: string[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    requests.push(path);
    return path.includes('/steps') ? stepsResponse : Response.json(checkBody);
  });
  return requests;
}

describe('a stake check', () => {
  it.each([
    ['1499999', null, 'stake_entry', '1,499,999 BD staked (found on-chain)'],
    [
      '0',
      '2000000',
      'token_account_analysis',
      '2,000,000 BD in wallet (not staked) (token_account_analysis)',
    ],
    ['0', '0', 'token_account_analysis', 'No BD tokens found'],
  ])(
    'with %s staked and %s held says what was found',
    async (stakedAmountText, heldAmount, detectionMethod, detection) => {
      serve(stream(eventText('result', { tier: 'None', stakedAmountText, heldAmount, detectionMethod })));
      expect(await verifyStake('A', createStepRecorder())).toEqual({
        walletAddress: 'A',
        tier: 'None',
        stakedAmount: stakedAmountText,
        detectionMethod,
        currentDetection: detection,
      });
    },
  );

  it.each([1, 7, 1_000])('reports the known steps in order from chunks of %i bytes', async (size) => {
    const steps = ['started', 'a future step', 'stake-entries-read', 'decided'];
    const text = [
      ': a comment\n\n',
      ...steps.map((step) => eventText('step', { step })),
      eventText('result', checkBody),
    ].join('');
    const requests = serve(stream(text, size));
    const recorder = createStepRecorder();
    expect(await verifyStake('A', recorder)).toEqual(verification);
    expect(recorder.steps).toEqual(['started', 'stake-entries-read', 'decided']);
    expect(requests).toEqual(['/api/verify-bd-tokens/steps?walletAddress=A']);
  });

  it('throws the status that the stream reports, and sends no second request', async () => {
    const body = { status: 503, error: 'text', code: 'chain-unreadable' };
    const requests = serve(stream(eventText('step', { step: 'started' }) + eventText('failure', body)));
    await expect(verifyStake('A', createStepRecorder())).rejects.toThrow(
      'API request failed with status 503',
    );
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['ends early', stream(eventText('step', { step: 'started' }))],
    ['is not JSON', stream('event: result\ndata: {\n\n')],
    ['is blocked by a proxy', new Response('', { status: 502 })],
    ['is not a stream', Response.json(checkBody)],
  ])('falls back to the single call if the stream %s', async (_case, stepsResponse) => {
    const requests = serve(stepsResponse);
    expect(await verifyStake('A', createStepRecorder())).toEqual(verification);
    expect(requests.at(-1)).toBe('/api/verify-bd-tokens?walletAddress=A');
  });

  it('throws the status of a refusal, and a general message without a response', async () => {
    vi.stubGlobal('fetch', async () => new Response('', { status: 503 }));
    await expect(verifyStake('A', createStepRecorder())).rejects.toThrow(
      'API request failed with status 503',
    );
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    await expect(verifyStake('A', createStepRecorder())).rejects.toThrow('Failed to verify BD staking');
  });
});

it('a check is slow after 20 seconds and too long after 60', () => {
  expect([0, 19, 20, 59, 60].map(waitLevel)).toEqual(['usual', 'usual', 'slow', 'slow', 'too-long']);
  expect(secondsSince(1_000, 20_999)).toBe(19);
  expect(secondsSince(1_000, 0)).toBe(0);
});
