import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_START } from '../testing/fake-index.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { askAs, signedInAdmin } from './testing/team.ts';

let portal: TestPortal;
let token: string;
beforeAll(async () => {
  portal = await startTestPortal();
  const admin = await signedInAdmin(portal.store, { username: 'Ada', role: 'reviewer', at: TEST_START });
  token = admin.token;
  for (let number = 0; number < 60; number += 1) {
    const sender = number === 59 ? { actor: admin.id, address: '192.0.2.7' } : { actor: 'visitor' };
    const record = { id: `r${number}`, at: 1, action: 'x.done', details: { number } };
    await portal.store.recordAudit({ ...record, ...sender });
  }
});
afterAll(() => portal.close());

async function page(query = '') {
  const { status, body } = await askAs(portal, token, `/api/admin/audit-trail${query}`);
  return { status, body: JSON.parse(body) };
}

describe('GET /api/admin/audit-trail', () => {
  it('lists the newest records first, with the admin’s name and address', async () => {
    const { body } = await page();
    expect(body.records).toHaveLength(50);
    expect(body.records[0]).toEqual({
      id: 'r59',
      at: new Date(1).toISOString(),
      actor: 'Ada',
      action: 'x.done',
      address: '192.0.2.7',
      details: { number: 59 },
    });
  });

  it('pages through every record once', async () => {
    const first = (await page()).body;
    const second = (await page(`?before=${first.next}`)).body;
    expect(second.next).toBeNull();
    const ids = [...first.records, ...second.records].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('r0');
  });

  it('rejects an invalid cursor', async () => {
    for (const before of ['0', '-1', 'x', '1e3']) expect((await page(`?before=${before}`)).status).toBe(400);
  });
});
