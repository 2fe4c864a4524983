import type { AdminLink } from '../admin-link-port.ts';
import type { AppStore } from '../ports.ts';
import type { Actor } from '../record-port.ts';
import {
  addAdminWithTotp,
  adminAudit,
  IP_ADDRESS,
  SIGNED_IN_AT,
  sampleAdmin,
  signIn,
} from './sample-admins.ts';
import { addReviewers, sampleDocuments, sampleLoan, submitLoan } from './sample-loans.ts';
import { addSampleNote, sampleAnswer, sampleFile } from './sample-messages.ts';
import {
  acceptedReference,
  SUBMITTED_AT,
  sampleOptions,
  sampleRequest,
  submitApplication,
  submitMessage,
  submitRequest,
} from './sample-submissions.ts';
import { sampleTransfer, TEST_FEED } from './sample-top-ups.ts';
import { addEndpoint } from './sample-webhooks.ts';

const ACTOR: Actor = { adminId: 'ada', address: IP_ADDRESS, at: SUBMITTED_AT + 60_000 };

export interface FilledStore {
  readonly application: string;
  readonly message: string;
  readonly loan: string;
  readonly documents: readonly string[];
}

async function fillTeam(store: AppStore): Promise<void> {
  await addAdminWithTotp(store, 'ada', ['code one', 'code two']);
  await addReviewers(store, 'grace', 'alan');
  await store.admins.add(sampleAdmin('Zoë', { addedBy: 'ada' }), adminAudit('admin.added'));
  await signIn(store, 'ada', { kind: 'recovery', code: 'code one' });
  const link: AdminLink = {
    id: 'link',
    kind: 'password-reset',
    email: null,
    adminId: 'Zoë',
    removeSecondFactors: false,
    createdBy: 'ada',
    createdAt: SIGNED_IN_AT,
    expiresAt: SIGNED_IN_AT + 1,
  };
  const passkey = { id: 'key', adminId: 'alan', name: 'Phone', publicKey: '{}', counter: 0 };
  const added = { ...passkey, createdAt: SIGNED_IN_AT };
  await store.admins.addPasskey(added, 1, '', adminAudit('admin.passkey-added'));
  await store.admins.addChallenge('challenge', { purpose: 'sign-in', adminId: null }, 0, SIGNED_IN_AT + 1);
  await store.admins.offerLink(link, 'token', false, adminAudit('admin.reset-offered'));
  const rule = { subject: 'account:ada', delayAfter: () => 5_000, blocks: true } as const;
  await store.admins.countAttempt([rule], SIGNED_IN_AT, 0);
}

async function fillSubmissions(store: AppStore): Promise<FilledStore> {
  const application = await submitApplication(
    store,
    { name: 'Ada "Łovelace" 🦆', telegram: null, checked: null },
    sampleOptions({ idempotency: { keyHash: 'a'.repeat(64), bodyHash: 'b'.repeat(64) } }),
  );
  // PostgreSQL cannot store U+0000.
  const message = await submitMessage(store, { subject: 'Nul \u0000', message: 'More \u0000 "nul"' });
  const request = await submitRequest(store);
  const documents = sampleDocuments();
  const quota = { scope: 'portal', subject: 'c'.repeat(64), limit: 1_000, endsAt: SUBMITTED_AT } as const;
  const loan = acceptedReference(
    await store.submissions.submit(
      'loan-application',
      sampleLoan({ confirmationDigest: 'd'.repeat(64), confirmBy: SUBMITTED_AT + 1_000 }),
      sampleOptions({ quotas: [quota] }),
      documents,
    ),
  );
  const otherLoans = [];
  for (let index = 0; index < 6; index += 1)
    otherLoans.push(await submitLoan(store, { name: `Applicant ${index}` }));
  const changedAt = SUBMITTED_AT;
  const [kept = '', merged = ''] = otherLoans;
  await store.records.merge(
    {
      kept: { referenceNumber: kept, changedAt },
      merged: [{ referenceNumber: merged, changedAt }],
    },
    ACTOR,
  );
  await store.records.decideApplication(
    { referenceNumber: application, changedAt, decision: 'refused', reason: 'Too young.' },
    ACTOR,
  );
  await store.records.decideRequest(
    { referenceNumber: request, changedAt, decision: 'approved', tier: 'Banker', reason: null },
    ACTOR,
  );
  const voter = { ...ACTOR, adminId: 'grace' };
  await store.records.vote({ referenceNumber: loan, changedAt, vote: 'approve', reason: null }, voter);
  const text = 'A note.\nIn two lines.';
  const noteId = await addSampleNote(store, { referenceNumber: loan, text }, ACTOR);
  await store.records.changeNote(
    { noteId, seen: text, text: 'A changed note for @grace.', mentions: ['grace'] },
    ACTOR,
  );
  await store.conversations.reply(
    {
      ...{ referenceNumber: loan, kind: 'question', subject: 'Your passport', text: 'Dear Ada', after: null },
      files: [],
    },
    ACTOR,
  );
  await store.conversations.attach({ ...sampleFile().file, referenceNumber: loan }, ACTOR);
  const { file, attachment } = sampleFile();
  const files = { files: [file], attachments: [attachment] };
  await store.conversations.receive(sampleAnswer(loan, { at: ACTOR.at, notifies: false, ...files }));
  return { application, message, loan, documents: documents.map(({ id }) => id) };
}

async function fillFilters({ filters }: AppStore): Promise<void> {
  const filter = { adminId: 'ada', list: 'contacts', view: '{"q":"ä"}', createdAt: SUBMITTED_AT };
  await filters.add({ ...filter, id: 'own', name: 'Mine', isShared: false }, 9, adminAudit('filter.saved'));
  await filters.add({ ...filter, id: 'shared', name: 'Ours', isShared: true }, 9, adminAudit('filter.saved'));
}

async function fillDeliveries({ deliveries, bounces }: AppStore): Promise<void> {
  const now = ACTOR.at;
  const claimRequest = { channel: 'mail', now, leasedUntil: now + 1_000, limit: 99 } as const;
  const claimed = await deliveries.claimDue(claimRequest);
  const [sent, dead] = claimed.filter(({ audience }) => audience === 'team');
  const bounced = claimed.find(
    ({ event, audience }) => event === 'contact-message.received' && audience === 'applicant',
  );
  if (!sent || !dead || !bounced) throw new Error('Too few deliveries are due.');
  const attempt = { at: now, providerId: null, code: null, error: null, maskedRecipient: 'a…', latencyMs: 7 };
  await deliveries.recordAttempt(
    sent,
    { ...attempt, outcome: 'sent', providerId: 'id 7' },
    { state: 'sent' },
  );
  const [, ...released] = claimed.filter((one) => ![sent, dead, bounced].includes(one));
  for (const lease of released) await deliveries.release(lease);
  for (const refused of [dead, bounced]) {
    await deliveries.recordAttempt(refused, { ...attempt, outcome: 'dead', code: '550' }, { state: 'dead' });
  }
  const { referenceNumber } = bounced;
  await bounces.correctAddress({ referenceNumber, email: 'new@example.com', confirmation: null }, ACTOR);
}

async function fillWallets({ sessions, cards }: AppStore): Promise<void> {
  const { walletAddress } = sampleRequest();
  const times = { issuedAt: 1_000, expiresAt: 2_000 };
  await sessions.issueChallenge({ nonce: 'nonce', walletAddress, message: 'message', ...times });
  await sessions.openSession({ token: 'token', walletAddress, provedAt: 1_000, expiresAt: 5_000 });
  const order = { walletAddress, tier: 'Banker', holderName: 'Member', issuer: 'stripe', at: 1_000 } as const;
  const keys = {
    id: 'card',
    idempotencyKey: 'key',
    stakeEntries: ['entry "1"', 'entry 2'],
    cardholder: 'c2VhbGVk',
  };
  await cards.reserve({ ...order, ...keys });
  const issued = {
    issuerCardId: 'ic',
    issuerCardholderId: 'ich',
    lastFour: '0042',
    expiryMonth: 3,
    expiryYear: 2031,
  };
  await cards.activate('card', issued, adminAudit('card.created'));
  await cards.decide('card', { decision: 'frozen', reason: 'Stolen.' }, adminAudit('card.frozen'));
  const limits = { dailyLimitUsd: 5, monthlyLimitUsd: 50 };
  await cards.setLimits('card', limits, adminAudit('card.limits-changed'));
  await cards.setSpendNotices('card', 1_000, adminAudit('card.spend-notices-on'));
  const spend = { id: 'spend', at: 1_000, merchant: 'Café “Ä”', amount: -5n, isDeclined: true };
  const message = { issuer: 'stripe', id: 'evt', kind: 'updated', receivedAt: 5 } as const;
  await cards.applyIssuerMessage(message, null, { cardId: 'card', spend });
}

async function fillAlerts({ alerts }: AppStore): Promise<void> {
  const alert = { code: 'disk-low', startedAt: 1_000, detail: '5 MB “free”.', notifiedAt: 2_000 };
  await alerts.begin({ ...alert, id: 'disk-low@1' }, [{ channel: 'mail', recipient: null }]);
  await alerts.end({ id: 'disk-low@1', endedAt: 3_000, notifiedAt: 4_000 }, []);
  await alerts.begin({ ...alert, id: 'disk-low@2' }, []);
}

async function fillChat({ chat }: AppStore): Promise<void> {
  await chat.addUnanswered('Wen?', 1_000, 10);
  const added = {
    id: 'addition',
    kind: 'answer',
    question: 'Why?',
    answer: 'So.',
    addedAt: 1,
    adminId: 'ada',
  } as const;
  await chat.addAddition(added, [], 10, adminAudit('chat.added'));
  await chat.addVerdict('/faq/', 'up', SUBMITTED_AT);
  await chat.addVerdict('/faq/', 'down', SUBMITTED_AT);
  await chat.addTranscript({ at: 1_000, question: 'Q', answer: 'A', source: '/faq/' }, 0);
}

async function fillReports({ reports }: AppStore): Promise<void> {
  const subscription = { adminId: 'ada', email: 'ada@example.com', requestedAt: SUBMITTED_AT };
  await reports.subscribe(subscription, adminAudit('weekly-report.requested'));
  await reports.confirmSubscription(subscription, 0, adminAudit('weekly-report.confirmed'));
  while (await reports.update(SUBMITTED_AT + 100 * 3_600_000)) {
    // Repeats until every record of the audit trail has been counted.
  }
}

async function fillSubscriptions({ subscriptions }: AppStore): Promise<void> {
  const request = {
    id: 'reminder',
    subject: 'wallet',
    channel: 'telegram',
    target: null,
    fromSlot: 7,
  } as const;
  const at = SUBMITTED_AT;
  const limits = { perChannel: 1, perAddress: 1, since: 0 };
  await subscriptions.request({ ...request, requestedAt: at }, limits);
  const confirmed = { at, fromSlot: 7 };
  const subscription = await subscriptions.confirm(
    { id: 'reminder', target: '42', requestedSince: 0 },
    confirmed,
  );
  if (subscription) await subscriptions.queue([{ subscription, occasion: 'day', cause: 'entry 1' }], at);
}

async function fillTopUps({ topUps }: AppStore): Promise<void> {
  const tag = 100_008;
  await topUps.assignTags(() => tag);
  await topUps.begin(TEST_FEED);
  await topUps.commit({
    feed: TEST_FEED.id,
    previousBlock: TEST_FEED.block,
    block: 110,
    blockHash: '0xhash110',
    at: SUBMITTED_AT,
    final: [sampleTransfer('credited', { amount: 250_000_000n + BigInt(tag) }), sampleTransfer('unmatched')],
    confirming: [sampleTransfer('confirming', { block: 111 })],
  });
}

/** Adds rows to every table of an empty store. */
export async function fillStore(store: AppStore): Promise<FilledStore> {
  await store.recordAudit(
    adminAudit('portal.started', { details: { z: 1, a: 'ä \u0000', none: null, ratio: 0.5 } }),
  );
  await fillTeam(store);
  await addEndpoint(store, 'ledger', { types: ['application.submitted', 'card.frozen'] });
  await store.webhooks.rollSecret('ledger', Buffer.from([0, 1, 255]), 9_000, adminAudit('webhook.rolled'));
  const filled = await fillSubmissions(store);
  await fillDeliveries(store);
  await fillAlerts(store);
  await fillFilters(store);
  await fillSubscriptions(store);
  await fillWallets(store);
  await fillTopUps(store);
  await fillChat(store);
  await fillReports(store);
  return filled;
}
