import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { deflateSync } from 'node:zlib';
import { assert, property, string } from 'fast-check';
import PDFDocument from 'pdfkit';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { ApiError } from '../errors.ts';
import { findActiveContent } from './pdf-active-content.ts';
import { harmlessFileName, readDocument } from './read-document.ts';
import { blankPng, samplePdf } from './testing/sample-documents.ts';

const read = (bytes: Buffer, name = 'passport.pdf') => readDocument({ name, bytes }, 'passport copy');
const pdf = samplePdf();

/** Null if it is accepted. */
const refusal = (bytes: Buffer): Promise<ApiError | null> =>
  read(bytes).then(
    () => null,
    (error) => error,
  );

describe('a PDF', () => {
  it('is stored unchanged, including white space after its end', async () => {
    expect(await read(pdf)).toEqual({ fileName: 'passport.pdf', mediaType: 'application/pdf', bytes: pdf });
    const padded = Buffer.concat([pdf, Buffer.from('\r\n \0\n')]);
    expect((await read(padded)).bytes).toEqual(padded);
  });

  it('is recognized by its content, not by its name', async () => {
    const document = await read(pdf, 'holiday.jpeg');
    expect(document).toMatchObject({ fileName: 'holiday.pdf', mediaType: 'application/pdf' });
  });

  it.each([
    ['a web page', Buffer.from('<!doctype html><html><body>Hello</body></html>')],
    ['an archive', Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(200)])],
    ['a program', Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)])],
    ['a drawing with scripts', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
    ['an image in an unsupported format', Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1')],
    ['a PDF with a page before its header', Buffer.concat([Buffer.from('<html>\n'), pdf])],
    ['a PDF with a byte before its header', Buffer.concat([Buffer.from('\0'), pdf])],
    ['an empty file', Buffer.alloc(0)],
  ])('cannot be replaced by %s', async (_what, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ code: 'document-type' });
  });

  const zipEnd = Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)]);
  it.each([
    ['a script after its end', Buffer.concat([pdf, Buffer.from('<script>alert(1)</script>')])],
    ['text after its end', Buffer.concat([pdf, Buffer.from('more')])],
    ['an archive after its end', Buffer.concat([pdf, zipEnd])],
    ['an archive before its end', samplePdf({ inside: zipEnd.toString('latin1') })],
    ['a page in it', samplePdf({ inside: '<!DOCTYPE html>\n<HTML><body onload=x>' })],
  ])('with %s is rejected', async (_what, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ code: 'document-type' });
  });

  it.each([
    ['the plain name', '/Encrypt 9 0 R'],
    ['the name as numbers', '/#45ncryp#74 9 0 R'],
    ['the name before a zero byte', '/Encrypt\x009 0 R'],
    ['the name before a comment', '/Encrypt%\n9 0 R'],
  ])('that is encrypted is rejected (%s)', async (_how, trailer) => {
    await expect(read(samplePdf({ trailer }))).rejects.toMatchObject({ code: 'document-encrypted' });
  });

  const script = '/S /JavaScript /JS (app.alert(1))';
  const launch = '/S /Launch /F (cmd.exe)';
  const objects = '9 0 11 20 << /S /JavaScript /JS (app.alert(1)) >>';
  const packed = (text: string, entries: string, bytes = deflateSync(text)) =>
    samplePdf({ inside: `8 0 obj\n<< ${entries} /Length ${bytes.length} >>\nstream\n${bytes.toString('latin1')}\nendstream\nendobj\n` });
  const OBJECTS = '/Type /ObjStm /N 1 /First 5 /Filter /FlateDecode';

  it.each([
    ['a script that runs when it opens', samplePdf({ catalog: `/OpenAction << ${script} >>` })],
    ['a script that the document lists', samplePdf({ catalog: '/Names << /JavaScript 9 0 R >>' })],
    ['a script in an object of its own', samplePdf({ inside: '9 0 obj\n<< /JS 10 0 R /S/JavaScript>>\nendobj\n' })],
    ['a name as numbers', samplePdf({ catalog: '/OpenAction << /S /#4aava#53cript /#4A#53 <6170702e> >>' })],
    ['a script without its type', samplePdf({ inside: '9 0 obj\n<</JS(app.alert(1))>>\nendobj\n' })],
    ['a form with a program', samplePdf({ catalog: '/AcroForm << /XFA [(template) 9 0 R] >>' })],
    ['an action that starts a program', samplePdf({ catalog: `/OpenAction << ${launch} >>` })],
    ['a link that starts a program', samplePdf({ inside: `9 0 obj\n<< /Subtype /Link /A << ${launch} >> >>\nendobj\n` })],
    ['attached files', samplePdf({ catalog: '/Names << /EmbeddedFiles << /Names [(a.exe) 9 0 R] >> >>' })],
    ['an attached file of no type', samplePdf({ inside: '9 0 obj\n<< /F (a.exe) /EF%x\n<< /F 10 0 R >> >>\nendobj\n' })],
    ['an attached file in a comment', samplePdf({ inside: '9 0 obj\n<< /Subtype /FileAttachment /FS 8 0 R >>\nendobj\n' })],
    ['a script in packed objects', packed(objects, OBJECTS)],
    ['an action in packed objects', packed(`9 0 << ${launch} >>`, OBJECTS)],
    ['an attachment in packed objects', packed('9 0 << /Type /Filespec /EF << /F 8 0 R >> >>', OBJECTS)],
    ['packed objects without their type', packed(objects, '/N 1 /First 5 /Filter [ /FlateDecode ]')],
    ['packed objects in another spelling', packed(objects, '/#54ype /Obj#53tm /N 1 /#46irst 5 /Filter /Flate#44ecode')],
    ['packed objects in another revision', Buffer.concat([packed(objects, OBJECTS), pdf])],
    ['packed objects behind a decoy', packed(objects, `/X (>> stream\n) /Y <stream (> ${OBJECTS}`)],
    ['packed objects behind a decoy in the dictionary', packed(objects, `endobj ${OBJECTS} stream\n`)],
    ['packed objects inside another stream', packed('', '', packed(objects, OBJECTS))],
    ['packed objects behind comments', samplePdf({ inside: packed(objects, OBJECTS).toString('latin1').replace('8 0 obj', '8%\n0%\nobj').slice(15) })],
    ['packed objects that are cut off', packed(objects, OBJECTS, deflateSync(objects.padEnd(9_999)).subarray(0, -9))],
  ])('with %s is rejected, with the reason (ASVS 5.2.2)', async (what, bytes) => {
    const rejected = await refusal(bytes);
    expect(rejected?.code, what).toBe('document-active');
    expect(rejected?.message).toMatch(/passport copy contains (scripts|an action that starts a program|attached files)/);
  });

  it.each([
    ['another filter', packed(objects, '/N 1 /First 5 /Filter /LZWDecode')],
    ['two filters', packed(objects, '/N 1 /First 5 /Filter [/ASCIIHexDecode /FlateDecode]')],
    ['a filter twice', packed(objects, '/N 1 /First 5 /Filter /FlateDecode /Filter /LZWDecode')],
    ['a filter elsewhere', packed(objects, '/N 1 /First 5 /Filter 9 0 R')],
    ['a predictor', packed(objects, `${OBJECTS} /DecodeParms << /Predictor 12 >>`)],
    ['data that is no packed data', packed('', OBJECTS, Buffer.from('not packed'))],
    ['a bomb', packed('', OBJECTS, deflateSync(Buffer.alloc(40_000_000)))],
    ['several bombs', samplePdf({ inside: packed('', OBJECTS, deflateSync(Buffer.alloc(9_000_000))).toString('latin1').repeat(2) })],
    ['a dictionary without end', samplePdf({ inside: '9 0 obj <<'.repeat(500_000) })],
  ])('whose packed objects have %s is rejected as damaged', async (_what, bytes) => {
    expect((await refusal(bytes))?.code).toBe('document-damaged');
  });

  it('is read in a time that grows with its length, however it is made', async () => {
    const parts = ['obj(', ' 0 obj<', '1 0 obj\n<<', ' 0 obj(\\', '%', ' ', '/EF ', '/JS%\n', '\n0 obj<</N 1>>stream\n'];
    for (const part of parts) {
      const bytes = samplePdf({ inside: part.repeat(4_000_000 / part.length) });
      const from = process.cpuUsage();
      await read(bytes).catch(() => {});
      expect(process.cpuUsage(from).user / 1_000, part).toBeLessThan(5_000);
    }
  });

  it.each([
    ['a page to open at', samplePdf({ catalog: '/OpenAction [3 0 R /XYZ 0 0 1]' })],
    ['links and bookmarks', samplePdf({ catalog: '/Outlines 9 0 R', inside: '9 0 obj\n<< /First 8 0 R /A << /S /URI /URI (https://a) >> >>\nendobj\n' })],
    ['packed objects', packed('9 0 << /Type /Font /EFX 1 /Launched true >>', OBJECTS)],
    ['a colour profile', packed('profile', '/N 3 /Alternate /DeviceRGB /Filter /FlateDecode')],
    ['text about scripts', samplePdf({ catalog: '/Lang (en JavaScript /Launcher /JSON)' })],
    ['bytes that look like a short name', packed('', '', Buffer.from('/JS(\x01\x02\x03\x04 /EF \x01 /XFA \x01 /JS<zz', 'latin1'))],
  ])('with %s is accepted', async (_what, bytes) => {
    expect(await refusal(bytes)).toBeNull();
  });

  it('of compressed pictures is never rejected for its bytes', async () => {
    for (let file = 0; file < 3; file++) {
      const picture = randomBytes(6_000_000);
      expect(await findActiveContent(packed('', '/Subtype /Image /Filter /DCTDecode', picture))).toBeNull();
    }
  });

  it('of this portal is accepted', async () => {
    const sheet = new PDFDocument({ info: { Title: 'Loan note' } });
    sheet.text('Terms').link(0, 0, 10, 10, 'https://example.com');
    sheet.end();
    expect(await refusal(await buffer(sheet))).toBeNull();
  });

  it.each([
    ['its second half missing', pdf.subarray(0, pdf.length / 2)],
    ['only a header', Buffer.from('%PDF-1.7\n')],
    ['a wrong cross-reference offset', samplePdf({ startxref: 3 })],
    ['a cross-reference beyond its end', samplePdf({ startxref: 999_999 })],
    ['no root', Buffer.from(pdf.toString('latin1').replace('/Root', '/Boot'), 'latin1')],
  ])('with %s is rejected as damaged', async (_what, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ code: 'document-damaged' });
  });
});

describe('an image', () => {
  const halves = sharp({ create: { width: 40, height: 20, channels: 3, background: 'white' } });
  const photo = () =>
    halves
      .clone()
      .withExif({ IFD0: { Copyright: 'secret-owner' }, IFD3: { GPSLatitudeRef: 'N' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();

  it('is re-encoded upright and without metadata', async () => {
    const bytes = await photo();
    expect((await sharp(bytes).metadata()).exif).toBeDefined();
    const document = await read(bytes, 'me.png');
    expect(document).toMatchObject({ fileName: 'me.jpg', mediaType: 'image/jpeg' });
    const cleaned = await sharp(document.bytes).metadata();
    expect(cleaned).toMatchObject({ format: 'jpeg', width: 20, height: 40 });
    for (const key of ['exif', 'xmp', 'icc', 'iptc', 'orientation'] as const) {
      expect(cleaned[key]).toBeUndefined();
    }
  });

  it('loses data that was hidden after its pixels', async () => {
    const hidden = '<?php system($_GET[0]); ?>';
    const png = Buffer.concat([await halves.clone().png().toBuffer(), Buffer.from(hidden)]);
    const { bytes, mediaType } = await read(png);
    expect(mediaType).toBe('image/png');
    expect(bytes.includes(hidden)).toBe(false);
  });

  it('with more than 50 million pixels is rejected before it is decoded', async () => {
    const bomb = blankPng(10_000, 5_001);
    expect(bomb.length).toBeLessThan(20_000);
    await expect(read(bomb)).rejects.toMatchObject({ code: 'document-too-detailed' });
  });

  it.each(['jpeg', 'png'] as const)('that is cut off is rejected (%s)', async (format) => {
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const image = sharp({ create: { width: 200, height: 200, channels: 3, background: 'white', noise } });
    const whole = await image[format]().toBuffer();
    const half = whole.subarray(0, whole.length / 2);
    await expect(read(half)).rejects.toMatchObject({ code: 'document-damaged' });
  });
});

describe('a file name', () => {
  it.each([
    ['../../etc/passwd', 'passwd.pdf'],
    ['..\\..\\windows\\system32\\cmd.exe', 'cmd.pdf'],
    ['passport\u202efdp.exe', 'passport fdp.pdf'],
    ['a\u0000b\r\nSet-Cookie: x.pdf', 'a b Set-Cookie x.pdf'],
    ['"><script>alert(1)</script>.pdf', 'script.pdf'],
    ['.htaccess', 'document.pdf'],
    ['', 'document.pdf'],
    ['...', 'document.pdf'],
    ['Reisepass Müller 2026.PDF', 'Reisepass Müller 2026.pdf'],
    ['护照.jpeg', '护照.pdf'],
    [`${'a'.repeat(400)}.pdf`, `${'a'.repeat(96)}.pdf`],
  ])('%j is stored as %j', (sent, stored) => {
    expect(harmlessFileName(sent, 'application/pdf')).toBe(stored);
  });

  it('is never a path, has no invisible character, and has the extension for its type', () => {
    assert(
      property(string({ unit: 'binary' }), (sent) => {
        const stored = harmlessFileName(sent, 'image/png');
        expect(stored).toMatch(/^[^\p{C}\\/]{1,96}\.png$/u);
        expect(stored).not.toMatch(/^[.\s-]/);
      }),
    );
  });
});
