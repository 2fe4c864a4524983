import { SERVICE_TIMES } from '../portal-terms.ts';
import { choiceValues, type FormSpec } from './field.ts';

const CATEGORY_LABELS = {
  'virtual-card': 'Virtual card',
  staking: 'Staking',
  technical: 'Technical',
  account: 'Account',
  general: 'General',
} as const;

export const CONTACT_CATEGORIES = choiceValues(CATEGORY_LABELS);

export const CONTACT_FORM = {
  name: 'contact',
  fields: {
    name: {
      kind: 'line',
      label: 'Name',
      autoComplete: 'name',
      missing: 'Please enter your name',
      halfWidth: true,
      hasOwnColumn: true,
    },
    email: {
      kind: 'email',
      label: 'Email',
      missing: 'Please enter your email address',
      halfWidth: true,
      hasOwnColumn: true,
    },
    subject: {
      kind: 'line',
      label: 'Subject',
      optional: true,
      maxLength: 150,
      halfWidth: true,
      hasOwnColumn: true,
    },
    category: {
      kind: 'choice',
      label: 'Category',
      optional: true,
      options: CATEGORY_LABELS,
      halfWidth: true,
      hasOwnColumn: true,
    },
    message: {
      kind: 'lines',
      label: 'Message',
      missing: 'Please write your message',
      maxLength: 4_000,
      rows: 6,
    },
    walletAddress: {
      kind: 'wallet',
      label: 'Wallet address (Solana)',
      teamLabel: 'Wallet',
      optional: true,
      hasOwnColumn: true,
    },
  },
} as const satisfies FormSpec;

/** These texts are from the specification. */
export const CONTACT_TEXTS = {
  missing: {
    title: 'Required Fields Missing',
    text: 'Please fill in your name, email, and message before submitting.',
  },
  sent: {
    title: 'Message Sent Successfully!',
    text: `We'll respond within ${SERVICE_TIMES.emailHours} hours.`,
  },
  failed: { title: 'Message Failed', text: 'Please try again or contact us directly via email' },
  sending: 'Sending Message...',
} as const;
