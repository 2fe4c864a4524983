/**
 * Whether a PDF is one and nothing else besides, by its outline: header, cross-reference, trailer (ISO 32000-1 section
 * 7.5). Nothing in it is unpacked or run, so that a hostile one costs no more than its length.
 */

export type PdfFault = 'damaged' | 'encrypted' | 'polyglot';

const HEADER = /^%PDF-[12]\.\d[\s%]/;
/** The last cross-reference, and after the end mark nothing but white space. */
const END = /startxref\s+(\d{1,10})\s+%%EOF[\s\0]*$/;
/** A cross-reference table, or the object of a cross-reference stream. */
const CROSS_REFERENCE = /^\s*(?:xref\s|\d{1,10}\s+\d{1,5}\s+obj\b)/;
/** Bytes of the end in which the last cross-reference is named. */
const END_BYTES = 1_024;

/** What browsers and mail programs take for a page, wherever it stands. */
const MARKUP = /<(?:!doctype\s+html|html|script|iframe|body|object|embed|svg)[\s/>]/i;
/** End of a ZIP's directory; its comment, and so what may follow it, is shorter than 65,536 bytes. */
const ZIP_END = 'PK\x05\x06';
const ZIP_END_WITHIN = 65_536 + 22;

/** A name in a PDF may have any of its characters written as a number sign and two hexadecimal digits. */
const anyWriting = (name: string) =>
  [...name]
    .map((sign) => {
      const code = sign.charCodeAt(0).toString(16);
      return `(?:${sign}|#${[...code].map((digit) => `[${digit}${digit.toUpperCase()}]`).join('')})`;
    })
    .join('');
/** What ends a name: white space, of which a PDF has the zero byte too, a comment, or the value itself. */
const ENCRYPTION = new RegExp(`/${anyWriting('Encrypt')}(?=[\\s\\0%/<\\d])`);
const ROOT = new RegExp(`/${anyWriting('Root')}(?=[\\s\\0%\\d])`);

/** What is wrong with the bytes of a file that begins as a PDF does; null where nothing is. */
export function pdfFault(bytes: Buffer): PdfFault | null {
  const text = bytes.toString('latin1');
  if (!HEADER.test(text)) return 'damaged';
  if (text.indexOf(ZIP_END, text.length - ZIP_END_WITHIN) >= 0 || MARKUP.test(text)) return 'polyglot';
  const end = END.exec(text.slice(-END_BYTES));
  // Where there is an end mark, and something after it, the file is meant to be read as something else too.
  if (end === null)
    return /%%EOF[\s\0]*\S/.test(text.slice(text.lastIndexOf('%%EOF'))) ? 'polyglot' : 'damaged';
  const at = Number(end[1]);
  if (at >= text.length || !CROSS_REFERENCE.test(text.slice(at, at + 64)) || !ROOT.test(text))
    return 'damaged';
  return ENCRYPTION.test(text) ? 'encrypted' : null;
}
