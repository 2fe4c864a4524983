/*
 * Text typed into forms. It is stored in NFC and without invisible characters at its ends. Text with characters that nobody
 * types is rejected, because they could break or forge an email, a table or a log line.
 */

/**
 * White space and zero-width characters: zero-width spaces, joiners, the byte order mark, soft hyphens, direction marks
 * and Hangul fillers. They are removed at the ends only: some scripts need joiners inside a word.
 */
const INVISIBLE =
  '\\s\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180E\\u200B-\\u200F\\u2060-\\u2064\\u3164\\uFEFF\\uFFA0';
/** The text from the first to the last visible character. A trimming pattern such as `\s+$` would take quadratic time. */
const VISIBLE_PART = new RegExp(`[^${INVISIBLE}](?:[^]*[^${INVISIBLE}])?`, 'u');

/** More combining marks in a row than any language needs (UAX #15, section 13). Normalizing them takes quadratic time. */
const TOO_MANY_MARKS = /\p{M}{31}/u;

/** Control characters, line and paragraph separators, direction overrides, lone surrogates and noncharacters. */
const NEVER_TYPED = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069\p{Cs}\p{Noncharacter_Code_Point}]/u;

/** A Solana address: 32 bytes in base58. */
export const SOLANA_ADDRESS_PATTERN = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Cleans one line of text for storage: removes invisible characters at its ends, and normalizes it to NFC. */
export function cleanLine(text: string): string {
  const visiblePart = VISIBLE_PART.exec(text)?.[0] ?? '';
  return TOO_MANY_MARKS.test(visiblePart) ? visiblePart : visiblePart.normalize('NFC');
}

/** Cleans several lines of text for storage, and separates them with line feeds. */
export function cleanLines(text: string): string {
  return cleanLine(text.replace(/\r\n?/g, '\n'));
}

export function isTypableLine(text: string): boolean {
  return !NEVER_TYPED.test(text) && !TOO_MANY_MARKS.test(text);
}

/** Whether several lines of text contain only characters that people type, including line feeds and tabs. */
export function areTypableLines(text: string): boolean {
  return isTypableLine(text.replace(/[\n\t]/g, ' '));
}

/** The length in code points. An emoji counts as one character. */
export function characterCount(text: string): number {
  return Array.from(text).length;
}

/** In characters. Source: RFC 5321, section 4.5.3.1, and RFC 3696, erratum 1690. */
export const MAX_MAIL_ADDRESS_LENGTH = 254;

const DOMAIN_LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/**
 * Like the pattern of `<input type="email">` in HTML, but the domain must have a dot. Excludes quotes, comments and lists.
 */
const MAIL_ADDRESS = new RegExp(
  `^[a-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@${DOMAIN_LABEL}(?:\\.${DOMAIN_LABEL})+$`,
  'i',
);

export function isMailAddress(text: string): boolean {
  return text.length <= MAX_MAIL_ADDRESS_LENGTH && MAIL_ADDRESS.test(text);
}

/** A Telegram username without the `@` or `https://t.me/` that people often copy with it. */
export function telegramName(text: string): string {
  return cleanLine(text).replace(/^(?:https?:\/\/)?(?:t|telegram)\.me\/|^@+/i, '');
}
