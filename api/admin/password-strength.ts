import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { latinLookAlike, removeInvisibleCharacters } from '../../data/model/look-alikes.ts';

/*
 * Estimates how easy a password is to guess. Loading the estimator would make startup 10% slower, so `passwords.ts` loads it
 * only when the first new password is checked.
 */

/** A password must withstand at least this many guesses. Six random characters are enough. */
const MIN_GUESSES = 1_000_000;

/** The estimate uses at most this many characters of a password. Estimating more would block other requests. */
const MAX_ESTIMATED_LENGTH = 64;

/** Common words that the estimator's dictionary lacks: crypto words, account words and Russian words. */
const MORE_WORDS =
  'bitcoin ethereum solana crypto hodl hodler satoshi dogecoin blockchain phantom streamflow wallet staking binance coinbase metamask tothemoon root login пароль йцукен';

const PORTAL_NAMES = ['blackduck', 'blackduckrwa', 'blackduckportal', 'duckling', 'bdtoken', 'adminsetup'];

const COMMON_PASSWORDS: ReadonlySet<string> = new Set(dictionary['passwords-common']);

const estimator = new ZxcvbnFactory({
  dictionary: { ...dictionary, more: MORE_WORDS.split(' ') },
  graphs: adjacencyGraphs,
  maxLength: MAX_ESTIMATED_LENGTH,
});

const latinText = (text: string) =>
  latinLookAlike(text)
    .toLowerCase()
    .replace(/[\p{Z}\p{Pd}\p{Pc}.,:;/~*'"]/gu, '');

/** Whether a password is common, repetitive, a sequence, a keyboard pattern, or based on a name of the portal or the user. */
export function isGuessable(password: string, username: string): boolean {
  // Repeated spaces count as one, and invisible characters do not count.
  const visiblePassword = removeInvisibleCharacters(password.normalize('NFKC'))
    .replace(/[\p{Z}\s]+/gu, ' ')
    .trim();
  if (COMMON_PASSWORDS.has(visiblePassword.toLowerCase())) return true;

  const latinPassword = latinText(visiblePassword);
  const names = [...PORTAL_NAMES, latinText(username), ...username.split(/\P{L}+/u).map(latinText)];
  const letters = latinPassword.replace(/\P{L}/gu, '');
  if (names.includes(letters)) return true;

  if (estimator.check(visiblePassword, names).guesses < MIN_GUESSES) return true;
  const latinEstimate = estimator.check(latinPassword, names);
  const containsName = latinEstimate.sequence.some((match) => match.dictionaryName === 'userInputs');
  return containsName && latinEstimate.guesses < MIN_GUESSES;
}
