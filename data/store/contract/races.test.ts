// @module-tag slow
import { describe, expect, it } from 'vitest';
import { MAX_CARDS } from '../../model/tiers.ts';
import type { CardOrder } from '../card-port.ts';
import type { ConfirmationLimits } from '../delivery-port.ts';
import type { AppStore } from '../ports.ts';
import { addAdminWithTotp, adminAudit, SIGNED_IN_AT, sampleAdmin, signIn } from '../testing/sample-admins.ts';
import { sampleDocuments, sampleLoan, submitLoan } from '../testing/sample-loans.ts';
import {
  acceptedReference,
  SUBMITTED_AT,
  sampleApplication,
  sampleMessage,
  sampleOptions,
  submitApplication,
} from '../testing/sample-submissions.ts';
import { addCard, sampleTransfer, TEST_FEED } from '../testing/sample-top-ups.ts';
import { openPrograms, store, stores, useAppStore } from '../testing/test-stores.ts';

const PROGRAM_COUNT = 3;
const CALL_COUNT = 12;

describe('calls from several programs at the same time', () => {
  useAppStore();

  /** Makes calls from several programs at the same time. @returns how often each outcome occurred */
  async function race<T>(call: (program: AppStore, index: number) => Promise<T>, calls = CALL_COUNT) {
    const programs = await openPrograms(PROGRAM_COUNT);
    const outcomes = await Promise.all(
      Array.from({ length: calls }, (_, index) => call(programs[index % PROGRAM_COUNT] ?? store, index)),
    );
    const counts: Record<string, number> = {};
    for (const outcome of outcomes) counts[String(outcome)] = (counts[String(outcome)] ?? 0) + 1;
    return counts;
  }
  const addAdmins = async (...names: readonly string[]) => {
    for (const name of names) await store.admins.add(sampleAdmin(name), adminAudit('admin.added'));
  };

  it('create only one first admin', async () => {
    expect(await store.admins.hasAdmins()).toBe(false);
    const create = ({ admins }: AppStore, index: number) =>
      admins.createFirst(sampleAdmin(`admin ${index}`), adminAudit('admin.created'));
    expect(await race(create)).toEqual({ created: 1, closed: CALL_COUNT - 1 });
    expect(await store.admins.hasAdmins()).toBe(true);
    expect(await store.admins.all()).toHaveLength(1);
    expect(await store.auditTrail(9)).toHaveLength(1);
  });

  it('give a name to only one admin, and treat look-alike names as the same name', async () => {
    const names = ['ada', 'Ada', 'аda'];
    const add = ({ admins }: AppStore, index: number) =>
      admins.add(sampleAdmin(names[index % 3] ?? '', { id: String(index) }), adminAudit('admin.added'));
    expect(await race(add)).toEqual({ added: 1, 'name-taken': CALL_COUNT - 1 });
    expect(await store.auditTrail(9)).toHaveLength(1);
  });

  it('leave at least one owner', async () => {
    const names = ['ada', 'bo', 'cy', 'di'];
    await addAdmins(...names);
    const remove = ({ admins }: AppStore, index: number) =>
      index % 2 === 0
        ? admins.disable(names[index] ?? '', adminAudit('admin.disabled'))
        : admins.changeRole(names[index] ?? '', 'viewer', adminAudit('admin.changed'));
    expect(await race(remove, names.length)).toEqual({ changed: 3, 'last-owner': 1 });
  });

  it('accept a recovery code, and a TOTP code, once', async () => {
    await addAdminWithTotp(store, 'ada', ['code']);
    const openedOnce = { opened: 1, refused: CALL_COUNT - 1 };
    expect(await race((program) => signIn(program, 'ada', { kind: 'recovery', code: 'code' }))).toEqual(
      openedOnce,
    );
    expect(await race((program) => signIn(program, 'ada', { kind: 'totp', step: 7 }))).toEqual(openedOnce);
  });

  it('open no session with a password that is being replaced', async () => {
    const names = Array.from({ length: CALL_COUNT / 2 }, (_, index) => `admin ${index}`);
    await addAdmins(...names);
    await race(async (program, index) => {
      const name = names[Math.floor(index / 2)] ?? '';
      if (index % 2 === 0) return signIn(program, name);
      const change = { passwordHash: 'another', keep: null, removeSecondFactors: false };
      return program.admins.setPassword(name, change, adminAudit('password.changed'));
    });
    expect(await store.admins.sessions(null, SIGNED_IN_AT, 0)).toEqual([]);
  });

  it('do not exceed the limit of failed sign-ins', async () => {
    const LIMIT = 5;
    const rule = {
      subject: 'account:ada',
      delayAfter: (failures: number) => (failures < LIMIT ? 0 : 1_000),
      blocks: true,
    } as const;
    const attempt = async ({ admins }: AppStore) =>
      (await admins.countAttempt([rule], SIGNED_IN_AT, 0)).blockedUntil === null;
    expect(await race(attempt)).toEqual({ true: LIMIT, false: CALL_COUNT - LIMIT });
    const flagAttack = ({ admins }: AppStore) =>
      admins.flagAttack(rule.subject, LIMIT, adminAudit('attack.began'));
    expect(await race(flagAttack)).toEqual({ true: 1, false: CALL_COUNT - 1 });
  });

  it('accept an answer to a sign-in message once', async () => {
    const challenge = { nonce: 'nonce', walletAddress: 'wallet', message: 'message' };
    await store.sessions.issueChallenge({ ...challenge, issuedAt: 1, expiresAt: 9 });
    const consume = ({ sessions }: AppStore) => sessions.consumeChallenge(challenge, 2);
    expect(await race(consume)).toEqual({ accepted: 1, used: CALL_COUNT - 1 });
  });

  it('add no more answers to the assistant than the limit allows', async () => {
    const LIMIT = 3;
    const add = ({ chat }: AppStore, index: number) =>
      chat.addAddition(
        {
          kind: 'answer',
          id: String(index),
          question: String(index),
          answer: 'Yes.',
          addedAt: 1,
          adminId: 'ada',
        },
        [],
        LIMIT,
        adminAudit('addition.added'),
      );
    expect(await race(add)).toEqual({ added: LIMIT, full: CALL_COUNT - LIMIT });
    expect(await store.chat.additions()).toHaveLength(LIMIT);
    expect(await store.auditTrail(9)).toHaveLength(LIMIT);
  });

  describe('on cards', () => {
    const sampleOrder = (number: number, changes: Partial<CardOrder> = {}): CardOrder => ({
      id: `card ${number}`,
      walletAddress: `wallet ${number}`,
      tier: 'Raven',
      holderName: 'BlackDuck Member',
      issuer: 'sandbox',
      idempotencyKey: `key ${number}`,
      stakeEntries: [],
      at: number,
      ...changes,
    });
    const reserve = async ({ cards }: AppStore, ordered: CardOrder) => (await cards.reserve(ordered)).outcome;

    it('reserve no more cards than are left', async () => {
      const PLACES_LEFT = 3;
      for (let taken = PLACES_LEFT; taken < MAX_CARDS; taken += 1)
        await store.cards.reserve(sampleOrder(1_000 + taken));
      const outcomes = await race((program, index) => reserve(program, sampleOrder(index)));
      expect(outcomes).toEqual({ reserved: PLACES_LEFT, 'none-left': CALL_COUNT - PLACES_LEFT });
      expect(await store.cards.cardsLeft('sandbox')).toBe(0);
    });

    it('reserve only one card for a wallet', async () => {
      const outcomes = await race((program, index) =>
        reserve(program, sampleOrder(index, { walletAddress: 'wallet' })),
      );
      expect(outcomes).toEqual({ reserved: 1, resume: CALL_COUNT - 1 });
    });

    it('use a stake for only one card, whether they order a card or claim the stake', async () => {
      const stakeEntries = ['entry'];
      const claimers = Array.from({ length: CALL_COUNT / 2 }, (_, index) => sampleOrder(1_000 + index));
      for (const one of claimers) await store.cards.reserve(one);
      const outcomes = await race(async (program, index) => {
        const claimer = index % 2 === 0 ? claimers[index / 2] : undefined;
        if (claimer) return program.cards.claimStake(claimer.id, stakeEntries);
        return (await reserve(program, sampleOrder(index, { stakeEntries }))) === 'reserved';
      });
      expect(outcomes).toEqual({ true: 1, false: CALL_COUNT - 1 });
    });

    it('apply an issuer’s message once', async () => {
      const message = { issuer: 'sandbox', id: 'message', kind: 'card.updated', receivedAt: 1 } as const;
      const apply = ({ cards }: AppStore) => cards.applyIssuerMessage(message, null);
      expect(await race(apply)).toEqual({ true: 1, false: CALL_COUNT - 1 });
    });

    it('queue one email for each transfer that the team credits to the same card', async () => {
      await submitApplication(store, { walletAddress: 'wallet-one', isOwnershipProven: true });
      await addCard(store, 'one');
      await store.topUps.begin(TEST_FEED);
      const transfers = Array.from({ length: CALL_COUNT }, (_, index) => sampleTransfer(`transfer ${index}`));
      const { id: feed, block, blockHash } = TEST_FEED;
      const position = { feed, previousBlock: block, block: block + 9, blockHash, at: 5_000 };
      await store.topUps.commit({ ...position, final: transfers, confirming: [] });
      const book = async ({ topUps }: AppStore, index: number) =>
        (await topUps.book(`transfer ${index}`, 'one', adminAudit('card.top-up-booked')))?.state;
      expect(await race(book)).toEqual({ credited: CALL_COUNT });
      const claim = {
        channel: 'mail',
        now: SIGNED_IN_AT * 2,
        leasedUntil: SIGNED_IN_AT * 3,
        limit: 99,
      } as const;
      const mails = (await store.deliveries.claimDue(claim)).filter(({ event }) =>
        event.includes('topped-up'),
      );
      expect(mails).toHaveLength(CALL_COUNT);
    });

    it('record a change once, and decisions one after the other', async () => {
      await store.cards.reserve(sampleOrder(1));
      const expiry = { lastFour: '4242', expiryMonth: 1, expiryYear: 2031 };
      const issued = { issuerCardId: 'ic', issuerCardholderId: null, ...expiry };
      await store.cards.activate('card 1', issued, adminAudit('card.created'));
      await race(({ cards }) => cards.change('card 1', 'frozen', adminAudit('card.frozen')));
      expect(await store.auditTrail(9)).toHaveLength(2);
      const lift = { decision: 'freeze-lifted', reason: null } as const;
      const times = await race(
        async ({ cards }) => (await cards.decide('card 1', lift, adminAudit('card.lifted')))?.changedAt,
      );
      expect(Object.keys(times)).toHaveLength(CALL_COUNT);
      expect(await store.cards.decisionsOn('card 1')).toHaveLength(CALL_COUNT);
    });
  });

  describe('that change a record', () => {
    const actor = (index: number) => ({
      adminId: `admin ${index % 3}`,
      address: '::1',
      at: SUBMITTED_AT + 1,
    });
    const counts = () => store.records.counts(0);

    it('decide an application once', async () => {
      const referenceNumber = await submitApplication(store);
      const decisionInput = { referenceNumber, changedAt: SUBMITTED_AT, reason: null };
      const decide = async ({ records }: AppStore, index: number) => {
        const decision = index % 2 === 0 ? 'approved' : 'refused';
        return (await records.decideApplication({ ...decisionInput, decision }, actor(index))).kind;
      };
      expect(await race(decide)).toEqual({ decided: 1, changed: CALL_COUNT - 1 });
      const { approved, refused, received } = (await counts()).applications;
      expect([approved + refused, received]).toEqual([1, 0]);
      const record = await store.records.record(referenceNumber);
      expect(record?.decisions).toHaveLength(1);
      expect(record?.deliveries.filter(({ event }) => !event.endsWith('.received'))).toHaveLength(1);
    });

    it('count only one of the votes on the same state of a loan application', async () => {
      await addAdmins('admin 0', 'admin 1', 'admin 2');
      const referenceNumber = await submitLoan(store);
      let changedAt = SUBMITTED_AT;
      const vote = async ({ records }: AppStore, index: number) => {
        const voteInput = { referenceNumber, changedAt, vote: 'approve', reason: null } as const;
        return (await records.vote(voteInput, actor(index))).kind;
      };
      expect(await race(vote)).toEqual({ waiting: 1, changed: CALL_COUNT - 1 });
      const waiting = await store.records.record(referenceNumber);
      changedAt = waiting?.kind === 'loan-application' ? waiting.record.changedAt : 0;
      // One of the three votes is counted. It decides the application unless the voter is the admin who has already voted.
      const outcomes = await race(vote, 3);
      expect(outcomes).toMatchObject({ changed: 2 });
      expect((await counts()).loans).toMatchObject({ received: 0, approved: outcomes.decided ?? 0 });
    });

    it('queue a retried delivery once', async () => {
      await submitApplication(store);
      const due = {
        channel: 'telegram',
        now: SUBMITTED_AT,
        leasedUntil: SUBMITTED_AT + 1,
        limit: 1,
      } as const;
      const [leased] = await store.deliveries.claimDue(due);
      if (!leased) throw new Error('There is no delivery.');
      const failed = { providerId: null, code: null, error: null, maskedRecipient: '…', latencyMs: 1 };
      const attempt = { ...failed, at: SUBMITTED_AT, outcome: 'dead' } as const;
      await store.deliveries.recordAttempt(leased, attempt, { state: 'dead' });
      const retry = ({ records }: AppStore, index: number) => records.retryDelivery(leased.id, actor(index));
      expect(await race(retry)).toEqual({ retried: 1, 'not-dead': CALL_COUNT - 1 });
      expect(await counts()).toMatchObject({ deadDeliveries: 0, waitingDeliveries: 3 });
    });
  });

  describe('that submit', () => {
    const submit = async (
      { submissions }: AppStore,
      index: number,
      options: Parameters<typeof sampleOptions>[0],
    ) => {
      const application = sampleApplication({ email: `ada+${index}@example.com` });
      return (await submissions.submit('card-application', application, sampleOptions(options))).kind;
    };

    it('with one idempotency key store one submission', async () => {
      const idempotency = { keyHash: 'key', bodyHash: 'body' };
      const outcomes = await race((program, index) => submit(program, index, { idempotency }));
      expect(outcomes).toEqual({ accepted: 1, repeated: CALL_COUNT - 1 });
      expect(await store.auditTrail(99)).toHaveLength(1);
    });

    it('for one mailbox queue no more confirmation emails than the limit', async () => {
      const LIMIT = 5;
      const confirmations = { limit: LIMIT, since: 0 };
      const outcomes = await race((program, index) => submit(program, index, { confirmations }));
      expect(outcomes).toEqual({ accepted: CALL_COUNT });
      const due = { channel: 'mail', now: SUBMITTED_AT, leasedUntil: SUBMITTED_AT + 1, limit: 99 } as const;
      const mails = await store.deliveries.claimDue(due);
      expect(mails.filter(({ audience }) => audience === 'applicant')).toHaveLength(LIMIT);
      expect(mails.filter(({ audience }) => audience === 'team')).toHaveLength(CALL_COUNT);
    });

    it('get different reference numbers, even if they draw the same ones', async () => {
      const numbers = new Set<unknown>();
      const submitWithDraws = ({ submissions }: AppStore, index: number) => {
        let drawn = 0;
        const drawReference = () => {
          drawn += 1;
          return `BD-20260102-${100_000 + drawn}`;
        };
        const message = sampleMessage({ email: `${index}@example.com` });
        return submissions.submit('contact-message', message, sampleOptions({ drawReference }));
      };
      await race(async (program, index) =>
        numbers.add(acceptedReference(await submitWithDraws(program, index))),
      );
      expect(numbers.size).toBe(CALL_COUNT);
    });

    it('store no more documents than the quota allows', async () => {
      const LIMIT = 3;
      const bytes = sampleDocuments().reduce((sum, { content }) => sum + content.length, 0);
      const quotas = [{ scope: 'portal', subject: 'portal', limit: LIMIT * bytes, endsAt: 1 }] as const;
      const send = async ({ submissions }: AppStore) =>
        (
          await submissions.submit(
            'loan-application',
            sampleLoan(),
            sampleOptions({ quotas }),
            sampleDocuments(),
          )
        ).kind;
      expect(await race(send)).toEqual({ accepted: LIMIT, 'over-quota': CALL_COUNT - LIMIT });
      expect(await store.submissions.countByMasterKey()).toMatchObject([{ documents: 2 * LIMIT }]);
    });
  });

  describe('that deliver', () => {
    const claim = ({ deliveries }: AppStore, confirmations?: ConfirmationLimits) => {
      const due = { channel: 'mail', now: SUBMITTED_AT, leasedUntil: SUBMITTED_AT + 1, limit: 3 } as const;
      return deliveries.claimDue(confirmations ? { ...due, confirmationLimits: confirmations } : due);
    };
    const submitSome = async (count: number) => {
      for (let sent = 0; sent < count; sent += 1) await submitApplication(store);
    };

    it('lease each delivery once', async () => {
      await submitSome(CALL_COUNT);
      const leased: string[] = [];
      await race(async (program) => {
        for (const { id } of await claim(program)) leased.push(id);
      });
      // A row that another program has locked is skipped, so a claim may return fewer rows than are due.
      while (leased.length < 2 * CALL_COUNT) for (const { id } of await claim(store)) leased.push(id);
      expect(new Set(leased).size).toBe(leased.length);
      expect(await claim(store)).toEqual([]);
    });

    it('send no more confirmations than the limit', async () => {
      const LIMIT = 4;
      await submitSome(CALL_COUNT);
      const limits = { since: 0, perDomain: 99, total: LIMIT, postponedUntil: SUBMITTED_AT + 60_000 };
      let confirmed = 0;
      await race(async (program) => {
        const leased = await claim(program, limits);
        confirmed += leased.filter(({ audience }) => audience === 'applicant').length;
      });
      expect(confirmed).toBe(LIMIT);
    });
  });

  describe('that erase a person', () => {
    const person = { email: 'zoe@example.org', walletAddress: null };
    const erase = ({ erasures }: AppStore) =>
      erasures.erase(person, SUBMITTED_AT + 1, () => adminAudit('person.erased'));
    const submit = ({ submissions }: AppStore) =>
      submissions.submit('card-application', sampleApplication({ email: person.email }), sampleOptions());
    const isErased = async (referenceNumber: string) => {
      const deliveries = await store.deliveries.deliveriesOf(referenceNumber);
      return deliveries.every(({ state, recipient }) => state === 'settled' && recipient === null);
    };

    it('erase all or nothing of a form that is submitted at the same time', async () => {
      const references: string[] = [];
      await race(async (program, index) => {
        if (index % 4 === 3) await erase(program);
        else references.push(acceptedReference(await submit(program)));
      });
      let remainingCount = 0;
      for (const referenceNumber of references) {
        const isLeft = (await store.records.record(referenceNumber)) !== null;
        expect(await isErased(referenceNumber)).toBe(!isLeft);
        remainingCount += Number(isLeft);
      }
      expect((await store.erasures.find(person)).records).toHaveLength(remainingCount);
      expect((await store.records.counts(0)).applications.received).toBe(remainingCount);
      expect((await erase(store)).records).toHaveLength(remainingCount);
      await store.retention.truncateLog();
      expect((await stores.readAppBytes()).includes(person.email)).toBe(false);
    });

    it('leave nothing of decisions and deliveries that happen at the same time', async () => {
      const references: string[] = [];
      for (let sent = 0; sent < 6; sent += 1) references.push(acceptedReference(await submit(store)));
      const actor = { adminId: 'ada', address: '::1', at: SUBMITTED_AT };
      const decision = { decision: 'approved', reason: 'quillwords', changedAt: SUBMITTED_AT } as const;
      const attempt = { at: SUBMITTED_AT, outcome: 'sent', providerId: 'quillwords', code: null } as const;
      const due = { channel: 'mail', now: SUBMITTED_AT, leasedUntil: SUBMITTED_AT + 1, limit: 3 } as const;
      await race(async (program, index) => {
        const referenceNumber = references[Math.floor(index / 2)] ?? '';
        if (index === 7) await erase(program);
        else if (index % 2 === 0) {
          await program.records.decideApplication({ ...decision, referenceNumber }, actor);
        } else {
          for (const leased of await program.deliveries.claimDue(due)) {
            const sentAttempt = { ...attempt, error: null, maskedRecipient: 'z…@example.org', latencyMs: 1 };
            await program.deliveries.recordAttempt(leased, sentAttempt, { state: 'sent' });
          }
        }
      });
      for (const referenceNumber of references) {
        expect(await store.records.record(referenceNumber)).toBeNull();
        for (const { state, recipient } of await store.deliveries.deliveriesOf(referenceNumber)) {
          expect([state === 'waiting' || state === 'leased', recipient]).toEqual([false, null]);
        }
      }
      const { applications, waitingDeliveries } = await store.records.counts(0);
      expect([Object.values(applications), waitingDeliveries]).toEqual([[0, 0, 0, 0, 0, 0], 0]);
      await store.retention.truncateLog();
      const written = await stores.readAppBytes();
      for (const trace of [person.email, 'quillwords', 'z…@'])
        expect(written.includes(trace), trace).toBe(false);
    });
  });
});
