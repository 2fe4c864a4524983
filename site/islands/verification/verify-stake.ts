import type { ResponseOf } from '../../../data/contract/call.ts';
import type { verifyBdTokens } from '../../../data/contract/verification.ts';
import { detectionText } from '../../../data/model/detection-text.ts';
import type { CardTier } from '../../../data/model/tiers.ts';
import { RequestError, request } from '../../data/request.ts';
import { followVerification, type WatchedCheck } from './verification-stream.ts';

// Named by its type alone: the declaring module would bring its schemas into the browser.
const PATH: (typeof verifyBdTokens)['path'] = '/api/verify-bd-tokens';

type Answer = ResponseOf<typeof verifyBdTokens>;

/** What is said where a check fails and says nothing itself. */
export const CHECK_FAILED = 'Failed to verify BD staking';

/** What a check found out about a wallet. */
export interface StakeVerification {
  readonly walletAddress: string;
  readonly tier: CardTier | 'None';
  /** BD staked, decimal text. */
  readonly stakedAmount: string;
  readonly detectionMethod: Answer['detectionMethod'];
  /** What was found, as a request for manual verification tells it. */
  readonly currentDetection: string;
}

/** A check that came to nothing: nothing is known of the wallet then. The message is the portal's own. */
export class StakeCheckError extends Error {
  override readonly name = 'StakeCheckError';
  /** What to do about it. */
  readonly advice: string;

  constructor(message: string, advice: string, options?: ErrorOptions) {
    super(message, options);
    this.advice = advice;
  }
}

function adviceOn(status: number): string {
  if (status === 400)
    return 'The portal does not know this as an address. Copy it from the wallet again, whole.';
  if (status === 429) return 'Too many checks came from here. Wait a minute, then try again.';
  if (status === 503)
    return 'The chain cannot be read at the moment, so nothing is said of the wallet. Try again in a minute.';
  return 'Try again. If it stays, ask support.';
}

function checkError(error: unknown): StakeCheckError {
  if (!(error instanceof RequestError)) {
    return new StakeCheckError(
      CHECK_FAILED,
      'The portal could not be reached. Check your connection and try again.',
      {
        cause: error,
      },
    );
  }
  const { status } = error;
  return new StakeCheckError(`API request failed with status ${status}`, adviceOn(status), { cause: error });
}

export type VerifyStake = (walletAddress: string, watched: WatchedCheck) => Promise<StakeVerification>;

async function askOnce(walletAddress: string, signal: AbortSignal): Promise<Answer> {
  const response = await request('GET', `${PATH}?${new URLSearchParams({ walletAddress })}`, { signal });
  return response.json();
}

/**
 * Asks the portal what a wallet stakes: by its events, or at once where they do not come through.
 * @throws {StakeCheckError}
 */
export const verifyStake: VerifyStake = async (walletAddress, watched) => {
  try {
    const followed = await followVerification(walletAddress, watched);
    const answer = followed ?? (await askOnce(walletAddress, watched.signal));
    const { tier, stakedAmountText, heldAmount, detectionMethod } = answer;
    return {
      walletAddress,
      tier,
      stakedAmount: stakedAmountText,
      detectionMethod,
      currentDetection: detectionText({
        staked: stakedAmountText,
        held: heldAmount,
        method: detectionMethod,
      }),
    };
  } catch (error) {
    throw checkError(error);
  }
};
