/** The rule of a field that only must not be empty. */
export function required(words: string): (value: string) => string | null {
  return (value) => (value === '' ? words : null);
}
