import type { MailTemplate } from '../mail-template.ts';
import { exactBd, type MailContext, momentText } from './shared-parts.ts';

/** A stake that can soon be withdrawn. */
interface UnlockingStake {
  readonly walletAddress: string;
  /** In base units. */
  readonly amount: bigint;
  /** Unix ms. */
  readonly unlocksAt: number;
  /** Ends these reminders with one click. */
  readonly stopUrl: string;
}

/** Reminds a person who asked for it that a stake unlocks soon. @param decimals of BD */
export function stakeUnlocksSoon(
  { walletAddress, amount, unlocksAt, stopUrl }: UnlockingStake,
  { origin, decimals }: Pick<MailContext, 'origin'> & { readonly decimals: number },
): MailTemplate {
  return {
    subject: 'Your BD stake unlocks soon',
    topic: 'Staking',
    preheader: `The lock ends on ${momentText(unlocksAt)}. Nothing moves without your signature.`,
    parts: [
      'The lock of your stake ends soon. Then you can withdraw the stake, or leave it staked: nothing moves without your signature.',
      {
        kind: 'facts',
        facts: [
          ['Wallet', walletAddress],
          ['Staked', exactBd(amount, decimals)],
          ['Unlocks', momentText(unlocksAt)],
        ],
      },
      { kind: 'button', label: 'Open your position', url: `${origin}/my-position` },
      'A virtual card requires the stake of its tier. If you withdraw too much, the card is frozen.',
      { kind: 'link', label: 'Stop these reminders', url: stopUrl },
      {
        kind: 'small',
        text: 'You asked for this reminder. BlackDuck never asks for a seed phrase or a private key.',
      },
    ],
  };
}
