/** Characters that a card has room for. */
export const HOLDER_NAME_LENGTH = { least: 2, most: 24 } as const;

/** As the server takes it. */
const LETTERS = /^[\p{L}\p{M} .'’-]+$/u;

/** What is wrong with a name for a card, and null where nothing is. */
export function holderNameFault(name: string): string | null {
  const trimmed = name.trim();
  if (trimmed === '') return 'Enter the name that the card shall bear.';
  if (trimmed.length < HOLDER_NAME_LENGTH.least)
    return `The name on the card needs ${HOLDER_NAME_LENGTH.least} characters at least.`;
  if (trimmed.length > HOLDER_NAME_LENGTH.most)
    return `The name on the card has room for ${HOLDER_NAME_LENGTH.most} characters.`;
  return LETTERS.test(trimmed)
    ? null
    : 'The name on the card takes letters, spaces, points, apostrophes and hyphens.';
}
