import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentsOf } from '../../data/store/testing/sample-loans.ts';
import { blankPng, samplePdf } from '../documents/testing/sample-documents.ts';
import { type LoanAnswer, sendLoan } from '../loan/testing/send-loan.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

// Each title starts with the number of a requirement in OWASP ASVS 5.0 (https://github.com/OWASP/ASVS), chapter V5.

let portal: TestPortal;
let sentCount = 0;
beforeAll(async () => {
  portal = await startTestPortal();
});
afterAll(() => portal.close());

function send(bytes: Buffer, name: string, type = ''): Promise<LoanAnswer> {
  sentCount += 1;
  const passportCopy = new File([new Uint8Array(bytes)], name, { type });
  return sendLoan(portal.port, { email: `ada${sentCount}@example.com`, passportCopy });
}

describe('V5.2 and V5.3 uploads', () => {
  it('V5.2.1: a file over 10 MB is rejected', async () => {
    const filler = `%${'x'.repeat(10 * 1_024 * 1_024)}\n`;
    expect((await send(samplePdf({ inside: filler }), 'large.pdf')).status).toBe(413);
  });

  it.each([
    [
      'a web page',
      Buffer.from('<!doctype html><script>alert(1)</script>'),
      'passport.pdf',
      'application/pdf',
    ],
    ['a program', Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), 'passport.png', 'image/png'],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'passport.svg', 'image/svg+xml'],
    ['nothing', Buffer.alloc(0), 'passport.pdf', 'application/pdf'],
  ])('V5.2.2: the content of a file counts, not its name: %s', async (_case, bytes, name, type) => {
    const { status, body } = await send(bytes, name, type);
    expect(status, body.error).toBeGreaterThanOrEqual(400);
    expect(status, body.error).toBeLessThan(500);
  });

  it('V5.2.6: an image with too many pixels is rejected', async () => {
    const { status, body } = await send(blankPng(10_000, 5_001), 'flood.png');
    expect([status, body.code]).toEqual([422, 'document-too-detailed']);
  });

  it('V5.3.1, V5.3.2, V5.4.2: a hostile file name is sanitized and never becomes a path', async () => {
    const filesBefore = await readdir(portal.folder);
    const { status, body } = await send(samplePdf(), '../../../dist/shell.php"\r\nX-Evil: 1');
    expect(status, body.error).toBe(200);
    expect(await readdir(portal.folder)).toEqual(filesBefore);
    const [document] = await documentsOf(portal.store, body.referenceNumber ?? '');
    expect(document?.fileName).toMatch(/^shell\.php[\w -]*\.pdf$/);
  });
});
