// @module-tag slow
import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../audit-port.ts';
import type { DeliveryAttempt, LeasedDelivery } from '../delivery-port.ts';
import type { ErasureSubject, PersonalData } from '../erasure-port.ts';
import { adminAudit, sampleAdmin } from '../testing/sample-admins.ts';
import { sampleDocuments, submitLoan } from '../testing/sample-loans.ts';
import { addSampleNote, sampleAnswer, sampleFile } from '../testing/sample-messages.ts';
import {
  acceptedReference,
  FIRST_PAGE,
  SUBMITTED_AT,
  sampleApplication,
  sampleMessage,
  sampleOptions,
  submitApplication,
  submitMessage,
  submitRequest,
} from '../testing/sample-submissions.ts';
import { addCard, sampleTransfer, TEST_FEED } from '../testing/sample-top-ups.ts';
import { openPrograms, store, stores, useAppStore } from '../testing/test-stores.ts';

const AT = SUBMITTED_AT + 1_000;
const WALLET = 'So11111111111111111111111111111111111111112';
const OTHER_WALLET = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const ADMIN = { adminId: 'admin-one', address: '::1', at: AT };
/** Strings that occur only in Zoe's submissions and in the team's notes about her. */
const ZOE = {
  name: 'Zoe Quillfeather',
  email: 'Zoe.Quill@example.org',
  mailbox: 'zoe.quill@example.org',
  telegram: 'zoequilltele',
  phone: '+34600111222',
  text: 'quillwords of hers',
  document: 'quill-passport-bytes',
  file: 'quill-photo-bytes',
};

const ATTEMPT: DeliveryAttempt = {
  at: AT + 5,
  outcome: 'sent',
  providerId: '<a@b>',
  code: null,
  error: 'no Zoe here',
  maskedRecipient: 'Z…@….org',
  latencyMs: 1,
};

const NO_RECORDS: Pick<PersonalData, 'records'> = { records: [] };
const auditRecord = (found: Pick<PersonalData, 'records'>): AuditRecord => ({
  id: 'the-erasure',
  at: AT,
  actor: 'admin-one',
  address: '::1',
  action: 'person.erased',
  details: { records: found.records.length },
});

describe('erasing a person', () => {
  useAppStore();

  const erase = (subject: Partial<ErasureSubject>) =>
    store.erasures.erase({ email: null, walletAddress: null, ...subject }, AT, auditRecord);

  /** Submits a record of every kind, and adds decisions, notes and messages. */
  async function sendAll(email = ZOE.email): Promise<string[]> {
    const { name, telegram, phone, text } = ZOE;
    const idempotency = { keyHash: email.padEnd(64), bodyHash: 'b'.repeat(64) };
    const common = { email, createdAt: SUBMITTED_AT };
    const cardFields = { ...common, name, telegram, phone, applicantNotes: text, walletAddress: WALLET };
    const [passport, bill] = sampleDocuments();
    const documents = [{ ...passport, content: Buffer.from(ZOE.document) }, bill];
    const { submissions, records } = store;
    const references = [
      acceptedReference(
        await submissions.submit(
          'card-application',
          sampleApplication(cardFields),
          sampleOptions({ idempotency }),
        ),
      ),
      await submitRequest(store, { ...common, reason: text, walletAddress: WALLET }),
      await submitMessage(store, { ...common, name, message: text.repeat(400), walletAddress: null }),
      await submitLoan(store, { ...common, name, comments: text }, documents),
    ];
    const [cardReference = '', request = '', message = '', loan = ''] = references;
    const decision = { changedAt: SUBMITTED_AT, reason: text };
    await records.decideApplication(
      { ...decision, referenceNumber: cardReference, decision: 'approved' },
      ADMIN,
    );
    await records.decideRequest(
      { ...decision, referenceNumber: request, decision: 'approved', tier: 'Banker' },
      ADMIN,
    );
    await records.vote({ ...decision, referenceNumber: loan, vote: 'refuse' }, ADMIN);
    const noteId = await addSampleNote(store, { referenceNumber: message, text }, ADMIN);
    await records.changeNote({ noteId, seen: text, text: `Changed: ${text}` }, ADMIN);
    const { file, attachment } = sampleFile({ content: Buffer.from(ZOE.file), fileName: text });
    await store.conversations.receive(
      sampleAnswer(message, {
        sender: email,
        subject: text,
        text: text.repeat(400),
        files: [file],
        attachments: [attachment],
        mailId: `<${email}>`,
        notifies: false,
      }),
    );
    return references;
  }

  async function leaseMail(): Promise<LeasedDelivery> {
    const claim = { channel: 'mail', now: AT, leasedUntil: AT + 9, limit: 1 } as const;
    const [leased] = await store.deliveries.claimDue(claim);
    if (!leased) throw new Error('Nothing was due.');
    return leased;
  }

  async function proveWallet(walletAddress: string): Promise<void> {
    const times = { provedAt: SUBMITTED_AT, expiresAt: AT + 1 };
    await store.sessions.openSession({ token: `token ${walletAddress}`, walletAddress, ...times });
    await store.sessions.issueChallenge({
      nonce: `nonce ${walletAddress}`,
      walletAddress,
      message: 'Sign in',
      issuedAt: SUBMITTED_AT,
      expiresAt: AT + 1,
    });
  }

  it('first finds everything, by any address of the mailbox, without changing anything', async () => {
    const references = await sendAll();
    const before = await store.auditTrail(99);
    const found = await store.erasures.find({ email: 'ZOE.QUILL+card@example.org', walletAddress: null });
    expect(found.records.map(({ referenceNumber }) => referenceNumber).toSorted()).toEqual(
      references.toSorted(),
    );
    expect(found.otherWallets).toEqual([WALLET]);
    expect(found.counts).toEqual({
      cardApplications: 1,
      verificationRequests: 1,
      contactMessages: 1,
      loanApplications: 1,
      loanDocuments: 2,
      loanVotes: 1,
      noteVersions: 1,
      notes: 1,
      mentions: 0,
      merges: 0,
      conversation: 1,
      messageFiles: 1,
      decisionReasons: 3,
      openUndos: 3,
      timelineNotes: 2,
      cancelledDeliveries: 14,
      recipients: 6,
      earlierAddresses: 0,
      deliveryAttempts: 0,
      reminderNotices: 0,
      reminders: 0,
      savedFilters: 0,
      invitations: 0,
      webhookEvents: 0,
      repeatedAnswers: 1,
      mailboxEntries: 4,
      walletSessions: 0,
      walletChallenges: 0,
      provenWallets: 0,
      whitelistedWallets: 1,
      cardReasons: 0,
      cardholders: 0,
      cardSpends: 0,
      cardTags: 0,
      cardTopUps: 0,
      bannedCards: 0,
      closedCards: 0,
    });
    expect(await store.auditTrail(99)).toEqual(before);
    expect(await store.submissions.find('contact-message', references[2] ?? '')).not.toBeNull();
  });

  it('leaves no byte of the data in the files, even among many other records', async () => {
    for (let person = 0; person < 60; person += 1) {
      const email = `person${person}@example.com`;
      await submitMessage(store, { email, message: 'x'.repeat(person * 25 + 1) });
      await submitApplication(store, { email });
      if (person === 20) await sendAll();
      if (person === 40) await sendAll('zoe.quill+two@example.org');
    }
    const traces = [
      ZOE.name,
      ZOE.email,
      ZOE.mailbox,
      'zoe.quill+two',
      ZOE.telegram,
      ZOE.phone,
      'quillwords',
      ZOE.document,
      ZOE.file,
    ];
    const before = await stores.readAppBytes();
    for (const trace of traces) expect(before.includes(trace), trace).toBe(true);
    await erase({ email: ZOE.email });
    await store.retention.truncateLog();
    const after = await stores.readAppBytes();
    for (const trace of traces) expect(after.includes(trace), trace).toBe(false);
    expect(after.includes('person59@example.com')).toBe(true);
  });

  it('keeps reference numbers, timelines and the audit trail, and adds its own record', async () => {
    const [cardReference = '', , message = '', loan = ''] = await sendAll();
    const before = await store.auditTrail(99);
    await erase({ email: ZOE.email });
    const trail = await store.auditTrail(99);
    for (const record of before) expect(trail).toContainEqual(record);
    expect(trail).toContainEqual(expect.objectContaining({ id: 'the-erasure', details: { records: 4 } }));
    expect(trail.filter(({ action }) => action === 'loan-document.deleted')).toHaveLength(2);
    expect(await store.submissions.find('contact-message', message)).toBeNull();
    expect(await store.records.record(cardReference)).toBeNull();
    expect(await store.submissions.find('loan-application', loan)).toBeNull();
    expect(await store.submissions.timelineOf(cardReference, ZOE.email)).toBeNull();
    const nextReferences = [message, 'BD-20260102-777777'];
    const drawReference = () => nextReferences.shift() ?? '';
    const next = await store.submissions.submit(
      'contact-message',
      sampleMessage(),
      sampleOptions({ drawReference }),
    );
    expect(acceptedReference(next)).toBe('BD-20260102-777777');
  });

  it('cancels waiting deliveries, and refuses the outcome of leased ones', async () => {
    const [cardReference = ''] = await sendAll();
    const leased = await leaseMail();
    await erase({ email: ZOE.email });
    const claim = { now: AT + 99, leasedUntil: AT + 999, limit: 99 };
    expect(await store.deliveries.claimDue({ ...claim, channel: 'mail' })).toEqual([]);
    expect(await store.deliveries.claimDue({ ...claim, channel: 'telegram' })).toEqual([]);
    expect(await store.deliveries.recordAttempt(leased, ATTEMPT, { state: 'sent' })).toBe('stale');
    const deliveries = await store.deliveries.deliveriesOf(cardReference);
    expect(deliveries.length).toBeGreaterThan(0);
    for (const { recipient, state } of deliveries) expect([recipient, state]).toEqual([null, 'settled']);
  });

  it('does not make cancelled deliveries count as failed', async () => {
    await submitApplication(store, { email: ZOE.email });
    const leased = await leaseMail();
    const retried = { state: 'waiting', nextAttemptAt: AT + 99, counts: true } as const;
    await store.deliveries.recordAttempt(leased, { ...ATTEMPT, outcome: 'retry' }, retried);
    await erase({ email: ZOE.email });
    for (const { recentlyDead } of await store.records.backlogs({ dueBefore: 0, deadSince: 0 }))
      expect(recentlyDead).toBe(0);
    const failed = { ...FIRST_PAGE, sort: 'attemptedAt', filters: { dead: 'only' } };
    expect(await store.records.list('delivery-logs', failed)).toMatchObject({ rows: [], total: 0 });
  });

  it('prevents later notes on the record, and later settlements of its bounces', async () => {
    const [referenceNumber = ''] = await sendAll();
    await erase({ email: ZOE.email });
    expect(await store.records.addNote({ referenceNumber, text: 'Zoe called.' }, ADMIN)).toBe('unknown');
    expect(await store.bounces.settle({ referenceNumber, by: 'phone' }, ADMIN)).toBe('unknown');
  });

  it('leaves no note, whether the note or the erasure comes first', async () => {
    await store.admins.add(sampleAdmin('ada'), adminAudit('admin.added'));
    const programs = await openPrograms(2);
    for (let round = 0; round < 6; round += 1) {
      const referenceNumber = await submitMessage(store, { email: ZOE.email });
      const note = { referenceNumber, text: '@ada', mentions: ['ada'] };
      await Promise.all([
        ...Array.from({ length: 8 }, () => programs[0]?.records.addNote(note, ADMIN)),
        programs[1]?.erasures.erase({ email: ZOE.email, walletAddress: null }, AT, (found) => ({
          ...auditRecord(found),
          id: `erasure ${round}`,
        })),
      ]);
      expect(await store.records.mentions('ada', 9)).toEqual([]);
    }
  });

  it('removes the masked recipients of emails', async () => {
    await sendAll();
    await store.deliveries.recordAttempt(await leaseMail(), ATTEMPT, { state: 'sent' });
    expect((await erase({ email: ZOE.email })).counts.deliveryAttempts).toBe(1);
    expect(await store.deliveries.attempts(9)).toMatchObject([
      { maskedRecipient: '…', error: null, providerId: null, outcome: 'sent' },
    ]);
  });

  it('by wallet removes its sessions, its whitelisting and every record that names it', async () => {
    await sendAll();
    await proveWallet(WALLET);
    await proveWallet(OTHER_WALLET);
    const { sessions } = store;
    expect(await sessions.whitelistedTier(WALLET)).toBe('Banker');
    const { counts, records } = await erase({ walletAddress: WALLET });
    expect(records.map(({ kind }) => kind).toSorted()).toEqual(['card-application', 'verification-request']);
    expect(counts).toMatchObject({
      walletSessions: 1,
      walletChallenges: 1,
      provenWallets: 1,
      whitelistedWallets: 1,
    });
    expect(await sessions.whitelistedTier(WALLET)).toBeNull();
    expect(await sessions.sessionByToken(`token ${WALLET}`, AT)).toBeNull();
    expect(await sessions.sessionByToken(`token ${OTHER_WALLET}`, AT)).not.toBeNull();
    expect(await sessions.provenWallets()).toEqual(new Set([OTHER_WALLET]));
    await store.retention.truncateLog();
    expect((await stores.readAppBytes()).includes(WALLET)).toBe(false);
  });

  it('by wallet removes the reasons for decisions on its card, but keeps the card while it can be used', async () => {
    const { cards } = store;
    const order = { walletAddress: WALLET, tier: 'Banker', holderName: 'Zoe', issuer: 'sandbox' } as const;
    await cards.reserve({ ...order, id: 'card', idempotencyKey: 'key', stakeEntries: [], at: AT });
    const expiry = { lastFour: '4242', expiryMonth: 1, expiryYear: 2031 };
    const issued = { issuerCardId: 'ic', issuerCardholderId: null, ...expiry };
    await cards.activate('card', issued, { ...auditRecord(NO_RECORDS), id: 'created' });
    const frozen = { ...auditRecord(NO_RECORDS), id: 'frozen' };
    await cards.decide('card', { decision: 'frozen', reason: ZOE.text }, frozen);
    expect((await erase({ walletAddress: WALLET })).counts.cardReasons).toBe(1);
    expect(await cards.decisionsOn('card')).toMatchObject([{ decision: 'frozen', reason: null }]);
    expect((await cards.card('card'))?.state).toBe('frozen');
    await store.retention.truncateLog();
    expect((await stores.readAppBytes()).includes(ZOE.text)).toBe(false);
  });

  it('by wallet removes the data of a cardholder, even while the card is being created', async () => {
    const order = { walletAddress: WALLET, tier: 'Banker', holderName: 'Zoe', issuer: 'stripe' } as const;
    const keys = { id: 'card', idempotencyKey: 'key', stakeEntries: [] };
    await store.cards.reserve({ ...order, ...keys, cardholder: 'sealed', at: AT });
    expect((await erase({ walletAddress: WALLET })).counts.cardholders).toBe(1);
    expect(await store.cards.card('card')).toMatchObject({ state: 'pending', cardholder: null });
  });

  it('by wallet removes the payments that were reported to its holder', async () => {
    await addCard(store, 'card', WALLET);
    const reportSpend = async (id: string) => {
      const spend = { id, at: AT, merchant: 'Quillfeather & Sons', amount: 1n, isDeclined: false };
      await store.cards.reportSpends('card', [spend], AT);
    };
    await store.cards.setSpendNotices('card', AT, { ...auditRecord(NO_RECORDS), id: 'on' });
    await submitApplication(store, { walletAddress: WALLET, isOwnershipProven: true });
    await reportSpend('first');
    expect((await erase({ walletAddress: WALLET })).counts.cardSpends).toBe(1);
    await reportSpend('second');
    const found = await store.erasures.find({ email: null, walletAddress: WALLET });
    expect(found.counts.cardSpends).toBe(0);
    await store.retention.truncateLog();
    expect((await stores.readAppBytes()).includes('Quillfeather & Sons')).toBe(false);
  });

  it('forgets which top-ups were for a closed card, and who sent them, but not the transfers', async () => {
    await addCard(store, 'card', WALLET);
    await store.topUps.assignTags(() => 123_455);
    await store.topUps.begin(TEST_FEED);
    const transfer = sampleTransfer('transfer', { amount: 1_123_455n });
    const batch = {
      feed: TEST_FEED.id,
      previousBlock: TEST_FEED.block,
      block: 110,
      blockHash: '',
      at: 1,
      confirming: [],
    };
    await store.topUps.commit({ ...batch, final: [transfer] });
    expect((await erase({ walletAddress: WALLET })).counts).toMatchObject({ cardTags: 0, cardTopUps: 0 });
    await store.cards.change('card', 'closed', { ...auditRecord(NO_RECORDS), id: 'closed' });
    expect((await erase({ walletAddress: WALLET })).counts).toMatchObject({
      cardTags: 1,
      cardTopUps: 1,
      closedCards: 1,
    });
    expect(await store.topUps.ofCard('card', 9)).toEqual([]);
    expect(await store.topUps.tagOf('card')).toBeNull();
    // The transfer is still stored, so that it is not credited again.
    expect(await store.topUps.addMissing(TEST_FEED.id, [transfer], 2)).toBe(0);
  });

  it('keeps only what stops a wallet from getting another card after the team closed its card', async () => {
    await addCard(store, 'card', WALLET);
    await store.cards.claimStake('card', ['entry']);
    const decision = { decision: 'closed', reason: ZOE.text } as const;
    await store.cards.decide('card', decision, { ...auditRecord(NO_RECORDS), id: 'decided' });
    await store.cards.change('card', 'closed', { ...auditRecord(NO_RECORDS), id: 'closed' });
    const closedCard = await store.cards.card('card');
    expect(closedCard).toMatchObject({ holderName: expect.stringMatching(/./), issued: expect.anything() });
    expect((await erase({ walletAddress: WALLET })).counts).toMatchObject({ bannedCards: 1, closedCards: 0 });
    expect(await store.cards.lastClosed(WALLET)).toEqual({
      ...closedCard,
      ...{ holderName: '', issued: null, stakeEntries: [] },
    });
    const found = await store.erasures.find({ email: null, walletAddress: WALLET });
    expect(found.counts).toMatchObject({ bannedCards: 0, closedCards: 0 });
    const order = { walletAddress: WALLET, tier: 'Banker', holderName: 'Zoe', issuer: 'stripe' } as const;
    const newOrder = { ...order, id: 'new', idempotencyKey: 'new', stakeEntries: [], at: AT };
    expect(await store.cards.reserve(newOrder)).toEqual({ outcome: 'closed-by-team' });
  });

  it.each([
    ['has since whitelisted the wallet', 1],
    ['has since whitelisted the wallet, which then got another card', 2],
  ])('deletes a card that the team closed if the team %s', async (_, closedCards) => {
    const { cards, erasures, records } = store;
    const auditAt = (at: number) => ({ ...auditRecord(NO_RECORDS), id: `at ${at}`, at });
    await addCard(store, 'card', WALLET);
    await cards.decide('card', { decision: 'closed', reason: null }, auditAt(AT - 3));
    await cards.change('card', 'closed', auditAt(AT - 2));
    const referenceNumber = await submitRequest(store, { walletAddress: WALLET });
    const approval = { decision: 'approved', tier: 'Banker', reason: null } as const;
    await records.decideRequest({ ...approval, referenceNumber, changedAt: SUBMITTED_AT }, ADMIN);
    if (closedCards === 2) {
      await addCard(store, 'second', WALLET);
      await cards.change('second', 'stake-gone', auditAt(AT + 1));
      await cards.change('second', 'closed', auditAt(AT + 2));
    }
    const counts = { bannedCards: 0, closedCards, whitelistedWallets: 1 };
    const subject = { email: null, walletAddress: WALLET };
    expect((await erasures.find(subject)).counts).toMatchObject(counts);
    expect((await erase(subject)).counts).toMatchObject(counts);
    expect(await cards.lastClosed(WALLET)).toBeNull();
  });

  it('deletes what the person wrote about another person’s record, and keeps that record’s other messages', async () => {
    const referenceNumber = await submitMessage(store);
    const [adas, zoes] = [sampleFile(), sampleFile({ content: Buffer.from(ZOE.file) })];
    const receive = (sender: string, text: string, { file, attachment }: typeof adas) =>
      store.conversations.receive(
        sampleAnswer(referenceNumber, {
          ...{ sender, text, mailId: `<${sender}>` },
          ...{ files: [file], attachments: [attachment] },
        }),
      );
    await receive('ada@example.com', 'adawords', adas);
    await receive('ZOE.QUILL+x@example.org', ZOE.text, zoes);
    const search = async (text: string) =>
      (await store.records.list('contacts', { ...FIRST_PAGE, search: text })).rows.length;
    expect(await search('quillwords')).toBe(1);
    const counts = { conversation: 1, messageFiles: 1, cancelledDeliveries: 2 };
    const found = await store.erasures.find({ email: ZOE.email, walletAddress: null });
    expect(found).toMatchObject({ records: [], counts });
    expect(found.deliveries).toHaveLength(2);
    expect((await erase({ email: ZOE.email })).counts).toEqual(found.counts);
    expect(await store.conversations.messagesOf(referenceNumber)).toMatchObject([
      { text: 'adawords', attachments: [adas.attachment] },
    ]);
    expect(await store.conversations.readFile(zoes.file.id)).toBeNull();
    expect([await search('quillwords'), await search('adawords')]).toEqual([0, 1]);
    const deleted = (await store.auditTrail(9)).filter(({ action }) => action === 'message-file.deleted');
    expect(deleted.map(({ details }) => details.referenceNumber)).toEqual([referenceNumber]);
    await store.retention.truncateLog();
    expect(/zoe\.quill|quillwords/i.test((await stores.readAppBytes()).toString('latin1'))).toBe(false);
  });

  it('deletes invitations to the team, and the address to which ended ones were sent', async () => {
    const { admins } = store;
    const invite = async (id: string, email: string) => {
      const invitation = { id, kind: 'invitation', email, username: null, role: 'viewer' } as const;
      const link = { ...invitation, createdBy: 'olga', createdAt: SUBMITTED_AT, expiresAt: AT + 99 };
      expect(await admins.offerLink(link, `token ${id}`, true, adminAudit('offered'))).toBe('offered');
    };
    await admins.add(sampleAdmin('olga'), adminAudit('admin.added'));
    await invite('declined', 'Zoe.Quill+team@example.org');
    await store.deliveries.recordAttempt(await leaseMail(), ATTEMPT, { state: 'sent' });
    await admins.withdrawLink('declined', adminAudit('withdrawn'));
    await invite('open', ZOE.email);
    await invite('other', 'eve@example.com');
    const found = await store.erasures.find({ email: ZOE.email, walletAddress: null });
    const counts = { invitations: 1, recipients: 2, cancelledDeliveries: 1, deliveryAttempts: 1 };
    expect(found).toMatchObject({ records: [], counts });
    expect((await erase({ email: ZOE.email })).counts).toEqual(found.counts);
    expect((await admins.links()).map(({ id }) => id)).toEqual(['other']);
    expect(await store.deliveries.deliveriesOf('other')).toMatchObject([
      { recipient: 'eve@example.com', state: 'waiting' },
    ]);
    await store.retention.truncateLog();
    expect(/zoe\.quill/i.test((await stores.readAppBytes()).toString('latin1'))).toBe(false);
  });

  it('leaves other people’s data, and finds nothing the second time', async () => {
    await sendAll();
    const adaReference = await submitMessage(store);
    await erase({ email: ZOE.email });
    expect(await store.records.counts(0)).toMatchObject({
      applications: { received: 0, approved: 0 },
      requests: { received: 0, approved: 0 },
      contacts: { open: 1 },
      loans: { received: 0, 'in-review': 0 },
      deadDeliveries: 0,
      waitingDeliveries: 3,
    });
    const nothing = await store.erasures.find({ email: ZOE.email, walletAddress: null });
    expect(nothing.records).toEqual([]);
    expect(Object.values(nothing.counts).every((count) => count === 0)).toBe(true);
    expect(await store.submissions.find('contact-message', adaReference)).toMatchObject({
      name: 'Ada Lovelace',
    });
  });

  it('is rolled back when its audit record cannot be added', async () => {
    const [, , message = ''] = await sendAll();
    const failing = store.erasures.erase({ email: ZOE.email, walletAddress: null }, AT, () => {
      throw new RangeError('no record');
    });
    await expect(failing).rejects.toThrow('no record');
    expect(await store.submissions.find('contact-message', message)).toMatchObject({ name: ZOE.name });
  });
});
