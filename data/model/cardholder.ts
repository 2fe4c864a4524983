import { PORTAL_LIMITS } from './portal-terms.ts';

/** What an issuer may ask a cardholder for, besides the name on the card. */
export const CARDHOLDER_FIELDS = [
  'firstName',
  'lastName',
  'dateOfBirth',
  'email',
  'phone',
  'acceptsTerms',
] as const;
export type CardholderField = (typeof CARDHOLDER_FIELDS)[number];

export interface Cardholder {
  readonly firstName: string;
  readonly lastName: string;
  /** `1990-12-31`. */
  readonly dateOfBirth: string;
  readonly email: string;
  /** `+442079460958`. */
  readonly phone: string;
  /** When (Unix ms) and from which IP address the holder accepted the cardholder terms. */
  readonly acceptedAt: number;
  readonly acceptedFrom: string;
}

/** Issuers accept Latin letters only. */
export const LEGAL_NAME_PATTERN = /^[\p{Script=Latin}][\p{Script=Latin}\p{M} .,'’-]*$/u;
/** A number in the international format, without spaces (E.164). */
export const PHONE_NUMBER_PATTERN = /^\+[1-9]\d{6,14}$/;

export const compactPhoneNumber = (text: string): string => text.replace(/[\s().-]/g, '');

const MAX_AGE_YEARS = 120;

/**
 * Whether someone with this date of birth (`1990-12-31`) is an adult, and younger than `MAX_AGE_YEARS`.
 * @param now Unix milliseconds
 */
export function isAdult(dateOfBirth: string, now: number): boolean {
  const birthdayAtAge = (age: number) => {
    const date = new Date(`${dateOfBirth}T00:00:00Z`);
    return date.setUTCFullYear(date.getUTCFullYear() + age);
  };
  return birthdayAtAge(PORTAL_LIMITS.minimumAgeYears) <= now && now < birthdayAtAge(MAX_AGE_YEARS);
}
