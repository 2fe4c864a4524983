/**
 * What people type into forms: cleaned of what cannot be seen at its ends, composed, and refused where it holds
 * characters that no one types, which would break or falsify a mail, a table or a log line.
 */

/**
 * White space, and characters that take no room: spaces of no width, joiners, the byte order mark, soft hyphens, marks
 * of direction, and the fillers of Hangul. Inside a word joiners belong to some scripts; at its ends they are nothing.
 */
const UNSEEN =
  '[\\s\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180E\\u200B-\\u200F\\u2060-\\u2064\\u3164\\uFEFF\\uFFA0]';
const UNSEEN_ENDS = new RegExp(`^${UNSEEN}+|${UNSEEN}+$`, 'gu');

/**
 * Control characters; separators of lines and paragraphs; marks that turn the direction of what follows; halves of
 * surrogate pairs; and code points that are no characters.
 */
const NEVER_TYPED = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069\p{Cs}\p{Noncharacter_Code_Point}]/u;

/** A text of one line as it is kept. */
export function cleanLine(text: string): string {
  return text.normalize('NFC').replace(UNSEEN_ENDS, '');
}

/** A text of several lines as it is kept: lines end with a line feed, whatever sent it. */
export function cleanLines(text: string): string {
  return cleanLine(text.replace(/\r\n?/g, '\n'));
}

/** Whether a text of one line holds nothing but what can be typed. */
export function isTypedLine(text: string): boolean {
  return !NEVER_TYPED.test(text);
}

/** The same for a text of several lines, which may hold line feeds and tabs. */
export function isTypedLines(text: string): boolean {
  return !NEVER_TYPED.test(text.replace(/[\n\t]/g, ' '));
}

/** How many characters a text has: code points, so that an emoji is not two. */
export function characterCount(text: string): number {
  return Array.from(text).length;
}

/** Said of a text that is longer than is read. */
export function tooLongWords(what: string, atMost: number): string {
  return `Shorten ${what}: ${atMost} characters are read.`;
}

/** Characters of the longest mail address (RFC 5321 section 4.5.3.1, as RFC 3696 erratum 1690 reckons it). */
export const LONGEST_MAIL_ADDRESS = 254;

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** The address that HTML's own mail field takes, with a dot in its domain; no quotes, no comments, no lists. */
const MAIL_ADDRESS = new RegExp(`^[a-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@${LABEL}(?:\\.${LABEL})+$`, 'i');

/** Whether a text is one mail address and nothing else. */
export function isMailAddress(text: string): boolean {
  return text.length <= LONGEST_MAIL_ADDRESS && MAIL_ADDRESS.test(text);
}

/** A Telegram name without the @ or the address that people copy with it. */
export function telegramName(text: string): string {
  return cleanLine(text).replace(/^(?:https?:\/\/)?(?:t|telegram)\.me\/|^@+/i, '');
}
