import { describe, expect, it } from 'vitest';
import { ORIGIN_PLACEHOLDER } from '../../data/contract/origin-placeholder.ts';
import { fillPdfOrigin } from './fill-origin.ts';

/** A PDF with these objects and their cross-reference table. Some of its bytes are not text. */
function pdfOf(objects: readonly string[]): Buffer {
  let text = '%PDF-1.7\n\xff\xfe\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}trailer\n<<>>\n`;
  return Buffer.from(`${text}${table}startxref\n${text.length}\n%%EOF\n`, 'latin1');
}

describe('a PDF after its origin is filled in', () => {
  it.each(['http://a.io', 'https://a-portal-with-a-long-name.members.example.com:8443'])(
    'equals the PDF that would have been built for %s',
    (origin) => {
      const pdfFor = (filledOrigin: string) =>
        pdfOf([
          '<</First 1>>',
          `<</URI (${filledOrigin}/disclaimer)>>`,
          `(\x80) (${filledOrigin}) (${filledOrigin}/)`,
          '<</Last 1>>',
        ]);
      expect(fillPdfOrigin(pdfFor(ORIGIN_PLACEHOLDER), origin)).toEqual(pdfFor(origin));
    },
  );
});
