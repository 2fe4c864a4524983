import type { ResponseOf } from '../../../data/contract/call.ts';
import type { cardEligibility } from '../../../data/contract/eligibility.ts';
import { detectionText } from '../../../data/model/detection-text.ts';
import { RequestError, request } from '../../data/request.ts';
import { wordsOfRefusal } from '../../data/submit-form.ts';
import type { VerifiedWallet } from './verified-wallet.ts';

const PATH: (typeof cardEligibility)['path'] = '/api/virtual-card/eligibility';

/** Milliseconds that a check may take: it reads the chain. */
const ANSWER_WITHIN = 60_000;

/** What is known of the wallet that someone wants to apply with. */
export type WalletCheck =
  | { readonly kind: 'none' | 'checking' }
  | { readonly kind: 'verified'; readonly wallet: VerifiedWallet }
  | {
      readonly kind: 'not-eligible';
      readonly walletAddress: string;
      readonly detection: string;
      /** BD, decimal text. */
      readonly missing: string;
    }
  | { readonly kind: 'failed'; readonly words: string };

/** Asks whether a wallet's stake earns a card. Whatever happens is an outcome; nothing is thrown. */
export async function checkWallet(walletAddress: string): Promise<WalletCheck> {
  try {
    const query = new URLSearchParams({ walletAddress });
    const response = await request('GET', `${PATH}?${query}`, { signal: AbortSignal.timeout(ANSWER_WITHIN) });
    const found: ResponseOf<typeof cardEligibility> = await response.json();
    const { tier, bdBalanceText, detectionMethod: method, missing } = found;
    if (found.eligible) {
      return { kind: 'verified', wallet: { walletAddress, tier, stakedAmount: bdBalanceText } };
    }
    const isStake = method === 'stake_entry';
    const staked = isStake ? bdBalanceText : '0';
    const held = isStake ? null : bdBalanceText;
    return {
      kind: 'not-eligible',
      walletAddress,
      detection: detectionText({ staked, held, method }),
      missing,
    };
  } catch (error) {
    const words = error instanceof RequestError ? wordsOfRefusal(error) : null;
    return {
      kind: 'failed',
      words: words ?? 'The portal could not be reached. Check your connection and try again.',
    };
  }
}
