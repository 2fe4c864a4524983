import { assert, property } from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { HEIC_REMEDY } from '../../data/model/forms/loan-form.ts';
import { anyText } from '../../data/model/testing/any-text.ts';
import { harmlessFileName, readDocument } from './read-document.ts';
import { blankPng, samplePdf } from './testing/sample-documents.ts';

const read = (bytes: Buffer, name = 'passport.pdf') => readDocument({ name, bytes }, 'passport copy');
const pdf = samplePdf();

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
    ['a PDF with a web page before its header', Buffer.concat([Buffer.from('<html>\n'), pdf])],
    ['a PDF with a byte before its header', Buffer.concat([Buffer.from('\0'), pdf])],
    ['an empty file', Buffer.alloc(0)],
  ])('must be genuine: %s is rejected', async (_case, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ code: 'document-type' });
  });

  const zipEnd = Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)]);
  it.each([
    ['a script after its end', Buffer.concat([pdf, Buffer.from('<script>alert(1)</script>')])],
    ['text after its end', Buffer.concat([pdf, Buffer.from('more')])],
    ['an archive after its end', Buffer.concat([pdf, zipEnd])],
    ['an archive before its end', samplePdf({ inside: zipEnd.toString('latin1') })],
    ['a web page inside it', samplePdf({ inside: '<!DOCTYPE html>\n<HTML><body onload=x>' })],
  ])('with %s is rejected', async (_case, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ code: 'document-type' });
  });

  it.each([
    ['spelled out', '/Encrypt 9 0 R'],
    ['with escaped letters', '/#45ncryp#74 9 0 R'],
    ['followed by a zero byte', '/Encrypt\x009 0 R'],
    ['followed by a comment', '/Encrypt%\n9 0 R'],
  ])('that is encrypted is rejected: /Encrypt %s', async (_case, trailer) => {
    await expect(read(samplePdf({ trailer }))).rejects.toMatchObject({ code: 'document-encrypted' });
  });

  it.each([
    ['its second half missing', pdf.subarray(0, pdf.length / 2)],
    ['only a header', Buffer.from('%PDF-1.7\n')],
    ['a wrong cross-reference offset', samplePdf({ startxref: 3 })],
    ['a cross-reference beyond its end', samplePdf({ startxref: 999_999 })],
    ['no root', Buffer.from(pdf.toString('latin1').replace('/Root', '/Boot'), 'latin1')],
  ])('with %s is rejected as damaged', async (_case, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ code: 'document-damaged' });
  });
});

describe('an image', () => {
  const blankImage = sharp({ create: { width: 40, height: 20, channels: 3, background: 'white' } });
  const photo = () =>
    blankImage
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

  it('in WebP format becomes a JPEG', async () => {
    const document = await read(await blankImage.clone().webp().toBuffer(), 'me.webp');
    expect(document).toMatchObject({ fileName: 'me.jpg', mediaType: 'image/jpeg' });
    expect(await sharp(document.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 40 });
  });

  it('in HEIC format is rejected, and the error says what to do', async () => {
    const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
    await expect(read(heic)).rejects.toMatchObject({
      code: 'document-type',
      message: expect.stringContaining(HEIC_REMEDY),
    });
  });

  it('loses data that was hidden after its pixels', async () => {
    const hidden = '<?php system($_GET[0]); ?>';
    const png = Buffer.concat([await blankImage.clone().png().toBuffer(), Buffer.from(hidden)]);
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

  it('is made harmless in linear time', () => {
    const name = 'a'.repeat(96);
    expect(harmlessFileName(`${name}${'.'.repeat(1_000_000)}a.pdf`, 'application/pdf')).toBe(`${name}.pdf`);
  });

  it('is never a path, has no invisible character, and has the extension for its type', () => {
    assert(
      property(anyText(), (sent) => {
        const stored = harmlessFileName(sent, 'image/png');
        expect(stored).toMatch(/^[^\p{C}\\/]{1,96}\.png$/u);
        expect(stored).not.toMatch(/^[.\s-]/);
      }),
    );
  });
});
