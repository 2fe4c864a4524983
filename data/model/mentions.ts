export const MAX_MENTIONS = 10;

/** A part of a text. `name` is null unless the part is a mention, such as `@grace`. */
interface TextPart {
  readonly text: string;
  readonly name: string | null;
  readonly start: number;
}

/**
 * Splits a text into mentions of these usernames and the text in between. If several usernames match, the longest one wins. A
 * username in an email address is not a mention.
 */
export function mentionParts(text: string, names: readonly string[]): readonly TextPart[] {
  if (names.length === 0) return [{ text, name: null, start: 0 }];
  const longestFirst = names.toSorted((a, b) => b.length - a.length);
  const alternatives = longestFirst.map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|');
  const mentionPattern = new RegExp(
    `(?<![\\p{L}\\p{N}_.+@\\-])@(?:${alternatives})(?![\\p{L}\\p{N}_@\\-]|\\.[\\p{L}\\p{N}])`,
    'giu',
  );
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: mentionText, index } of text.matchAll(mentionPattern)) {
    const lowerCaseName = mentionText.slice(1).toLowerCase();
    if (index > end) parts.push({ text: text.slice(end, index), name: null, start: end });
    const name = names.find((one) => one.toLowerCase() === lowerCaseName) ?? mentionText.slice(1);
    parts.push({ text: mentionText, name, start: index });
    end = index + mentionText.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), name: null, start: end });
  return parts;
}

export function mentionedAdmins<Admin extends { readonly username: string }>(
  text: string,
  admins: readonly Admin[],
): readonly Admin[] {
  const parts = mentionParts(
    text,
    admins.map(({ username }) => username),
  );
  const mentionedNames = new Set(parts.map(({ name }) => name));
  return admins.filter(({ username }) => mentionedNames.has(username));
}
