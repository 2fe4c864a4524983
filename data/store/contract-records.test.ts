import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppStore } from './ports.ts';
import type { Acting, ListQuery } from './record-port.ts';
import { ADAPTERS, type StoreWorld } from './testing/adapters.ts';
import { SUBMITTED_AT, sampleApplication, sampleRequest, sampleTerms } from './testing/sample-submissions.ts';

const FIRST_PAGE: ListQuery = {
  limit: 10,
  sort: 'createdAt',
  order: 'desc',
  after: null,
  from: null,
  before: null,
  filters: {},
  search: null,
};
const ADMIN: Acting = { adminId: 'admin-1', address: '192.0.2.1', at: SUBMITTED_AT + 60_000 };

describe.each(ADAPTERS)('records in the $name store', ({ open }) => {
  let world: StoreWorld;
  let store: AppStore;
  beforeEach(async () => {
    world = await open();
    store = await world.openApp();
  });
  afterEach(() => world.dispose());

  async function apply(changes: Parameters<typeof sampleApplication>[0] = {}): Promise<string> {
    const outcome = await store.applications.submitApplication(sampleApplication(changes), sampleTerms());
    if (outcome.kind !== 'accepted') throw new Error(`The application was answered ${outcome.kind}.`);
    return String(outcome.answer.referenceNumber);
  }
  async function request(changes: Parameters<typeof sampleRequest>[0] = {}): Promise<string> {
    const outcome = await store.applications.submitVerificationRequest(sampleRequest(changes), sampleTerms());
    if (outcome.kind !== 'accepted') throw new Error(`The request was answered ${outcome.kind}.`);
    return String(outcome.answer.referenceNumber);
  }
  const names = async (query: Partial<ListQuery>) => {
    const { rows, ...page } = await store.records.list('applications', { ...FIRST_PAGE, ...query });
    return { names: rows.map(({ name }) => name), ...page };
  };
  /** Sends what waits of a channel, or gives it up. */
  async function end(channel: 'mail' | 'telegram', state: 'sent' | 'dead'): Promise<void> {
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

  describe('are listed', () => {
    const PEOPLE = ['Ada', 'bob', 'Cleo', 'Dora', 'eve'];
    beforeEach(async () => {
      for (const [place, name] of PEOPLE.entries()) {
        await apply({
          name,
          email: `${name}@example.com`,
          createdAt: SUBMITTED_AT + place,
          checked: { amount: 10n ** BigInt(place * 3), tier: place < 2 ? 'Raven' : 'None', at: SUBMITTED_AT },
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
    ] as const)('by %s, %s, whole, whatever the length of a page', async (sort, order, expected) => {
      for (const limit of [1, 2, 3, 10]) {
        const told: string[] = [];
        let after: string | null = null;
        do {
          const page: Awaited<ReturnType<typeof names>> = await names({ sort, order, limit, after });
          expect(page).toMatchObject({ total: 5, isTotalExact: true });
          expect(page.names.length).toBeLessThanOrEqual(limit);
          told.push(...page.names);
          after = page.next;
        } while (after !== null);
        expect(told).toEqual(expected);
      }
    });

    it('by sorts with many equal values, those alike in the order in which they came in', async () => {
      // Its reference number is the last, its time the first.
      const checked = { amount: 1n, tier: 'Raven', at: SUBMITTED_AT };
      await apply({ name: 'Zeno', email: 'zeno@example.com', createdAt: SUBMITTED_AT - 1, checked });
      const told = async (sort: string, order: 'asc' | 'desc') => {
        const all: string[] = [];
        let after: string | null = null;
        do {
          const page: Awaited<ReturnType<typeof names>> = await names({ sort, order, limit: 2, after });
          all.push(...page.names);
          after = page.next;
        } while (after !== null);
        return all;
      };
      expect(await told('status', 'asc')).toEqual(['Zeno', ...PEOPLE]);
      expect(await told('status', 'desc')).toEqual([...PEOPLE.toReversed(), 'Zeno']);
      expect(await told('tier', 'asc')).toEqual(['Cleo', 'Dora', 'eve', 'Zeno', 'Ada', 'bob']);
      expect(await told('tier', 'desc')).toEqual(['bob', 'Ada', 'Zeno', 'eve', 'Dora', 'Cleo']);
    });

    it('narrowed by tier, status and days, with how many there are', async () => {
      expect(await names({ filters: { tier: 'Raven' } })).toMatchObject({ names: ['bob', 'Ada'], total: 2 });
      expect(await names({ filters: { status: 'approved' } })).toMatchObject({ names: [], total: 0 });
      expect(await names({ filters: { status: 'received', tier: 'None' } })).toMatchObject({ total: 3 });
      expect(await names({ from: SUBMITTED_AT + 1, before: SUBMITTED_AT + 3 })).toMatchObject({
        names: ['Cleo', 'bob'],
        total: 2,
        next: null,
      });
    });

    it('by no sort that there is not', async () => {
      await expect(names({ sort: 'toString' })).rejects.toThrow(RangeError);
      await expect(names({ sort: '1; drop table admins' })).rejects.toThrow(RangeError);
    });

    it('from a place that is none, with nothing', async () => {
      expect((await names({ after: '~BD-20200101-100000' })).names).toEqual([]);
    });
  });

  describe('are searched', () => {
    beforeEach(async () => {
      await apply({ name: 'Ada Lovelace', email: 'ada@example.com', telegram: 'countess' });
      await apply({ name: 'Zoë Müller', email: 'zm@mail.test', telegram: null, walletAddress: null });
      await apply({ name: 'Jo Li', email: 'x@example.com', telegram: null, walletAddress: null });
      await apply({ name: '李明', email: 'y@example.com', telegram: null, walletAddress: null });
    });

    it.each([
      ['a part of a name', 'velac', ['Ada Lovelace']],
      ['two words in any order', 'lovelace ada', ['Ada Lovelace']],
      ['another case', 'LOVELACE', ['Ada Lovelace']],
      ['a name without its marks', 'zoe muller', ['Zoë Müller']],
      ['a name with its marks', 'Müller', ['Zoë Müller']],
      ['a part of a mail address', '@mail.test', ['Zoë Müller']],
      ['a part of a wallet', 'umuerzj623', ['Ada Lovelace']],
      ['a Telegram account', 'countess', ['Ada Lovelace']],
      ['a word of two letters where one begins', 'li', ['Jo Li']],
      ['one letter where a word begins', 'z', ['Zoë Müller']],
      ['two signs of another script', '李明', ['李明']],
      ['words that are in different records', 'ada muller', []],
      ['what is nowhere', 'babbage', []],
    ])('by %s', async (_case, search, expected) => {
      expect(await names({ search })).toMatchObject({
        names: expected,
        total: expected.length,
        isTotalExact: true,
      });
    });

    it('by a reference number, whole or in part', async () => {
      const reference = await apply({ name: 'Found' });
      expect((await names({ search: reference })).names).toEqual(['Found']);
      expect((await names({ search: reference.slice(-6) })).names).toEqual(['Found']);
    });

    it.each([
      '"',
      '""',
      'ada"',
      '" OR "',
      'ada OR zoe',
      'NOT ada',
      'ada*',
      '*',
      '^ada',
      'words:ada',
      '{words}:ada',
      'NEAR(ada lovelace)',
      '(',
      ')',
      '-ada',
      '+',
      "'; drop table admins;--",
      '\u0000',
      'ada\u0000zoe',
      '\ud800',
      '%',
      '_',
      'a%',
      ' ',
      '\\',
      '🦆',
    ])('by %j as by plain text', async (search) => {
      const { names: found } = await names({ search });
      expect(found.length).toBeLessThanOrEqual(1);
    });

    it('together with filters and pages', async () => {
      const page = await names({ search: 'example.com', limit: 2, sort: 'name', order: 'asc' });
      expect(page).toMatchObject({ names: ['Ada Lovelace', 'Jo Li'], total: 3 });
      const rest = await names({
        search: 'example.com',
        limit: 2,
        sort: 'name',
        order: 'asc',
        after: page.next,
      });
      expect(rest).toMatchObject({ names: ['李明'], next: null });
      expect(await names({ search: 'example.com', filters: { status: 'refused' } })).toMatchObject({
        total: 0,
      });
    });

    it('by when they came in, page by page, without losing or repeating one', async () => {
      for (const order of ['asc', 'desc'] as const) {
        const told: string[] = [];
        let after: string | null = null;
        do {
          const page: Awaited<ReturnType<typeof names>> = await names({
            search: 'example.com',
            order,
            limit: 1,
            after,
          });
          told.push(...page.names);
          after = page.next;
        } while (after !== null);
        const expected = ['Ada Lovelace', 'Jo Li', '李明'];
        expect(told).toEqual(order === 'asc' ? expected : expected.toReversed());
      }
    });

    it('each list for its own records', async () => {
      await request({ email: 'ada@example.com' });
      const { rows } = await store.records.list('requests', { ...FIRST_PAGE, search: 'ada' });
      expect(rows.map(({ email }) => email)).toEqual(['ada@example.com']);
    });
  });

  describe('tell of deliveries', () => {
    it('as sent once all of a receipt are', async () => {
      const reference = await apply();
      const flags = async () => {
        const { rows } = await store.records.list('applications', FIRST_PAGE);
        return rows.map(({ isMailSent, isNoticeSent }) => [isMailSent, isNoticeSent]);
      };
      expect(await flags()).toEqual([[false, false]]);
      await end('mail', 'sent');
      expect(await flags()).toEqual([[true, false]]);
      await end('telegram', 'dead');
      expect(await flags()).toEqual([[true, false]]);
      expect(await store.records.counts(0)).toMatchObject({
        sentDeliveries: 2,
        deadDeliveries: 1,
        waitingDeliveries: 0,
      });
      const { rows } = await store.records.list('attempts', { ...FIRST_PAGE, sort: 'attemptedAt' });
      expect(rows.map((row) => [row.kind, row.referenceNumber, row.applicantName])).toEqual(
        Array.from({ length: 3 }, () => ['card-application', reference, 'Ada Lovelace']),
      );
    });

    it('narrowed to those that failed, a channel, a search, and those given up', async () => {
      await apply({ name: 'Ada Lovelace' });
      await apply({ name: 'Grace Hopper', email: 'grace@example.com' });
      await request();
      await end('mail', 'sent');
      await end('telegram', 'dead');
      const log = async (query: Partial<ListQuery>) => {
        const page = await store.records.list('attempts', { ...FIRST_PAGE, sort: 'attemptedAt', ...query });
        return [page.rows.length, page.total];
      };
      expect(await log({})).toEqual([9, 9]);
      expect(await log({ filters: { result: 'failure' } })).toEqual([3, 3]);
      expect(await log({ filters: { result: 'success' } })).toEqual([6, 6]);
      expect(await log({ filters: { channel: 'mail' } })).toEqual([6, 6]);
      expect(await log({ filters: { isDead: true } })).toEqual([3, 3]);
      expect(await log({ search: 'grace' })).toEqual([3, 3]);
      expect(await log({ search: 'grace', filters: { isDead: true } })).toEqual([1, 1]);
      const told: number[] = [];
      let after: string | null = null;
      do {
        const page: { rows: readonly { sequence: number }[]; next: string | null } = await store.records.list(
          'attempts',
          { ...FIRST_PAGE, sort: 'attemptedAt', limit: 4, after },
        );
        told.push(...page.rows.map(({ sequence }) => sequence));
        after = page.next;
      } while (after !== null);
      expect(told).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    });

    it('that were given up and are queued again, once', async () => {
      await apply();
      await end('telegram', 'dead');
      const [dead] = (await store.records.list('attempts', { ...FIRST_PAGE, sort: 'attemptedAt' })).rows;
      const retry = (id: string) => store.records.retryDelivery(id, ADMIN);
      expect(await retry(dead?.deliveryId ?? '')).toBe('retried');
      expect(await retry(dead?.deliveryId ?? '')).toBe('not-dead');
      expect(await retry('none')).toBe('unknown');
      expect(await store.records.counts(0)).toMatchObject({ deadDeliveries: 0, waitingDeliveries: 3 });
      const [claimed] = await store.deliveries.claimDue({
        channel: 'telegram',
        now: ADMIN.at,
        leasedUntil: ADMIN.at + 1,
        limit: 1,
      });
      expect(claimed).toMatchObject({ id: dead?.deliveryId, attemptCount: 0 });
      expect((await store.auditTrail(1))[0]).toMatchObject({
        action: 'delivery.retried',
        actor: 'admin-1',
        address: '192.0.2.1',
      });
    });
  });
});
