import type { StakeOrder, StakeProgress } from '../../data/stake-calls.ts';

/** A stake that the wallet signed. Sending it again stakes no second time. */
export interface SignedStake {
  readonly order: StakeOrder;
  /** Base64. */
  readonly transaction: string;
  readonly signature: string;
}

/** How far a stake has come, from its amount to its confirmation. */
export type StakeStage =
  | { readonly kind: 'form'; readonly fault: string | null }
  | { readonly kind: 'building' }
  /** What will be signed is shown; `lapsed` once it is too old to be sent. */
  | { readonly kind: 'review'; readonly order: StakeOrder; readonly lapsed: boolean }
  | { readonly kind: 'signing'; readonly order: StakeOrder }
  | { readonly kind: 'sending'; readonly signed: SignedStake }
  /** It is not known whether the chain has it. */
  | { readonly kind: 'unsent'; readonly signed: SignedStake; readonly fault: string }
  | {
      readonly kind: 'following';
      readonly signed: SignedStake;
      /** When following began, Unix ms. */
      readonly since: number;
      readonly isSlow: boolean;
      /** Whether the last look at it failed. */
      readonly isBlind: boolean;
    }
  | {
      readonly kind: 'ended';
      readonly signed: SignedStake;
      readonly state: Exclude<StakeProgress['state'], 'pending'>;
      /** Why it failed. */
      readonly error: string | null;
    };
