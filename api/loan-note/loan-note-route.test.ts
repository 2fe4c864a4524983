import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loanNoteDocument } from '../../data/contract/loan-note-document.ts';
import { readSiteFiles } from '../pages/serve-pages.ts';
import { ask } from '../testing/portal-client.ts';
import { writeFolder } from '../testing/test-files.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const { path } = loanNoteDocument;
const FILE_NAME = 'blackduck-convertible-loan-note-2026-11-21.pdf';
const BYTES = '%PDF-1.7 the note';

describe('the loan note document', () => {
  let folder: Awaited<ReturnType<typeof writeFolder>>;
  let portal: TestPortal;
  beforeAll(async () => {
    folder = await writeFolder({ 'index.html': '<h1>Dashboard</h1>', [`documents/${FILE_NAME}`]: BYTES });
    portal = await startTestPortal({ site: await readSiteFiles(folder.folder) });
  });
  afterAll(async () => {
    await portal.close();
    await folder.remove();
  });

  it('is a download with a dated file name, and caches must revalidate it', async () => {
    const { status, headers, body } = await ask(portal.port, path);
    expect([status, body]).toEqual([200, BYTES]);
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(BYTES.length),
      'content-disposition': `attachment; filename="${FILE_NAME}"`,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    });
  });

  it('is not sent again to a client that has it', async () => {
    const { headers } = await ask(portal.port, path);
    const revalidated = await ask(portal.port, path, { headers: { 'If-None-Match': String(headers.etag) } });
    expect([revalidated.status, revalidated.body, revalidated.headers.etag]).toEqual([304, '', headers.etag]);
    const other = await ask(portal.port, path, { headers: { 'If-None-Match': '"another"' } });
    expect(other.status).toBe(200);
  });

  it('sends only its headers in response to HEAD', async () => {
    const { status, headers, body } = await ask(portal.port, path, { method: 'HEAD' });
    expect([status, body]).toEqual([200, '']);
    expect(headers).toMatchObject({
      'content-length': String(BYTES.length),
      'content-type': 'application/pdf',
    });
  });
});

it('the loan note document responds with an uncacheable 503 if the site is not built', async () => {
  const portal = await startTestPortal();
  const { status, headers, body } = await ask(portal.port, path);
  expect([status, headers['cache-control']]).toEqual([503, 'no-store']);
  expect(headers['content-disposition']).toBeUndefined();
  expect(JSON.parse(body)).toMatchObject({ success: false, code: 'document-not-built' });
  await portal.close();
});
