import { cleanLine } from '../../data/model/form-text.ts';

/** Characters of a kept name, with its ending. */
const LONGEST = 100;
const ENDINGS = { 'application/pdf': 'pdf', 'image/jpeg': 'jpg', 'image/png': 'png' } as const;
/** Types of document that are taken. */
export type DocumentType = keyof typeof ENDINGS;

/** Whatever no name of a file needs: controls, marks of direction and of no width, surrogates, and what systems reserve. */
const RESERVED = /[\p{C}\p{Zl}\p{Zp}<>:"|?*\\/%&;`$]/gu;

/**
 * The sender's name of a file, made harmless: its last part alone, without signs that a system, a page or a header could
 * take for something else, and with the ending of what the file is.
 */
export function harmlessFileName(sent: string, type: DocumentType): string {
  const last = sent.split(/[\\/]/).at(-1) ?? '';
  const clean = cleanLine(last.replaceAll(RESERVED, ' ')).replaceAll(/\s+/g, ' ');
  const stem = clean.replace(/\.[^.]{1,10}$/, '').replaceAll(/^[.\s-]+|[.\s]+$/g, '');
  const ending = ENDINGS[type];
  const short = Array.from(stem)
    .slice(0, LONGEST - ending.length - 1)
    .join('')
    .trimEnd();
  return `${short === '' ? 'document' : short}.${ending}`;
}
