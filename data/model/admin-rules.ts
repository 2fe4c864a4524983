/** Rules for accounts of the team, the same in forms and on the server. */

/** Characters of the shortest password. */
export const PASSWORD_AT_LEAST = 6;
export const PASSWORD_TOO_SHORT = `Password must be at least ${PASSWORD_AT_LEAST} characters`;

export function isLongEnough(password: string): boolean {
  return Array.from(password).length >= PASSWORD_AT_LEAST;
}

export const COMMONEST_PASSWORD_WORDS =
  'This password is too easy to guess: it is among the most used ones, or names you or the portal. Choose another, such as several words.';

/** By what a username is found: two that look alike, or differ in case alone, are one. */
export function usernameKey(username: string): string {
  return username.normalize('NFKC').toLowerCase().normalize('NFKC');
}
