/*
 * Checks a PDF's structure: header, cross-reference and trailer (ISO 32000-1, section 7.5). It decompresses and runs nothing, so
 * the cost of a hostile file is linear in its length.
 */

type PdfError = 'damaged' | 'encrypted' | 'polyglot';

const HEADER = /^%PDF-[12]\.\d[\s%]/;
/** Matches the offset of the last cross-reference and the end mark. Only white space may follow. */
const END = /startxref\s+(\d{1,10})\s+%%EOF[\s\0]*$/;
/** Matches the start of a cross-reference table, or of the object of a cross-reference stream. */
const CROSS_REFERENCE = /^\s*(?:xref\s|\d{1,10}\s+\d{1,5}\s+obj\b)/;
/** The offset of the last cross-reference is within this many bytes of the end of the file. */
const END_BYTES = 1_024;

/** Markup that makes browsers and mail programs treat a file as a web page. */
const MARKUP = /<(?:!doctype\s+html|html|script|iframe|body|object|embed|svg)[\s/>]/i;
/** The signature of a ZIP file's last record. Only a comment of less than 65,536 bytes can follow that record. */
const ZIP_END = 'PK\x05\x06';
const MAX_ZIP_END_BYTES = 65_536 + 22;

/** A pattern for a PDF name. Any character of the name can be written as a number sign and two hexadecimal digits. */
export const pdfNamePattern = (name: string) =>
  [...name]
    .map((character) => {
      const code = character.charCodeAt(0).toString(16);
      return `(?:${character}|#${[...code].map((digit) => `[${digit}${digit.toUpperCase()}]`).join('')})`;
    })
    .join('');
/** A name ends at white space (including the zero byte), at a comment or at its value. */
const ENCRYPTION = new RegExp(`/${pdfNamePattern('Encrypt')}(?=[\\s\\0%/<\\d])`);
const ROOT = new RegExp(`/${pdfNamePattern('Root')}(?=[\\s\\0%\\d])`);

export function pdfError(bytes: Buffer): PdfError | null {
  const text = bytes.toString('latin1');
  if (!HEADER.test(text)) return 'damaged';
  if (text.indexOf(ZIP_END, text.length - MAX_ZIP_END_BYTES) >= 0 || MARKUP.test(text)) return 'polyglot';
  const end = END.exec(text.slice(-END_BYTES));
  // With content after its end mark, a file can also be read as another type.
  if (end === null) {
    return /%%EOF[\s\0]*\S/.test(text.slice(text.lastIndexOf('%%EOF'))) ? 'polyglot' : 'damaged';
  }
  const crossReferenceOffset = Number(end[1]);
  if (
    crossReferenceOffset >= text.length ||
    !CROSS_REFERENCE.test(text.slice(crossReferenceOffset, crossReferenceOffset + 64)) ||
    !ROOT.test(text)
  ) {
    return 'damaged';
  }
  return ENCRYPTION.test(text) ? 'encrypted' : null;
}
