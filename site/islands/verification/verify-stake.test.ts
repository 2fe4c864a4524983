import { afterEach, describe, expect, it, vi } from 'vitest';
import { verifyStake } from './verify-stake.ts';
import { secondsSince, waitingAfter } from './waiting.ts';

afterEach(() => void vi.unstubAllGlobals());

const { signal } = new AbortController();

describe('the check of a stake', () => {
  it.each([
    ['1499999', null, 'stake_entry', '1499999 BD staked (stake_entry)'],
    ['0', '2000000', 'token_account_analysis', '2000000 BD in wallet (not staked) (token_account_analysis)'],
    ['0', '0', 'token_account_analysis', 'No BD tokens found'],
  ])('of %s staked and %s held says so', async (stakedAmountText, heldAmount, detectionMethod, detection) => {
    const answer = { tier: 'None', stakedAmountText, heldAmount, detectionMethod };
    vi.stubGlobal('fetch', async () => Response.json(answer));
    expect(await verifyStake('A', signal)).toEqual({
      walletAddress: 'A',
      tier: 'None',
      stakedAmount: stakedAmountText,
      detectionMethod,
      currentDetection: detection,
    });
  });

  it('that is refused tells the status, and one that goes nowhere that it failed', async () => {
    vi.stubGlobal('fetch', async () => new Response('', { status: 503 }));
    await expect(verifyStake('A', signal)).rejects.toThrow('API request failed with status 503');
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    await expect(verifyStake('A', signal)).rejects.toThrow('Failed to verify BD staking');
  });
});

it('waiting is usual for 20 seconds, slow up to 60, and too long from then on', () => {
  expect([0, 19, 20, 59, 60].map(waitingAfter)).toEqual(['usual', 'usual', 'slow', 'slow', 'too-long']);
  expect(secondsSince(1_000, 20_999)).toBe(19);
  expect(secondsSince(1_000, 0)).toBe(0);
});
