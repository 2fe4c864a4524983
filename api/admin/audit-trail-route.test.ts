import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_START } from '../testing/fake-index.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { askAs, signedInAdmin } from './testing/team.ts';

const AT = TEST_START + 60_000;

let portal: TestPortal;
let token: string;
beforeAll(async () => {
  portal = await startTestPortal();
  const admin = await signedInAdmin(portal.store, { username: 'Ada', role: 'reviewer', at: TEST_START });
  token = admin.token;
  for (let number = 0; number < 60; number += 1) {
    const actorFields = number === 59 ? { actor: admin.id, address: '192.0.2.7' } : { actor: 'visitor' };
    const record = {
      id: `r${number}`,
      at: AT,
      action: number === 3 ? 'y.done' : 'x.done',
      details: { number },
    };
    await portal.store.recordAudit({ ...record, ...actorFields });
  }
});
afterAll(() => portal.close());

async function readPage(query = '') {
  const { status, body } = await askAs(portal, token, `/api/admin/audit-trail${query}`);
  return { status, body: JSON.parse(body) };
}

describe('GET /api/admin/audit-trail', () => {
  it('lists the newest records first, with the admin’s name and address', async () => {
    const { body } = await readPage();
    expect(body.records).toHaveLength(50);
    expect(body.records[0]).toEqual({
      id: 'r59',
      at: new Date(AT).toISOString(),
      actor: 'Ada',
      action: 'x.done',
      address: '192.0.2.7',
      details: { number: 59 },
    });
  });

  it('pages through every record once', async () => {
    const first = (await readPage()).body;
    const second = (await readPage(`?before=${first.next}`)).body;
    expect(second.next).toBeNull();
    const ids = [...first.records, ...second.records].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('r0');
  });

  it('filters by admin, action, record and time, and lists the actors and actions to choose from', async () => {
    const reference = 'BD-20260102-123456';
    const details = { referenceNumber: reference };
    const later = new Date(AT + 5_000).toISOString();
    await portal.store.recordAudit({
      id: 'of-record',
      at: AT + 5_000,
      actor: 'system',
      action: 'y.done',
      details,
    });
    const idsFor = async (query: string) =>
      (await readPage(query)).body.records.map(({ id }: { id: string }) => id);
    const { actors, actions } = (await readPage()).body;
    const ada = actors.find(({ name }: { name: string }) => name === 'Ada').id;
    expect(actors.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining(['visitor', 'wallet-owner', 'issuer']),
    );
    expect(actions).toEqual(expect.arrayContaining(['x.done', 'y.done']));
    expect(await idsFor(`?actor=${ada}&action=x.done`)).toEqual(['r59']);
    expect(await idsFor('?action=y.done')).toEqual(['of-record', 'r3']);
    expect(await idsFor(`?action=y.done&to=${later}`)).toEqual(['r3']);
    expect(await idsFor(`?reference=${reference}&from=${later}`)).toEqual(['of-record']);
    const first = (await readPage('?actor=visitor&action=x.done')).body;
    const second = (await readPage(`?actor=visitor&action=x.done&before=${first.next}`)).body;
    expect(first.records.length + second.records.length).toBe(58);
    expect(second.next).toBeNull();
    for (const query of ['?actor=a%20b', '?action=x', '?reference=BD-1', '?from=1']) {
      expect((await readPage(query)).status).toBe(400);
    }
  });

  it('rejects an invalid cursor', async () => {
    for (const before of ['0', '-1.1', 'x', '1e3', '1.0'])
      expect((await readPage(`?before=${before}`)).status).toBe(400);
  });
});
