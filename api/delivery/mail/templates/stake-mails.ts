import type { MailTemplate } from '../mail-template.ts';
import { exactBd, type MailContext, momentText } from './shared-parts.ts';

/** The last paragraph of every reminder email. */
const REMINDER_NOTE = {
  kind: 'small',
  text: 'You asked for this reminder. BlackDuck never asks for a seed phrase or a private key.',
} as const;

interface UnlockingStake {
  readonly walletAddress: string;
  /** In base units. */
  readonly amount: bigint;
  /** Unix ms. */
  readonly unlocksAt: number;
  /** The link that stops the reminders with one click. */
  readonly stopUrl: string;
}

/** @param decimals the decimals of BD */
export function stakeUnlockTemplate(
  { walletAddress, amount, unlocksAt, stopUrl }: UnlockingStake,
  { origin, decimals }: Pick<MailContext, 'origin'> & { readonly decimals: number },
): MailTemplate {
  return {
    subject: 'Your BD stake unlocks soon',
    topic: 'Staking',
    preheader: `The lock ends on ${momentText(unlocksAt)}. Nothing moves without your signature.`,
    parts: [
      'The lock on your stake ends soon. After that, you can withdraw the stake or leave it staked: nothing moves without your signature.',
      {
        kind: 'facts',
        facts: [
          ['Wallet', walletAddress],
          ['Staked', exactBd(amount, decimals)],
          ['Unlocks', momentText(unlocksAt)],
        ],
      },
      { kind: 'button', label: 'Open your position', url: `${origin}/my-position` },
      'A virtual card requires the stake for its tier. If you withdraw too much, the card is frozen.',
      { kind: 'link', label: 'Stop these reminders', url: stopUrl },
      REMINDER_NOTE,
    ],
  };
}

/** Does not name the wallet, because anyone could have entered the email address. */
export function confirmRemindersTemplate({
  url,
  validHours,
}: {
  readonly url: string;
  readonly validHours: number;
}): MailTemplate {
  return {
    subject: 'Confirm your reminders',
    topic: 'Staking',
    preheader: `The link is valid for ${validHours} hours.`,
    parts: [
      'Someone entered this address on the position page to get reminders before the lock on a BD stake ends. Confirm it to start the reminders.',
      { kind: 'button', label: 'Confirm this address', url },
      `The link is valid for ${validHours} hours.`,
      {
        kind: 'small',
        text: 'Not you? Ignore this email. We won’t send reminders unless you confirm. BlackDuck never asks for a seed phrase or a private key.',
      },
    ],
  };
}

export function stakeChangeTemplate(
  {
    walletAddress,
    occasion,
    signature,
    stopUrl,
  }: Pick<UnlockingStake, 'walletAddress' | 'stopUrl'> & {
    readonly occasion: string;
    readonly signature: string;
  },
  { origin }: Pick<MailContext, 'origin'>,
): MailTemplate {
  const isNew = occasion === 'staked';
  return {
    subject: isNew ? 'A BD stake was made for your wallet' : 'Your wallet withdrew a BD stake',
    topic: 'Staking',
    preheader: 'If you did not do this, check your wallet.',
    parts: [
      isNew
        ? 'A new stake was made for your wallet. Its lock begins now, and the lock on any earlier stake starts again.'
        : 'Your wallet withdrew a stake.',
      {
        kind: 'facts',
        facts: [
          ['Wallet', walletAddress],
          ['Transaction', signature],
        ],
      },
      { kind: 'button', label: 'Open your position', url: `${origin}/my-position` },
      // The staking program requires the signature of the payer, not of the wallet that the stake is for.
      `${isNew ? 'Not you? Anyone can stake their own BD for your wallet. But if the BD came from your wallet,' : 'Not you? Then'} someone else can sign with your wallet. Move its tokens to a new wallet, and never enter your seed phrase on a website.`,
      { kind: 'link', label: 'Stop these reminders', url: stopUrl },
      REMINDER_NOTE,
    ],
  };
}
