// @module-tag slow
import { createCipheriv } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { deflateSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import { describe, expect, it } from 'vitest';
import type { ApiError } from '../errors.ts';
import { readDocument } from './read-document.ts';
import { samplePdf } from './testing/sample-documents.ts';

const rejection = (bytes: Buffer): Promise<ApiError | null> =>
  readDocument({ name: 'passport.pdf', bytes }, 'passport copy').then(
    () => null,
    (error) => error,
  );

const pdfWithObject = (text: string) => samplePdf({ inside: `9 0 obj\n${text}\nendobj\n` });
const pdfWithCatalog = (entries: string) => samplePdf({ catalog: entries });

function stream(entries: string, data: Buffer, start = '8 0 obj'): string {
  return `${start}\n<< ${entries} /Length ${data.length} >>\nstream\n${data.toString('latin1')}\nendstream\nendobj\n`;
}
const pdfWithStream = (entries: string, data: Buffer) => samplePdf({ inside: stream(entries, data) });
const pdfWithCompressed = (text: string, entries = OBJECT_STREAM_ENTRIES) =>
  pdfWithStream(entries, deflateSync(text));

const OBJECT_STREAM_ENTRIES = '/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode';
const LAUNCH = '<< /S /Launch /F (cmd.exe) >>';
const SCRIPT = '<< /S /JavaScript /JS (app.alert(1)) >>';
const COMPRESSED_SCRIPT = deflateSync(`9 0 ${SCRIPT}`);

describe('a harmful or damaged PDF (ASVS 5.2.2)', () => {
  const scripts = 'scripts';
  const launch = 'an action that starts a program';
  const files = 'attached files';

  it.each<[string, string, Buffer]>([
    ['that runs a script when it opens', scripts, pdfWithCatalog(`/OpenAction ${SCRIPT}`)],
    ['with a list of scripts', scripts, pdfWithCatalog('/Names << /JavaScript 9 0 R >>')],
    ['with a script in an object of its own', scripts, pdfWithObject('<< /JS 10 0 R /S/JavaScript>>')],
    ['with a script named in hexadecimal escapes', scripts, pdfWithCatalog('/AA << /S /#4aava#53cript >>')],
    ['with a script without a type', scripts, pdfWithObject('<</JS(app.alert(1))>>')],
    [
      'with a script without a type, in hexadecimal digits',
      scripts,
      pdfWithObject('<</#4A#53 %\n<6170702e>>>'),
    ],
    [
      'with an XFA form, which is a program',
      scripts,
      pdfWithCatalog('/AcroForm << /XFA [(template) 9 0 R] >>'),
    ],
    ['with a rendition', scripts, pdfWithObject('<< /S /Rendition /OP 0 >>')],
    ['that starts a program when it opens', launch, pdfWithCatalog(`/OpenAction ${LAUNCH}`)],
    ['with a link that starts a program', launch, pdfWithObject(`<< /Subtype /Link /A ${LAUNCH} >>`)],
    ['with attached files', files, pdfWithCatalog('/Names << /EmbeddedFiles << /Names [(a) 9 0 R] >> >>')],
    ['with an attached file without a type', files, pdfWithObject('<< /F (a.exe) /EF%x\n<< /F 10 0 R >> >>')],
    ['with an attached file after comments', files, pdfWithObject('<< /F (a.exe) /EF%\n%x\n9 0 R >>')],
    [
      'with an attached file after a long comment',
      files,
      pdfWithObject(`<< /F (a) /EF %${'x'.repeat(999)}\n9 0 R >>`),
    ],
    ['with a reference to an attached file', files, pdfWithObject('<< /F (a.exe) /EF 10 0 R >>')],
    ['with an attached file in a note', files, pdfWithObject('<< /Subtype /FileAttachment /FS 8 0 R >>')],
    ['with a compressed script', scripts, pdfWithCompressed(`9 0 ${SCRIPT}`)],
    ['with a compressed action', launch, pdfWithCompressed(`9 0 ${LAUNCH}`)],
    [
      'with a compressed attachment',
      files,
      pdfWithCompressed('9 0 << /Type /Filespec /EF << /F 8 0 R >> >>'),
    ],
    [
      'with a compressed script in a stream without a type',
      scripts,
      pdfWithCompressed(`9 0 ${SCRIPT}`, '/First 4 /Filter [ /FlateDecode ]'),
    ],
    [
      'with a compressed script in a stream without an offset',
      scripts,
      pdfWithCompressed(`9 0 ${SCRIPT}`, '/N 1 /Filter /FlateDecode'),
    ],
    [
      'with a compressed script in a stream with keys in hexadecimal escapes',
      scripts,
      pdfWithCompressed(`9 0 ${SCRIPT}`, '/#54ype /Obj#53tm /#46irst 4 /#46ilter /Flate#44ecode'),
    ],
    [
      'with a compressed script after misleading strings',
      scripts,
      pdfWithCompressed(`9 0 ${SCRIPT}`, `/X (>> stream\n\\)( )) /Y <obj (> ${OBJECT_STREAM_ENTRIES}`),
    ],
    [
      'with a compressed script after misplaced keywords',
      scripts,
      pdfWithCompressed(`9 0 ${SCRIPT}`, `endobj ${OBJECT_STREAM_ENTRIES} stream\n`),
    ],
    [
      'with a compressed script in another stream',
      scripts,
      pdfWithStream('', Buffer.from(stream(OBJECT_STREAM_ENTRIES, COMPRESSED_SCRIPT), 'latin1')),
    ],
    [
      'with a compressed script after comments',
      scripts,
      samplePdf({ inside: stream(OBJECT_STREAM_ENTRIES, COMPRESSED_SCRIPT, '8%\n0%\nobj%') }),
    ],
    ...['5 0%x\n obj', '5 000000000000000000000 obj', '5 +0 obj'].map((start): [string, string, Buffer] => [
      `with a compressed script in an object that starts with ${JSON.stringify(start)}`,
      scripts,
      samplePdf({ inside: stream(OBJECT_STREAM_ENTRIES, COMPRESSED_SCRIPT, start) }),
    ]),
    [
      'with a compressed script in the second of two streams',
      scripts,
      samplePdf({
        inside:
          stream(OBJECT_STREAM_ENTRIES, deflateSync('8 0 <<>>')) +
          stream(OBJECT_STREAM_ENTRIES, COMPRESSED_SCRIPT),
      }),
    ],
    [
      'with a script at the boundary of two search slices',
      scripts,
      pdfWithObject(`${'x'.repeat(262_144 - 110)} << /S /JavaScript >>`),
    ],
  ])('%s is rejected with the reason', async (_case, content, bytes) => {
    const { code, message } = (await rejection(bytes)) ?? {};
    expect([code, message?.includes(`passport copy contains ${content},`)]).toEqual([
      'document-active',
      true,
    ]);
  });

  it.each([
    ['another filter', pdfWithCompressed('', '/N 1 /First 5 /Filter /LZWDecode')],
    ['two filters', pdfWithCompressed('', '/N 1 /First 5 /Filter [/ASCIIHexDecode /FlateDecode]')],
    ['a filter twice', pdfWithCompressed('', '/N 1 /First 5 /Filter /FlateDecode /Filter /LZWDecode')],
    ['a reference to a filter', pdfWithCompressed('', '/N 1 /First 5 /Filter 9 0 R')],
    ['a predictor', pdfWithCompressed('', `${OBJECT_STREAM_ENTRIES} /DecodeParms << /Predictor 12 >>`)],
    ['data that cannot be decompressed', pdfWithStream(OBJECT_STREAM_ENTRIES, Buffer.from('not compressed'))],
    ['a decompression bomb', pdfWithStream(OBJECT_STREAM_ENTRIES, deflateSync(Buffer.alloc(40_000_000)))],
    [
      'two decompression bombs',
      samplePdf({ inside: stream(OBJECT_STREAM_ENTRIES, deflateSync(Buffer.alloc(9_000_000))).repeat(2) }),
    ],
    ['no end', samplePdf({ inside: '9 0 obj <<'.repeat(500_000) })],
  ])('is rejected as damaged if its compressed objects have %s', async (_case, bytes) => {
    expect((await rejection(bytes))?.code).toBe('document-damaged');
  });

  it.each([
    '1 0 obj(',
    '1 0 obj<',
    '1 0 obj<<',
    '1 0 obj(\\',
    '%',
    ' ',
    '/EF ',
    '/EF %',
    '%/JS \n',
    '/JS 1 ',
    '\n0 obj<</N 1>>stream\n',
    '\n  obj',
    `x${'0'.repeat(100)}  obj`,
  ])(
    'is checked in at most three seconds of processor time, even if a megabyte of it repeats %j',
    async (part) => {
      const bytes = samplePdf({ inside: part.repeat(1_000_000 / part.length) });
      const cpuStart = process.cpuUsage();
      await rejection(bytes);
      expect(process.cpuUsage(cpuStart).user / 1_000).toBeLessThan(3_000);
    },
  );
});

describe('a harmless PDF', () => {
  /** Bytes that look like a compressed image, and are the same in every run. */
  const pixels = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(
    Buffer.alloc(8_000_000),
  );

  it.each([
    ['that opens at a page', pdfWithCatalog('/OpenAction [3 0 R /XYZ 0 0 1]')],
    ['with bookmarks and links', pdfWithObject('<< /First 8 0 R /A << /S /URI /URI (https://a) >> >>')],
    ['with compressed objects', pdfWithCompressed('9 0 << /Type /Font /EFX 1 /Launched true /JSON (x) >>')],
    ['with a color profile', pdfWithCompressed('profile', '/N 3 /Alternate /DeviceRGB /Filter /FlateDecode')],
    ['with text about scripts', pdfWithCatalog('/Lang (en JavaScript /Launcher)')],
    ['with a large picture', pdfWithStream('/Subtype /Image /Filter /DCTDecode', pixels)],
    [
      'with bytes that look like names',
      pdfWithStream('', Buffer.from('/JS(\x01\x02\x03\x04 /EF \x01 /XFA \x01 /JS<zz', 'latin1')),
    ],
  ])('%s is accepted', async (_case, bytes) => {
    expect(await rejection(bytes)).toBeNull();
  });

  it('written by a library is accepted', async () => {
    const sheet = new PDFDocument({ info: { Title: 'Loan note' } });
    sheet.text('Terms').link(0, 0, 10, 10, 'https://example.com');
    sheet.end();
    expect(await rejection(await buffer(sheet))).toBeNull();
  });
});
