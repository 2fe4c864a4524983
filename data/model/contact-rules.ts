import { FIELD_WORDS } from './application-rules.ts';
import { characterCount, cleanLine, isMailAddress, tooLongWords } from './form-text.ts';

/** The rules of the contact form, in the words that people read: the page and the server keep the same. */

/** Characters at most. */
export const LONGEST_IN_CONTACT = { name: 120, subject: 150, message: 4_000, walletAddress: 64 } as const;

export const CONTACT_WORDS = {
  missing: {
    title: 'Required Fields Missing',
    text: 'Please fill in your name, email, and message before submitting.',
  },
  sent: { title: 'Message Sent Successfully!', text: "We'll respond within 24 hours." },
  failed: { title: 'Message Failed', text: 'Please try again or contact us directly via email' },
  sending: 'Sending Message...',
} as const;

/** Said of a message that lacks its name, its mail address or its words. */
export const CONTACT_FIELDS_MISSING = `${CONTACT_WORDS.missing.title}: ${CONTACT_WORDS.missing.text}`;

export type ContactField = 'name' | 'email' | 'subject' | 'category' | 'message' | 'walletAddress';

export interface ContactFault {
  readonly field: ContactField;
  /** What to do about it. */
  readonly words: string;
  /** Whether it is left out, and has to be there. */
  readonly isMissing: boolean;
}

/** Base58 of 32 bytes. */
const WALLET = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

const NEEDED = [
  ['name', 'Please enter your name'],
  ['email', 'Please enter your email address'],
  ['message', 'Please write your message'],
] as const;

/** What is wrong with a message as it was typed, in the order of the form; none where it can be sent. */
export function contactFaults(values: Readonly<Record<ContactField, string>>): readonly ContactFault[] {
  const typed = (field: ContactField) => cleanLine(values[field]);
  const fault = (field: ContactField, words: string) => ({ field, words, isMissing: false });
  const missing = NEEDED.filter(([field]) => typed(field) === '').map(([field, words]) => ({
    field,
    words,
    isMissing: true,
  }));
  const long = (['name', 'subject', 'message'] as const)
    .filter((field) => characterCount(typed(field)) > LONGEST_IN_CONTACT[field])
    .map((field) => fault(field, tooLongWords(`the ${field}`, LONGEST_IN_CONTACT[field])));
  const email = typed('email');
  const wallet = typed('walletAddress');
  const order: readonly ContactField[] = ['name', 'email', 'subject', 'category', 'message', 'walletAddress'];
  return [
    ...missing,
    ...long,
    ...(email === '' || isMailAddress(email) ? [] : [fault('email', FIELD_WORDS.email)]),
    ...(wallet === '' || WALLET.test(wallet) ? [] : [fault('walletAddress', FIELD_WORDS.walletAddress)]),
  ].toSorted((a, b) => order.indexOf(a.field) - order.indexOf(b.field));
}
