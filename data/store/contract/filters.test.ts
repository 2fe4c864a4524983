import { describe, expect, it } from 'vitest';
import type { SavedFilter } from '../filter-port.ts';
import { adminAudit } from '../testing/sample-admins.ts';
import { addReviewers } from '../testing/sample-loans.ts';
import { SUBMITTED_AT, sampleMessage, submitMessage } from '../testing/sample-submissions.ts';
import { store, useAppStore } from '../testing/test-stores.ts';

const FILTER: SavedFilter = {
  id: 'first',
  adminId: 'one',
  list: 'contacts',
  name: 'Overdue',
  view: '{"q":"","filters":{"due":"overdue"}}',
  isShared: false,
  createdAt: SUBMITTED_AT,
};

describe('saved filters', () => {
  useAppStore();
  const save = (changes: Partial<SavedFilter> = {}, limit = 9) =>
    store.filters.add({ ...FILTER, ...changes }, limit, adminAudit('filter.saved'));
  const visibleNames = async (adminId: string) =>
    (await store.filters.visibleTo(adminId)).map(({ name, owner }) => `${name} by ${owner}`);

  it('are visible to the admin who saved them, and to all if shared, up to a limit for each admin', async () => {
    await addReviewers(store, 'one', 'two');
    expect(await save()).toBe('added');
    expect(await save({ id: 'second', name: 'a shared one', isShared: true }, 2)).toBe('added');
    expect(await save({ id: 'third' }, 2)).toBe('full');
    expect(await save({ id: 'other', adminId: 'two', name: 'Two’s' }, 2)).toBe('added');
    expect(await visibleNames('one')).toEqual(['a shared one by one', 'Overdue by one']);
    expect(await visibleNames('two')).toEqual(['a shared one by one', 'Two’s by two']);
    const [, own] = await store.filters.visibleTo('one');
    expect(own).toEqual({ ...FILTER, owner: 'one' });
  });

  it('can be changed and removed by their admin, and by other entitled admins if they are shared', async () => {
    await addReviewers(store, 'one', 'two');
    await save();
    const changedFilter = { id: 'first', name: 'Late', view: '{}', isShared: true };
    const change = (by: string | null) => store.filters.change(changedFilter, by, adminAudit('filter.saved'));
    const remove = (by: string | null) => store.filters.remove('first', by, adminAudit('filter.removed'));
    for (const by of ['two', null]) {
      expect(await change(by)).toBe(false);
      expect(await remove(by)).toBe(false);
    }
    expect(await change('one')).toBe(true);
    expect(await visibleNames('two')).toEqual(['Late by one']);
    expect(await remove('two')).toBe(false);
    expect(await change(null)).toBe(true);
    expect(await remove(null)).toBe(true);
    expect((await store.auditTrail(1))[0]?.action).toBe('filter.removed');
    expect(await visibleNames('one')).toEqual([]);
  });

  it('of a deactivated admin are deleted unless they are shared', async () => {
    await addReviewers(store, 'one', 'two');
    await save();
    await save({ id: 'second', name: 'Shared', isShared: true });
    await store.admins.disable('one', adminAudit('admin.disabled'));
    expect(await visibleNames('one')).toEqual(['Shared by one']);
  });

  it('that name a person are erased with the person', async () => {
    await addReviewers(store, 'one');
    const { name } = sampleMessage();
    const email = 'ada@example.com';
    const reference = await submitMessage(store, { email: 'Ada+portal@example.com' });
    const view = (q: string) => JSON.stringify({ q });
    await save({ id: 'by address', view: view(email.toUpperCase()) });
    await save({ id: 'by the address of a record', view: view('ADA+portal@example.com') });
    await save({ id: 'by name', name: `Of ${name}` });
    await save({ id: 'by reference', view: view(reference) });
    await save({ id: 'by an odd search', view: view(`"${name}" \u0000\ud800`) });
    await save({ id: 'other', view: view('grace') });
    const subject = { email, walletAddress: null };
    expect((await store.erasures.find(subject)).counts.savedFilters).toBe(5);
    await store.erasures.erase(subject, SUBMITTED_AT + 1, () => adminAudit('person.erased'));
    expect((await store.filters.visibleTo('one')).map(({ id }) => id)).toEqual(['other']);
  });

  it.each([
    ['sort', ['Of sort', 'sort: late', 'late-SORT']],
    ['Ada (C++) [x]', ['Of ada (c++) [X]', 'Ada (C++) [x]']],
    ['Zoë', ['Zoë', '(Zoë)']],
    ['Zoë Çelik', ['zoë çelik', 'ZOË ÇELIK']],
    ['Ann', ['of ann']],
    ['Ann "Annie" Lee', ['Ann "Annie" Lee’s']],
  ])(
    'are erased with the person named %s only if their name or search has this name as whole words',
    async (name, namingTexts) => {
      await addReviewers(store, 'one');
      const email = 'ada@example.com';
      await submitMessage(store, { name, email });
      const view = (q: string) => JSON.stringify({ q, filters: { name }, sort: name, order: 'asc' });
      const others = ['Other', `x${name}`, `${name}3`, 'Ada (C+) [x]', 'Zo', 'Annä'];
      for (const [index, text] of [...namingTexts, ...others].entries()) {
        await save({ id: `name ${index}`, name: text, view: view('') }, 99);
        await save({ id: `search ${index}`, name: 'Search', view: view(text) }, 99);
      }
      const subject = { email, walletAddress: null };
      expect((await store.erasures.find(subject)).counts.savedFilters).toBe(2 * namingTexts.length);
      await store.erasures.erase(subject, SUBMITTED_AT + 1, () => adminAudit('person.erased'));
      const remaining = (await store.filters.visibleTo('one')).map((filter) =>
        filter.id.startsWith('name') ? filter.name : JSON.parse(filter.view).q,
      );
      expect(remaining.toSorted()).toEqual([...others, ...others].toSorted());
    },
  );
});
