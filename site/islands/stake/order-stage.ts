import type { StakeProgress } from '../../data/stake-calls.ts';

export interface Order {
  readonly walletAddress: string;
  /** Unsigned, in base64. */
  readonly transaction: string;
  readonly lastValidBlockHeight: number;
}

/** An order that the wallet has signed. The chain executes it once, however often it is sent. */
export interface SignedOrder<O> {
  readonly order: O;
  /** Base64. */
  readonly transaction: string;
  readonly signature: string;
}

export type OrderStage<O> =
  | { readonly kind: 'form'; readonly failure: string | null }
  | { readonly kind: 'building' }
  /** `isExpired`: the order is too old to be sent. */
  | { readonly kind: 'review'; readonly order: O; readonly isExpired: boolean }
  | { readonly kind: 'signing'; readonly order: O }
  | { readonly kind: 'sending'; readonly signedOrder: SignedOrder<O> }
  /** Sending failed. The chain may or may not have received the order. */
  | { readonly kind: 'send-failed'; readonly signedOrder: SignedOrder<O>; readonly failure: string }
  | {
      readonly kind: 'following';
      readonly signedOrder: SignedOrder<O>;
      /** Whether the server has confirmed that it sent the order. If not, the order may still have been sent. */
      readonly isSent: boolean;
      /** Unix ms. */
      readonly since: number;
      readonly isSlow: boolean;
      /** Whether the last read of the order's status failed. */
      readonly isUnreadable: boolean;
    }
  | {
      readonly kind: 'ended';
      readonly signedOrder: SignedOrder<O>;
      readonly state: Exclude<StakeProgress['state'], 'pending'>;
      readonly error: string | null;
    };
