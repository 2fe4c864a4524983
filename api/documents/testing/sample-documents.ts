import { crc32, deflateSync } from 'node:zlib';

interface PdfParts {
  /** Inserted between the last object and the cross-reference table. */
  readonly inside?: string;
  /** Additional entries for the trailer. */
  readonly trailer?: string;
  /** Additional entries for the catalog. */
  readonly catalog?: string;
  /** Additional entries for the page. */
  readonly page?: string;
  readonly pages?: number;
  /** Replaces the correct offset of the cross-reference table. */
  readonly startxref?: number;
}

export function samplePdf({
  inside = '',
  trailer = '',
  catalog = '',
  page = '',
  pages = 1,
  startxref,
}: PdfParts = {}): Buffer {
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Kids [${Array(pages).fill('3 0 R').join(' ')}] /Count ${pages} >>`,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] ${page} >>`,
  ];
  let text = '%PDF-1.7\n%âãÏÓ\n';
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(text.length);
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  text += inside;
  const xrefOffset = text.length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join('')}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${startxref ?? xrefOffset}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

function chunk(type: string, data: Buffer): Buffer {
  const typeAndData = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const lengthAndChecksum = Buffer.alloc(8);
  lengthAndChecksum.writeUInt32BE(data.length, 0);
  lengthAndChecksum.writeUInt32BE(crc32(typeAndData), 4);
  return Buffer.concat([lengthAndChecksum.subarray(0, 4), typeAndData, lengthAndChecksum.subarray(4)]);
}

/** A black PNG with one bit per pixel, so that many pixels take few bytes. */
export function blankPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(1, 8);
  const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * height);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
