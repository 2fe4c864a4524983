/** Whether a text contains a name as whole words. By default, case is ignored. */
export function hasName(text: string, name: string, flags: 'iu' | 'u' = 'iu'): boolean {
  const literal = name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, flags).test(text);
}
