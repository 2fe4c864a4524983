import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { savedFilters, saveFilter } from '../../../data/contract/admin-filters.ts';
import { MAX_FILTERS } from '../../../data/model/saved-filters.ts';
import { TEST_START } from '../../testing/fake-index.ts';
import { startTestPortal, type TestPortal } from '../../testing/test-portal.ts';
import { askAs, signedInAdmin } from '../testing/team.ts';

const FILTER = {
  id: null,
  list: 'contacts',
  name: 'Emails of ada@example.com',
  view: { q: 'ada@example.com', filters: { status: 'open' }, sort: 'dueAt', order: 'asc', rows: 25 },
  isShared: false,
};

describe('saved filters', () => {
  let portal: TestPortal;
  const tokens = new Map<string, string>();
  beforeEach(async () => {
    portal = await startTestPortal();
    for (const role of ['viewer', 'reviewer', 'owner'] as const) {
      const { token } = await signedInAdmin(portal.store, { username: role, role, at: TEST_START });
      tokens.set(role, token);
    }
  });
  afterEach(() => portal.close());

  const call = async (adminName: string, path: string, body?: object) => {
    const answer = await askAs(portal, tokens.get(adminName) ?? '', `/api/admin/filters${path}`, body);
    return { status: answer.status, body: JSON.parse(answer.body) };
  };
  const save = (adminName: string, changes: object = {}) =>
    call(adminName, '/save', { ...FILTER, ...changes });
  const filterNames = async (adminName: string) =>
    savedFilters.response.parse((await call(adminName, '')).body).filters.map(({ name }) => name);

  it('are private unless a reviewer shares them; an owner can change and remove shared ones', async () => {
    expect((await save('viewer')).status).toBe(200);
    expect((await save('viewer', { isShared: true })).status).toBe(403);
    const { body } = await save('reviewer', { name: 'Open', isShared: true });
    const { id } = saveFilter.response.parse(body);
    expect(await filterNames('viewer')).toEqual(['Emails of ada@example.com', 'Open']);
    expect(await filterNames('owner')).toEqual(['Open']);
    const renamed = { id, name: 'Open ones', isShared: true };
    expect(await save('viewer', { ...renamed, isShared: false })).toMatchObject({
      status: 404,
      body: { code: 'unknown-filter' },
    });
    expect((await save('owner', renamed)).status).toBe(200);
    expect(await filterNames('reviewer')).toEqual(['Open ones']);
    expect((await call('viewer', '/remove', { id })).status).toBe(404);
    expect((await call('owner', '/remove', { id })).status).toBe(200);
    expect(await filterNames('reviewer')).toEqual([]);
  });

  it('keep a view with fields that the list no longer has', async () => {
    const view = { ...FILTER.view, filters: { gone: 'x' }, sort: 'gone' };
    await save('viewer', { view });
    expect((await call('viewer', '')).body.filters).toMatchObject([{ list: 'contacts', view }]);
  });

  it('are limited in number and size', async () => {
    const large = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`f${index}`, 'x']));
    for (const wrong of [
      { name: 'x'.repeat(61) },
      { name: '' },
      { list: 'admins' },
      { view: { ...FILTER.view, q: 'x'.repeat(121) } },
      { view: { ...FILTER.view, filters: large } },
      { view: { ...FILTER.view, filters: { status: 'x'.repeat(61) } } },
      { view: { ...FILTER.view, rows: 7 } },
    ])
      expect((await save('viewer', wrong)).status, JSON.stringify(wrong)).toBe(400);
    const { id } = (await portal.store.admins.byName('owner')) ?? { id: '' };
    for (let number = 0; number < MAX_FILTERS; number += 1) {
      const filter = {
        id: crypto.randomUUID(),
        adminId: id,
        list: 'contacts',
        name: `${number}`,
        view: '{}',
      };
      const audit = { id: crypto.randomUUID(), at: 1, actor: id, action: 'filter.saved', details: {} };
      await portal.store.filters.add({ ...filter, isShared: false, createdAt: 1 }, MAX_FILTERS, audit);
    }
    expect(await save('owner')).toMatchObject({ status: 409, body: { code: 'filters-full' } });
  });

  it('are recorded in the audit trail without their names or search terms', async () => {
    const { body } = await save('reviewer');
    const [record] = await portal.store.auditTrail(1);
    expect(record).toMatchObject({
      action: 'filter.saved',
      details: { filter: body.id, list: 'contacts', shared: 'no' },
    });
    expect(JSON.stringify(record)).not.toContain('ada@');
  });
});
