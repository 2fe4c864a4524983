/** The columns of records that name their person, with their tables. */
export const NAMING_COLUMNS = [
  ['card_applications', 'name'],
  ['card_applications', 'email'],
  ['verification_requests', 'email'],
  ['contact_messages', 'name'],
  ['contact_messages', 'email'],
  ['loan_applications', 'name'],
  ['loan_applications', 'email'],
] as const;

/** Whether a text has a name as whole words. */
export function hasName(text: string, name: string): boolean {
  const literal = name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'iu').test(text);
}
