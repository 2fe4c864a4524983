import { characterCount, isMailAddress } from './form-text.ts';

/** The rules of the forms about cards, in the words that people read: the screens and the server keep the same. */

/** Characters at most, where the words of a rule do not say it. */
export const LONGEST = {
  /** A name of a person, whole. */
  name: 120,
  /** One part of it. */
  namePart: 60,
  phone: 40,
  telegram: 64,
  /** The alias of the first form. */
  cardAlias: 60,
  notes: 2_000,
  claimedAmount: 100,
  reason: 2_000,
  evidence: 4_000,
  detection: 300,
  amount: 40,
  tier: 20,
} as const;

/** How long the alias of the second form is. */
export const ALIAS_LENGTH = { atLeast: 3, atMost: 20 } as const;

/** The shortest first and last name, phone number, and reason of a request. */
export const SHORTEST = { namePart: 2, phone: 10, reason: 10, walletAddress: 32 } as const;

/** What a field says where its value is not what it takes. */
export const FIELD_WORDS = {
  firstName: 'First name must be at least 2 characters',
  lastName: 'Last name must be at least 2 characters',
  email: 'Please enter a valid email address',
  phoneNumber: 'Please enter a valid phone number',
  aliasTooShort: 'Alias must be at least 3 characters',
  aliasTooLong: 'Alias must be less than 20 characters',
  walletAddress: 'Valid wallet address required',
  userEmail: 'Valid email address required',
  claimedStakedAmount: 'Please specify the amount you have staked',
  requestReason: 'Please provide a detailed reason (minimum 10 characters)',
} as const;

/** The fault of a mail address, or null. */
export function mailFault(email: string): string | null {
  return isMailAddress(email) ? null : FIELD_WORDS.email;
}

/** The fault of a phone number, or null. */
export function phoneFault(phone: string): string | null {
  return characterCount(phone) < SHORTEST.phone ? FIELD_WORDS.phoneNumber : null;
}

/** The fault of the second form's alias, or null. */
export function aliasFault(alias: string): string | null {
  const length = characterCount(alias);
  if (length < ALIAS_LENGTH.atLeast) return FIELD_WORDS.aliasTooShort;
  return length > ALIAS_LENGTH.atMost ? FIELD_WORDS.aliasTooLong : null;
}

/** What the short form of a request sends, which asks for no amount and no reason of its own. */
export const INLINE_REQUEST = {
  claimedStakedAmount: 'Unable to specify - requesting manual verification',
  requestReason: 'Manual verification requested through inline form',
} as const;

/** The fault of a request's reason, or null. What the short form took for evidence is the reason of its request. */
export function reasonFault(reason: string, claimedStakedAmount: string): string | null {
  const atLeast = claimedStakedAmount === INLINE_REQUEST.claimedStakedAmount ? 1 : SHORTEST.reason;
  return characterCount(reason) < atLeast ? FIELD_WORDS.requestReason : null;
}
