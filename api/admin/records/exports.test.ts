import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
const MANY = 1_203;
const DAY = '2026-01-03';

describe('an export', () => {
  let portal: TestPortal;
  let token: string;
  beforeAll(async () => {
    portal = await startTestPortal();
    const at = Date.parse(`${DAY}T00:00:00Z`);
    await portal.pollAt(at);
    ({ token } = await signedInAdmin(portal.store, { username: 'grace', role: 'reviewer', at }));
    const options = sampleOptions({ confirmations: { limit: MANY, since: 0 } });
    const applications = Array.from({ length: MANY }, (_, index) => {
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

  const exported = (type: string, format = '') =>
    askAs(portal, token, `/api/admin/export/${type}${format && `?format=${format}`}`);

  it('has all rows as JSON, oldest first, in a file named by date', async () => {
    const { status, headers, body } = await exported('applications');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="blackduck-applications-${DAY}.json"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    const rows = EXPORT_CALLS.applications.response.parse(JSON.parse(body));
    expect(rows).toHaveLength(MANY);
    expect(rows.at(-1)?.name).toBe(`Person ${MANY - 1}`);
  });

  it('as CSV is streamed with one row per record and no cell that a spreadsheet would execute (ASVS V1.2.10)', async () => {
    const { headers, body } = await exported('applications', 'csv');
    expect(headers['transfer-encoding']).toBe('chunked');
    expect(headers['content-disposition']).toBe(`attachment; filename="blackduck-applications-${DAY}.csv"`);
    const lines = body.split('\r\n');
    expect(lines[0]).toMatch(/^id,referenceNumber,name,email,tier,bdAmount,/);
    expect(lines).toHaveLength(MANY + 2);
    expect(lines[1]).toContain(`"'=HYPERLINK(""https://evil.example"",""Ada"")"`);
    expect(lines[1]).toContain(`"'+1\n""quoted"", and more"`);
    expect(body).not.toMatch(/(^|,|\n)"?[=@]/);
  });

  it('of an empty list is a valid file in both formats', async () => {
    for (const type of LIST_IDS.filter((one) => one !== 'applications')) {
      const json = await exported(type);
      expect([type, json.status, JSON.parse(json.body)]).toEqual([type, 200, []]);
      const csv = await exported(type, 'csv');
      expect(csv.body.split('\r\n'), type).toHaveLength(2);
      expect(csv.body, type).toContain('referenceNumber');
    }
  });

  it('is in the audit trail with its type and format, and no personal data', async () => {
    const before = await portal.store.auditTrail(10_000);
    await exported('contacts', 'csv');
    const after = await portal.store.auditTrail(10_000);
    const added = after.filter(({ id }) => !before.some((one) => one.id === id));
    expect(added).toMatchObject([
      { action: 'records.exported', details: { type: 'contacts', format: 'csv' }, address: '127.0.0.1' },
    ]);
  });

  it('in an unknown format is rejected', async () => {
    expect((await exported('applications', 'xlsx')).status).toBe(400);
  });
});
