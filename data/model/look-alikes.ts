import unhomoglyph from 'unhomoglyph';

/**
 * Control characters, zero-width characters, fillers, and the Braille pattern without dots, which Unicode
 * counts as a symbol.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/gu;

export function removeInvisibleCharacters(text: string): string {
  return text.replace(INVISIBLE, '');
}

/** Replaces letters of other alphabets with the Latin letters that they look like, and removes accents: `Аdá` becomes `Ada`. */
export function latinLookAlike(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\P{ASCII}+/gu, unhomoglyph)
    .replace(/\p{M}/gu, '');
}

/** The skeleton as defined by Unicode's UTS #39, without spaces. Texts that look alike have the same skeleton. */
function skeleton(text: string): string {
  return unhomoglyph(removeInvisibleCharacters(text).normalize('NFKD'))
    .normalize('NFKD')
    .replace(/\p{Z}/gu, '');
}

/** Whether two usernames can be mistaken for each other, as typed or in lower case. */
export function looksLike(one: string, other: string): boolean {
  return (
    skeleton(one).toLowerCase() === skeleton(other).toLowerCase() ||
    skeleton(one.toLowerCase()) === skeleton(other.toLowerCase())
  );
}

/** Names of programs, roles and the portal. A user with such a name could be mistaken for one of them. */
const RESERVED_NAMES =
  'admin administrator root superuser sysadmin system operator visitor issuer owner reviewer viewer team support help security moderator blackduck blackduckrwa portal duckling telegram stripe';

export function isReservedName(username: string): boolean {
  return RESERVED_NAMES.split(' ').some((reserved) => looksLike(reserved, username));
}
