// @module-tag slow
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { EXPORT_CALLS } from '../../../data/contract/admin-files.ts';
import { LIST_IDS } from '../../../data/model/admin-lists.ts';
import {
  SUBMITTED_AT,
  sampleApplication,
  sampleOptions,
} from '../../../data/store/testing/sample-submissions.ts';
import { startTestPortal, type TestPortal } from '../../testing/test-portal.ts';
import { askAs, signedInAdmin } from '../testing/team.ts';

/** More rows than fit on one page of the export. */
const ROW_COUNT = 1_203;
const DAY = '2026-01-03';
const UTF8_BOM = '\uFEFF';

describe('an export', () => {
  let portal: TestPortal;
  let token: string;
  beforeAll(async () => {
    portal = await startTestPortal();
    const at = Date.parse(`${DAY}T00:00:00Z`);
    await portal.pollAt(at);
    ({ token } = await signedInAdmin(portal.store, { username: 'grace', role: 'reviewer', at }));
    const options = sampleOptions({ confirmations: { limit: ROW_COUNT, since: 0 } });
    const applications = Array.from({ length: ROW_COUNT }, (_, index) => {
      const application = sampleApplication({
        name: index === 0 ? '=HYPERLINK("https://evil.example","Ada")' : `Person ${index}`,
        applicantNotes: index === 0 ? '+1\n"quoted", and more' : null,
        createdAt: SUBMITTED_AT + index,
      });
      return portal.store.submissions.submit('card-application', application, options);
    });
    await Promise.all(applications);
  });
  afterAll(() => portal.close());

  const exportList = (type: string, format = '') =>
    askAs(portal, token, `/api/admin/export/${type}${format && `?format=${format}`}`);

  it('contains all rows as JSON, oldest first, in a file named with the date', async () => {
    const { status, headers, body } = await exportList('applications');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="blackduck-applications-${DAY}.json"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    const rows = EXPORT_CALLS.applications.response.parse(JSON.parse(body));
    expect(rows).toHaveLength(ROW_COUNT);
    expect(rows.at(-1)?.name).toBe(`Person ${ROW_COUNT - 1}`);
  });

  it('as CSV is streamed with one row per record and no cell that a spreadsheet would execute (ASVS V1.2.10)', async () => {
    const { headers, body } = await exportList('applications', 'csv');
    expect(headers['transfer-encoding']).toBe('chunked');
    expect(headers['content-disposition']).toBe(`attachment; filename="blackduck-applications-${DAY}.csv"`);
    const lines = body.split('\r\n');
    expect(lines[0]).toMatch(/^id,referenceNumber,name,email,tier,bdAmount,/);
    expect(lines).toHaveLength(ROW_COUNT + 2);
    expect(lines[1]).toContain(`"'=HYPERLINK(""https://evil.example"",""Ada"")"`);
    expect(lines[1]).toContain(`"'+1\n""quoted"", and more"`);
    expect(body).not.toMatch(/(^|,|\n)"?[=@]/);
  });

  async function exportFiltered(body: object, list = 'applications') {
    const answer = await askAs(portal, token, `/api/admin/export/${list}`, { format: 'csv', ...body });
    const [header = '', ...lines] = answer.body.replace(UTF8_BOM, '').split('\r\n').slice(0, -1);
    return { ...answer, header, lines };
  }

  it('contains the filtered rows in the list’s order, with the chosen columns only', async () => {
    const view = { q: 'Person 10', sort: 'name', order: 'desc', columns: ['name', 'status'] };
    const { status, header, lines } = await exportFiltered(view);
    expect([status, header]).toEqual([200, 'name,status']);
    const expected = Array.from({ length: ROW_COUNT }, (_, index) => `Person ${index},received`);
    const matching = expected
      .filter((line) => line.startsWith('Person 10'))
      .toSorted()
      .toReversed();
    expect(lines).toEqual(matching);
    expect((await exportFiltered({ status: 'refused' })).lines).toEqual([]);
    expect((await exportFiltered({ received: 'yesterday', columns: ['name'] })).lines).toHaveLength(
      ROW_COUNT,
    );
    expect((await exportFiltered({ received: 'today' })).lines).toEqual([]);
    expect((await exportFiltered({ received: 'yesterday', from: DAY })).lines).toEqual([]);
    for (const wrong of [{ columns: [] }, { columns: ['name', 'name'] }, { columns: ['x'] }, { limit: '5' }])
      expect((await exportFiltered(wrong)).status).toBe(400);
  });

  it('fails instead of ending early when a record is deleted', async () => {
    const { records } = portal.store;
    const list = records.list.bind(records);
    const listSpy = vi.spyOn(records, 'list');
    onTestFinished(() => listSpy.mockRestore());
    listSpy.mockImplementation(async (id, query) => {
      const page = await list(id, query);
      return query.after === null ? page : { ...page, rows: [], next: null };
    });
    const response = await fetch(`http://127.0.0.1:${portal.port}/api/admin/export/applications`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    await expect(response.text()).rejects.toThrow();
  });

  it('as a spreadsheet stores texts as text and times as dates, and contains no formulas', async () => {
    const body = {
      format: 'xlsx',
      columns: ['name', 'createdAt', 'bdAmount', 'applicantNotes', 'emailSent'],
    };
    const response = await fetch(`http://127.0.0.1:${portal.port}/api/admin/export/applications`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...body, sort: 'createdAt', order: 'asc' }),
    });
    expect(response.headers.get('content-disposition')).toContain(`-${DAY}.xlsx"`);
    const { sheets } = await readXlsx(await response.arrayBuffer());
    const [header, first, second] = sheets[0]?.rows ?? [];
    expect(sheets[0]?.rows).toHaveLength(ROW_COUNT + 1);
    expect(header).toEqual(body.columns);
    expect(first?.slice(0, 3)).toEqual([
      '=HYPERLINK("https://evil.example","Ada")',
      new Date(SUBMITTED_AT),
      6_200_000,
    ]);
    expect(first?.[3]).toBe('+1\n"quoted", and more');
    expect(second?.slice(0, 2)).toEqual(['Person 1', new Date(SUBMITTED_AT + 1)]);
    expect(second?.[4]).toBe(false);
  });

  it('of an empty list is a valid JSON or CSV file', async () => {
    for (const type of LIST_IDS.filter((one) => one !== 'applications')) {
      const json = await exportList(type);
      expect([type, json.status, JSON.parse(json.body)]).toEqual([type, 200, []]);
      const csv = await exportList(type, 'csv');
      expect(csv.body.split('\r\n'), type).toHaveLength(2);
      expect(csv.body, type).toContain('referenceNumber');
    }
  });

  it('is recorded in the audit trail with its type and format, but without personal data', async () => {
    const before = await portal.store.auditTrail(10_000);
    await exportList('contacts', 'csv');
    const after = await portal.store.auditTrail(10_000);
    const added = after.filter(({ id }) => !before.some((one) => one.id === id));
    expect(added).toMatchObject([
      { action: 'records.exported', details: { type: 'contacts', format: 'csv' }, address: '127.0.0.1' },
    ]);
    await exportFiltered({ q: 'ada@example.com', status: 'open', columns: ['email'] }, 'contacts');
    expect((await portal.store.auditTrail(1))[0]?.details).toEqual({
      ...{ type: 'contacts', format: 'csv', filters: 'status, q', columns: 'email' },
    });
  });

  it('in an unknown format is rejected', async () => {
    expect((await exportList('applications', 'xls')).status).toBe(400);
  });
});
