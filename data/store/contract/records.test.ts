// @module-tag slow
import { beforeEach, describe, expect, it } from 'vitest';
import { CARD_TIERS } from '../../model/tiers.ts';
import type { Actor, ListQuery, StoredPage } from '../record-port.ts';
import { documentsOf, sampleDocuments, submitLoan } from '../testing/sample-loans.ts';
import { FIRST_PAGE, SUBMITTED_AT, submitApplication, submitRequest } from '../testing/sample-submissions.ts';
import { store, useAppStore } from '../testing/test-stores.ts';

const ADMIN: Actor = { adminId: 'admin-1', address: '192.0.2.1', at: SUBMITTED_AT + 60_000 };

async function allRows<Row>(
  read: (after: string | null) => Promise<Pick<StoredPage<Row>, 'rows' | 'next'>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let after: string | null = null;
  do {
    const page: Pick<StoredPage<Row>, 'rows' | 'next'> = await read(after);
    rows.push(...page.rows);
    after = page.next;
  } while (after !== null);
  return rows;
}

describe('records', () => {
  useAppStore();

  const readPage = async (query: Partial<ListQuery>) => {
    const { rows, ...rest } = await store.records.list('applications', { ...FIRST_PAGE, ...query });
    return { rows: rows.map(({ name }) => name), ...rest };
  };
  const allNames = (query: Partial<ListQuery>) => allRows((after) => readPage({ ...query, after }));
  async function endDeliveries(channel: 'mail' | 'telegram', state: 'sent' | 'dead'): Promise<void> {
    const now = SUBMITTED_AT + 1_000;
    const claimed = await store.deliveries.claimDue({ channel, now, leasedUntil: now + 1_000, limit: 100 });
    for (const delivery of claimed) {
      const attempt = {
        at: now,
        outcome: state,
        providerId: null,
        code: null,
        error: state === 'dead' ? 'No such mailbox.' : null,
        maskedRecipient: 'a***',
        latencyMs: 1,
      };
      await store.deliveries.recordAttempt(delivery, attempt, { state });
    }
  }

  it('show the documents of a loan application, the passport copy first', async () => {
    const [passport, bill] = sampleDocuments();
    const referenceNumber = await submitLoan(store, {}, [bill, passport]);
    const documents = await documentsOf(store, referenceNumber);
    expect(documents.map(({ id }) => id)).toEqual([passport.id, bill.id]);
    const { content: _, contentHash: __, masterKeyId: ___, wrappedKey: ____, ...documentFields } = passport;
    expect(documents[0]).toEqual({ ...documentFields, referenceNumber });
  });

  describe('are listed', () => {
    const PEOPLE = ['Ada', 'bob', 'Cleo', 'Dora', 'eve'];
    beforeEach(async () => {
      for (const [index, name] of PEOPLE.entries()) {
        await submitApplication(store, {
          name,
          email: `${name}@example.com`,
          createdAt: SUBMITTED_AT + index,
          checked: { amount: 10n ** BigInt(index * 3), tier: index < 2 ? 'Raven' : 'None', at: SUBMITTED_AT },
        });
      }
    });

    it.each([
      ['createdAt', 'asc', PEOPLE],
      ['createdAt', 'desc', PEOPLE.toReversed()],
      ['name', 'asc', PEOPLE],
      ['email', 'desc', PEOPLE.toReversed()],
      ['bdAmount', 'asc', PEOPLE],
      ['referenceNumber', 'desc', PEOPLE.toReversed()],
    ] as const)('completely by %s, %s, with any page size', async (sort, order, expected) => {
      for (const limit of [1, 2, 3, 10]) {
        const names = await allRows(async (after) => {
          const pageRead = await readPage({ sort, order, limit, after });
          expect(pageRead).toMatchObject({ total: 5, isTotalExact: true });
          expect(pageRead.rows.length).toBeLessThanOrEqual(limit);
          return pageRead;
        });
        expect(names).toEqual(expected);
      }
    });

    it('in the order of submission where values are equal', async () => {
      // This application has the earliest time, but the last reference number.
      const checked = { amount: 1n, tier: 'Raven', at: SUBMITTED_AT };
      await submitApplication(store, { name: 'Zeno', createdAt: SUBMITTED_AT - 1, checked });
      const sortedNames = (sort: string, order: 'asc' | 'desc') => allNames({ sort, order, limit: 2 });
      expect(await sortedNames('status', 'asc')).toEqual(['Zeno', ...PEOPLE]);
      expect(await sortedNames('status', 'desc')).toEqual([...PEOPLE.toReversed(), 'Zeno']);
      expect(await sortedNames('tier', 'asc')).toEqual(['Cleo', 'Dora', 'eve', 'Zeno', 'Ada', 'bob']);
      expect(await sortedNames('tier', 'desc')).toEqual(['bob', 'Ada', 'Zeno', 'eve', 'Dora', 'Cleo']);
    });

    it('filtered by tier, status and period, with the number of matches', async () => {
      expect(await readPage({ filters: { tier: 'Raven' } })).toMatchObject({
        rows: ['bob', 'Ada'],
        total: 2,
      });
      expect(await readPage({ filters: { status: 'approved' } })).toMatchObject({ rows: [], total: 0 });
      expect(await readPage({ filters: { status: 'received', tier: 'None' } })).toMatchObject({ total: 3 });
      expect(await readPage({ from: SUBMITTED_AT + 1, before: SUBMITTED_AT + 3 })).toMatchObject({
        rows: ['Cleo', 'bob'],
        total: 2,
        next: null,
      });
    });

    it('filtered by any tier of the model, and by the lack of a tier', async () => {
      for (const tier of ['None', ...CARD_TIERS]) {
        const checked = { amount: 1n, tier, at: SUBMITTED_AT };
        await submitApplication(store, { name: tier, createdAt: SUBMITTED_AT - 1, checked });
        expect((await readPage({ filters: { tier } })).rows.at(-1)).toBe(tier);
      }
    });

    it('only by sorts and filters that the list has', async () => {
      await expect(readPage({ sort: 'toString' })).rejects.toThrow(RangeError);
      await expect(readPage({ sort: '1; drop table admins' })).rejects.toThrow(RangeError);
      await expect(readPage({ filters: { toString: 'x' } })).rejects.toThrow(RangeError);
    });

    it('as an empty page after a cursor that names no record', async () => {
      expect((await readPage({ after: '~BD-20200101-100000' })).rows).toEqual([]);
    });

    it('after the record of a cursor, even if the cursor belongs to another sort', async () => {
      const { next } = await readPage({ sort: 'status', limit: 1 });
      for (const value of ['received', '1e400', '1.5', '']) {
        const after = next?.replace('received', value) ?? '';
        const { rows } = await readPage({ sort: 'dueAt', after });
        expect(rows, value).toEqual(PEOPLE.toReversed().slice(1));
      }
    });

    it('completely, up to a given time and without a total', async () => {
      await submitApplication(store, { name: 'Later', createdAt: SUBMITTED_AT + 100 });
      const query = { sort: 'createdAt', order: 'asc', before: SUBMITTED_AT + 50, limit: 2 } as const;
      const read = (after: string | null) => readPage({ ...query, after, skipsTotal: true });
      expect(await allRows(read)).toEqual(PEOPLE);
      expect((await read(null)).total).toBe(0);
    });
  });

  describe('are searched', () => {
    beforeEach(async () => {
      const withoutOptional = { telegram: null, walletAddress: null };
      await submitApplication(store, { telegram: 'countess' });
      await submitApplication(store, { name: 'Zoë Müller', email: 'zm@mail.test', ...withoutOptional });
      await submitApplication(store, { name: 'Jo Li', email: 'x@example.com', ...withoutOptional });
      await submitApplication(store, { name: '李明', email: 'y@example.com', ...withoutOptional });
    });

    it('by parts of names, email addresses, wallets and accounts', async () => {
      for (const [search, expected] of [
        // A search matches parts of a name, words in any order, and words in upper or lower case.
        ['velac', ['Ada Lovelace']],
        ['lovelace ada', ['Ada Lovelace']],
        ['LOVELACE', ['Ada Lovelace']],
        // With and without diacritics.
        ['zoe muller', ['Zoë Müller']],
        ['Müller', ['Zoë Müller']],
        ['@mail.test', ['Zoë Müller']],
        ['umuerzj623', ['Ada Lovelace']],
        ['countess', ['Ada Lovelace']],
        // A word of one or two characters matches only the start of a word.
        ['li', ['Jo Li']],
        ['z', ['Zoë Müller']],
        ['李明', ['李明']],
        // These match nothing: the words are in different records, or in none.
        ['ada muller', []],
        ['babbage', []],
      ] as const) {
        const matches = await readPage({ search });
        expect(matches, search).toMatchObject({ rows: expected, total: expected.length, isTotalExact: true });
      }
    });

    it('by a reference number or a part of it', async () => {
      const reference = await submitApplication(store, { name: 'Found' });
      expect((await readPage({ search: reference })).rows).toEqual(['Found']);
      expect((await readPage({ search: reference.slice(-6) })).rows).toEqual(['Found']);
    });

    it('with plain letters instead of ligatures and stroked letters, and vice versa', async () => {
      for (const name of ['Łukasz Sørensen', 'Đorđe Straße', 'Ægir Þór', 'Işıl'])
        await submitApplication(store, { name });
      const searches = ['lukasz', 'ŁUKASZ', 'sorensen', 'dorde', 'STRASSE', 'straße', 'aegir thor', 'isil'];
      for (const search of searches) expect((await readPage({ search })).rows, search).toHaveLength(1);
    });

    it('with the search engine’s operators as plain text', async () => {
      const operators = ['"', 'ada"', '" OR "', 'ada OR zoe', 'NOT ada', 'ada*', '*', '^ada', 'words:ada'];
      const more = ['{words}:ada', 'NEAR(ada lovelace)', '(', ')', '-ada', '+', "'; drop table admins;--"];
      const signs = ['\u0000', 'ada\u0000zoe', '\ud800', '%', '_', 'a%', ' ', '\\', '🦆'];
      for (const search of [...operators, ...more, ...signs]) {
        expect((await readPage({ search })).rows.length, search).toBeLessThanOrEqual(1);
      }
    });

    it('together with filters and pages', async () => {
      const query = { search: 'example.com', limit: 2, sort: 'name', order: 'asc' } as const;
      const first = await readPage(query);
      expect(first).toMatchObject({ rows: ['Ada Lovelace', 'Jo Li'], total: 3 });
      expect(await readPage({ ...query, after: first.next })).toMatchObject({ rows: ['李明'], next: null });
      expect(await readPage({ ...query, filters: { status: 'refused' } })).toMatchObject({ total: 0 });
    });

    it('in one list at a time', async () => {
      const request = await submitRequest(store, { email: 'ada@example.com' });
      const loan = await submitLoan(store);
      const findReferences = async (list: 'verification-requests' | 'loan-applications') =>
        (await store.records.list(list, { ...FIRST_PAGE, search: 'ada' })).rows.map(
          ({ referenceNumber }) => referenceNumber,
        );
      expect(await findReferences('verification-requests')).toEqual([request]);
      expect(await findReferences('loan-applications')).toEqual([loan]);
    });
  });

  describe('show their deliveries', () => {
    const readLog = (query: Partial<ListQuery> = {}) =>
      store.records.list('delivery-logs', { ...FIRST_PAGE, sort: 'attemptedAt', ...query });

    it('as sent when all messages about the new submission are sent', async () => {
      const reference = await submitApplication(store);
      const sentFlags = async () => {
        const { rows } = await store.records.list('applications', FIRST_PAGE);
        return rows.map(({ emailSent, telegramSent }) => [emailSent, telegramSent]);
      };
      expect(await sentFlags()).toEqual([[false, false]]);
      await endDeliveries('mail', 'sent');
      expect(await sentFlags()).toEqual([[true, false]]);
      await endDeliveries('telegram', 'dead');
      expect(await sentFlags()).toEqual([[true, false]]);
      const counts = { sentDeliveries: 2, deadDeliveries: 1, waitingDeliveries: 0 };
      expect(await store.records.counts(0)).toMatchObject(counts);
      expect((await readLog()).rows.map((row) => [row.kind, row.referenceNumber, row.applicantName])).toEqual(
        Array.from({ length: 3 }, () => ['card-application', reference, 'Ada Lovelace']),
      );
    });

    it('in a log by result, channel, search and state', async () => {
      await submitApplication(store, { name: 'Ada Lovelace' });
      await submitApplication(store, { name: 'Grace Hopper', email: 'grace@example.com' });
      await submitRequest(store);
      await endDeliveries('mail', 'sent');
      await endDeliveries('telegram', 'dead');
      const sizes = async (query: Partial<ListQuery>) => {
        const { rows, total } = await readLog(query);
        return [rows.length, total];
      };
      expect(await sizes({})).toEqual([9, 9]);
      expect(await sizes({ filters: { result: 'failure' } })).toEqual([3, 3]);
      expect(await sizes({ filters: { result: 'success' } })).toEqual([6, 6]);
      expect(await sizes({ filters: { method: 'email' } })).toEqual([6, 6]);
      expect(await sizes({ filters: { dead: 'only' } })).toEqual([3, 3]);
      expect(await sizes({ search: 'grace' })).toEqual([3, 3]);
      expect(await sizes({ search: 'grace', filters: { dead: 'only' } })).toEqual([1, 1]);
      const rows = await allRows((after) => readLog({ limit: 4, after }));
      const sequences = rows.map(({ sequence }) => sequence);
      expect(new Set(sequences).size).toBe(9);
      expect(sequences).toEqual(sequences.toSorted((one, other) => other - one));
    });

    it('and retry a dead one, but only once', async () => {
      await submitApplication(store);
      await endDeliveries('telegram', 'dead');
      const id = (await readLog()).rows[0]?.deliveryId ?? '';
      const retry = (delivery: string) => store.records.retryDelivery(delivery, ADMIN);
      expect(await retry(id)).toBe('retried');
      expect(await retry(id)).toBe('not-dead');
      expect(await retry('none')).toBe('unknown');
      expect(await store.records.counts(0)).toMatchObject({ deadDeliveries: 0, waitingDeliveries: 3 });
      const due = { channel: 'telegram', now: ADMIN.at, leasedUntil: ADMIN.at + 1, limit: 1 } as const;
      expect(await store.deliveries.claimDue(due)).toMatchObject([{ id, attemptCount: 0, fence: 3 }]);
      const [audited] = await store.auditTrail(1);
      expect(audited).toMatchObject({ action: 'delivery.retried', actor: 'admin-1', address: '192.0.2.1' });
    });
  });

  it('are counted by kind, status and age, and their deliveries by channel', async () => {
    await submitApplication(store, { createdAt: SUBMITTED_AT - 10 });
    const decisionInput = { referenceNumber: await submitApplication(store), changedAt: SUBMITTED_AT };
    await submitRequest(store);
    await store.records.decideApplication({ ...decisionInput, decision: 'in-review', reason: null }, ADMIN);
    expect(await store.records.counts(SUBMITTED_AT)).toMatchObject({
      applications: { received: 1, 'in-review': 1, approved: 0, refused: 0, 'card-issued': 0 },
      requests: { received: 1 },
      contacts: { open: 0, waiting: 0, answered: 0, closed: 0 },
      recentApplications: 1,
      waitingDeliveries: 9,
    });
    expect(await store.records.backlogs({ dueBefore: SUBMITTED_AT + 1, deadSince: 0 })).toEqual([
      { channel: 'mail', overdue: 6, recentlyDead: 0 },
      { channel: 'telegram', overdue: 3, recentlyDead: 0 },
      { channel: 'push', overdue: 0, recentlyDead: 0 },
    ]);
  });

  it('count all dead deliveries, but report only those to the team as a problem of the channel', async () => {
    await submitApplication(store);
    await endDeliveries('mail', 'dead');
    expect(await store.records.counts(0)).toMatchObject({ deadDeliveries: 2 });
    expect(await store.records.backlogs({ dueBefore: 0, deadSince: 0 })).toEqual([
      { channel: 'mail', overdue: 0, recentlyDead: 1 },
      { channel: 'telegram', overdue: 0, recentlyDead: 0 },
      { channel: 'push', overdue: 0, recentlyDead: 0 },
    ]);
  });
});
