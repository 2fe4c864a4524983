import {
  DOCUMENT_BYTES,
  LOAN_FILES,
  LOAN_WORDS,
  type LoanFile,
  tooLargeWords,
} from '../../../data/model/loan-application-rules.ts';

/** What the picker offers. */
export const ACCEPTED = 'image/*,application/pdf';

const TAKEN = new Set(['application/pdf', 'image/jpeg', 'image/png']);
/** What systems say of a file that they do not know: it may be any of the three. */
const UNKNOWN = new Set(['', 'application/octet-stream']);

/** What is wrong with a chosen file as far as a page can tell; the server looks at what it holds. */
export function fileFault(field: LoanFile, file: Pick<File, 'size' | 'type'> | null): string | null {
  if (file === null) return LOAN_WORDS[field];
  if (file.size === 0) return `The ${LOAN_FILES[field]} is empty: choose another file`;
  if (file.size > DOCUMENT_BYTES) return tooLargeWords(field);
  if (!TAKEN.has(file.type) && !UNKNOWN.has(file.type))
    return `The ${LOAN_FILES[field]} is no PDF, JPEG or PNG: choose another file`;
  return null;
}

/** `9.4 MB`, `312 kB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const megabytes = bytes / 1_000_000;
  return megabytes < 0.9995 ? `${Math.round(bytes / 1_000)} kB` : `${megabytes.toFixed(1)} MB`;
}

const SIGN = ' | ';

/** A file in words that can be kept in a draft: by them the same file is known again. */
export function fileMark({ name, size, lastModified }: Pick<File, 'name' | 'size' | 'lastModified'>): string {
  return [size, lastModified, name].join(SIGN);
}

/** The name in such words; null where there are none. */
export function markedName(mark: string): string | null {
  return mark.split(SIGN).slice(2).join(SIGN) || null;
}
