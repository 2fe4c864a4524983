import { describe, expect, it } from 'vitest';
import { UNDO_MS } from '../../model/undo.ts';
import { addReviewers, submitLoan } from '../testing/sample-loans.ts';
import { sampleAnswer, sampleFile } from '../testing/sample-messages.ts';
import {
  FIRST_PAGE,
  SUBMITTED_AT,
  submitApplication,
  submitMessage,
  submitRequest,
} from '../testing/sample-submissions.ts';
import { openPrograms, store, useAppStore } from '../testing/test-stores.ts';

const AT = SUBMITTED_AT + 60_000;
const ADMIN = { adminId: 'one', address: '::1', at: AT };
const HOUR_MS = 3_600_000;
const OTHER_WALLET = 'So11111111111111111111111111111111111111112';

describe('merging records', () => {
  useAppStore();

  const seenState = async (referenceNumber: string) => {
    const found = await store.records.record(referenceNumber);
    return { referenceNumber, changedAt: found?.record.changedAt ?? 0 };
  };
  const statusOf = async (referenceNumber: string) =>
    (await store.records.record(referenceNumber))?.record.status;
  const merge = async (kept: string, ...merged: readonly string[]) =>
    store.records.merge(
      { kept: await seenState(kept), merged: await Promise.all(merged.map(seenState)) },
      ADMIN,
    );
  async function mergeAll(kept: string, ...merged: readonly string[]) {
    const outcome = await merge(kept, ...merged);
    if (outcome.kind !== 'merged') throw new Error(`Nothing was merged: ${outcome.kind}.`);
    return outcome;
  }
  const queuedReferences = async () =>
    (await store.records.workQueue({}, { limit: 9, after: null })).rows.map((row) => row.referenceNumber);

  it('takes the merged records off the work list, with an audit record for each, and keeps them findable', async () => {
    const kept = await submitApplication(store, { createdAt: SUBMITTED_AT + 5_000 });
    const merged = [await submitApplication(store), await submitApplication(store)] as const;
    const due = (await store.records.record(merged[0]))?.record.dueAt;
    const outcome = await mergeAll(kept, ...merged);
    expect(outcome.merged).toEqual(await Promise.all(merged.map(seenState)));
    expect(outcome.changedAt).toBe((await seenState(kept)).changedAt);
    expect(await queuedReferences()).toEqual([kept]);
    expect((await store.records.counts(0)).applications).toMatchObject({ received: 1, merged: 2 });
    const keptRecord = await store.records.record(kept);
    // The kept record gets the earliest due time, because the person has waited since the first record.
    expect(keptRecord?.record.dueAt).toBe(due);
    expect(keptRecord?.mergedInto).toBeNull();
    expect(keptRecord?.merged).toEqual(
      merged.map((referenceNumber) => ({ referenceNumber, at: AT, by: 'one' })),
    );
    const mergedRecord = await store.records.record(merged[0]);
    expect(mergedRecord).toMatchObject({
      mergedInto: kept,
      merged: [],
      record: { status: 'merged', dueAt: null },
    });
    const { rows } = await store.records.list('applications', { ...FIRST_PAGE, search: merged[1] });
    expect(rows).toMatchObject([{ referenceNumber: merged[1], status: 'merged' }]);
    const trail = (await store.auditTrail(9)).filter(({ action }) => action === 'card-application.merged');
    expect(trail.map(({ actor, details }) => [actor, details]).toReversed()).toEqual(
      merged.map((referenceNumber) => ['one', { referenceNumber, from: 'received', into: kept }]),
    );
    const decisionInput = { ...(await seenState(merged[0])), decision: 'approved', reason: null } as const;
    expect(await store.records.decideApplication(decisionInput, ADMIN)).toMatchObject({ kind: 'closed' });
  });

  it('shows the conversation, notes and files of both records, and accepts answers to either', async () => {
    const [kept, merged] = [await submitLoan(store), await submitLoan(store)];
    const { file, attachment } = sampleFile();
    const first = sampleAnswer(merged, { files: [file], attachments: [attachment], mailId: 'first' });
    await store.conversations.receive(first);
    await store.records.addNote({ referenceNumber: merged, text: 'Looks fine.' }, ADMIN);
    await mergeAll(kept, merged);
    expect(await store.conversations.receive(sampleAnswer(merged, { mailId: 'second' }))).toBe('received');
    const messages = await store.conversations.messagesOf(kept);
    expect(messages.map((one) => [one.referenceNumber, one.mailId])).toEqual([
      [merged, 'first'],
      [kept, 'second'],
    ]);
    expect(messages[0]?.attachments[0]?.fileId).toBe(file.id);
    const reply = {
      referenceNumber: merged,
      files: [],
      kind: 'reply',
      subject: 'Yes',
      text: 'Yes.',
    } as const;
    expect(await store.conversations.reply({ ...reply, after: messages[0]?.id ?? null }, ADMIN)).toEqual({
      kind: 'merged',
    });
    const stale = { ...reply, referenceNumber: kept, after: messages[0]?.id ?? null };
    expect((await store.conversations.reply(stale, ADMIN)).kind).toBe('changed');
    const after = messages[1]?.id ?? null;
    expect((await store.conversations.reply({ ...stale, after }, ADMIN)).kind).toBe('sent');
    const keptRecord = await store.records.record(kept);
    expect(keptRecord?.notes).toMatchObject([{ referenceNumber: merged, text: 'Looks fine.' }]);
    if (keptRecord?.kind !== 'loan-application') throw new Error('The kept record is no loan application.');
    expect(keptRecord.documents.map(({ referenceNumber }) => referenceNumber)).toEqual([
      ...[kept, kept, merged, merged],
    ]);
  });

  it('shows the applicant the status of the kept record', async () => {
    await addReviewers(store, 'one');
    const [kept, merged] = [await submitRequest(store), await submitRequest(store)];
    await mergeAll(kept, merged);
    const decisionInput = { ...(await seenState(kept)), decision: 'refused', reason: 'No stake.' } as const;
    await store.records.decideRequest(decisionInput, ADMIN);
    const status = await store.submissions.timelineOf(merged, 'ada@example.com');
    expect(status).toMatchObject({ referenceNumber: merged, mergedInto: kept });
    expect(status?.events.at(-1)).toMatchObject({ status: 'refused', note: 'No stake.' });
    const wallet = (await store.submissions.find('verification-request', kept))?.walletAddress ?? '';
    const ofWallet = await store.submissions.ofWallet(wallet, 9);
    expect(ofWallet.map(({ referenceNumber }) => referenceNumber)).toEqual([kept]);
  });

  it('does not change the times of the statuses that the owner of the wallet sees', async () => {
    await addReviewers(store, 'one');
    const [kept, merged] = [await submitRequest(store), await submitRequest(store)];
    const wallet = (await store.submissions.find('verification-request', kept))?.walletAddress ?? '';
    await mergeAll(kept, merged);
    expect(await store.submissions.ofWallet(wallet, 9)).toMatchObject([
      { status: 'received', changedAt: SUBMITTED_AT },
    ]);
    const refusal = { ...(await seenState(kept)), decision: 'refused', reason: 'No stake.' } as const;
    await store.records.decideRequest(refusal, { ...ADMIN, at: AT + 1_000 });
    expect(await store.submissions.ofWallet(wallet, 9)).toMatchObject([
      { status: 'refused', changedAt: AT + 1_000 },
    ]);
    const undone = await store.records.undo(await seenState(kept), { ...ADMIN, at: AT + 2_000 });
    expect(undone.kind).toBe('undone');
    expect(await store.submissions.ofWallet(wallet, 9)).toMatchObject([
      { status: 'received', changedAt: SUBMITTED_AT },
    ]);
  });

  it('reopens an answered message if an open one is merged into it', async () => {
    const [kept, merged] = [await submitMessage(store), await submitMessage(store)];
    const answerInput = { ...(await seenState(kept)), status: 'answered', reason: null } as const;
    await store.records.decideContact(answerInput, ADMIN);
    const due = (await store.records.record(merged))?.record.dueAt;
    await mergeAll(kept, merged);
    expect((await store.records.record(kept))?.record).toMatchObject({ status: 'open', dueAt: due });
  });

  it('can be undone as a whole, which restores the kept record unless a message was added', async () => {
    const kept = await submitMessage(store);
    const merged = [
      await submitMessage(store, { createdAt: SUBMITTED_AT - 5_000 }),
      await submitMessage(store),
    ] as const;
    await store.records.decideContact(
      { ...(await seenState(kept)), status: 'answered', reason: null },
      ADMIN,
    );
    const before = await store.records.record(kept);
    await mergeAll(kept, ...merged);
    const undo = async (referenceNumber: string) =>
      (await store.records.undo(await seenState(referenceNumber), ADMIN)).kind;
    expect(await undo(merged[0])).toBe('undone');
    expect((await store.records.record(kept))?.record.status).toBe('open');
    expect(await undo(merged[1])).toBe('undone');
    const after = await store.records.record(kept);
    expect(after?.record).toEqual({ ...before?.record, changedAt: after?.record.changedAt });
    expect(after?.decisions).toEqual(before?.decisions);
    expect((await store.records.counts(0)).contacts).toMatchObject({ open: 2, answered: 1, merged: 0 });
    await mergeAll(kept, merged[0]);
    await store.conversations.receive(sampleAnswer(kept, { mailId: 'new' }));
    expect(await undo(merged[0])).toBe('undone');
    expect((await store.records.record(kept))?.record.status).toBe('open');
  });

  it('refuses records of other people, wallets or kinds, decided records, and records that others are merged into', async () => {
    const kept = await submitApplication(store);
    const refusalOf = async (...merged: readonly string[]) => (await merge(kept, ...merged)).kind;
    const stranger = { email: 'zoe@example.org', isOwnershipProven: false };
    expect(await refusalOf(await submitApplication(store, stranger))).toBe('other-person');
    const proven = await submitApplication(store, { email: 'zoe@example.org' });
    expect(await refusalOf(await submitApplication(store, { walletAddress: OTHER_WALLET }))).toBe(
      'other-wallet',
    );
    expect(await refusalOf(await submitRequest(store))).toBe('unknown');
    const decided = await submitApplication(store);
    await store.records.decideApplication(
      { ...(await seenState(decided)), decision: 'refused', reason: 'No.' },
      ADMIN,
    );
    const open = await submitApplication(store);
    expect(await refusalOf(open, decided)).toBe('closed');
    expect(await merge(decided, open)).toEqual({ kind: 'closed', referenceNumber: decided });
    // If one of the records cannot be merged, none is.
    expect(await statusOf(open)).toBe('received');
    const stale = { ...(await seenState(open)), changedAt: 1 };
    expect((await store.records.merge({ kept: await seenState(kept), merged: [stale] }, ADMIN)).kind).toBe(
      'changed',
    );
    await mergeAll(kept, open, proven);
    expect(await merge(kept, open)).toEqual({ kind: 'merged-before', referenceNumber: open });
    const third = await submitApplication(store);
    expect(await merge(third, kept)).toEqual({ kind: 'has-merged', referenceNumber: kept });
  });

  it('succeeds only once and forms no cycle, even if several programs try', async () => {
    const [one, two] = [await submitApplication(store), await submitApplication(store)];
    const [first, second] = [await seenState(one), await seenState(two)];
    const programs = await openPrograms(4);
    const outcomes = await Promise.all(
      programs.map(({ records }, index) =>
        records.merge(
          index % 2 === 0 ? { kept: first, merged: [second] } : { kept: second, merged: [first] },
          ADMIN,
        ),
      ),
    );
    expect(outcomes.filter(({ kind }) => kind === 'merged')).toHaveLength(1);
    expect([await statusOf(one), await statusOf(two)].toSorted()).toEqual(['merged', 'received']);
  });

  it('can be undone for some seconds, and later only by a split with a reason', async () => {
    const [kept, merged] = [await submitRequest(store), await submitRequest(store)];
    await mergeAll(kept, merged);
    const undone = await store.records.undo(await seenState(merged), { ...ADMIN, at: AT + UNDO_MS - 1 });
    expect(undone).toMatchObject({ kind: 'undone', status: 'received' });
    expect(await store.records.record(kept)).toMatchObject({ merged: [] });
    expect((await queuedReferences()).toSorted()).toEqual([kept, merged]);
    await mergeAll(kept, merged);
    const later = { ...ADMIN, at: AT + UNDO_MS * 2 };
    expect((await store.records.undo(await seenState(merged), later)).kind).toBe('over');
    const splitInput = { ...(await seenState(merged)), reason: 'Another wallet.' };
    expect((await store.records.split({ ...splitInput, changedAt: 1 }, later)).kind).toBe('changed');
    expect(await store.records.split(splitInput, later)).toMatchObject({ kind: 'split', status: 'received' });
    expect((await store.records.split({ ...(await seenState(kept)), reason: 'No.' }, later)).kind).toBe(
      'not-merged',
    );
    const splitRecord = await store.records.record(merged);
    expect(splitRecord?.mergedInto).toBeNull();
    expect(splitRecord?.decisions.map(({ decision, reason }) => [decision, reason])).toEqual([
      ['merged', null],
      ['split', 'Another wallet.'],
    ]);
    expect((await store.auditTrail(1))[0]).toMatchObject({
      action: 'verification-request.split',
      details: { referenceNumber: merged, from: kept, to: 'received' },
    });
    expect((await store.records.counts(0)).requests).toMatchObject({ received: 2, merged: 0 });
  });

  it('leaves nothing of a person: both records are erased together', async () => {
    const kept = await submitApplication(store, { email: 'zoe@example.org' });
    const merged = await submitApplication(store, { walletAddress: OTHER_WALLET, email: 'zoe@example.org' });
    const other = await submitApplication(store);
    expect((await merge(kept, merged)).kind).toBe('other-wallet');
    // `kept` and `other` have the same proven wallet, but different mailboxes.
    await mergeAll(kept, other);
    const erased = await store.erasures.erase({ email: 'ada@example.com', walletAddress: null }, AT, () => ({
      ...{ id: 'erasure', at: AT, actor: 'one', action: 'person.erased', details: {} },
    }));
    const found = erased.records.map(({ referenceNumber }) => referenceNumber);
    expect(found.toSorted()).toEqual([kept, other].toSorted());
    expect(erased.counts.merges).toBe(1);
    expect(await store.records.record(kept)).toBeNull();
    expect(await store.records.record(merged)).not.toBeNull();
  });

  it('leaves no record merged into an erased one, whether the merge or the erasure comes first', async () => {
    const programs = await openPrograms(2);
    for (let round = 0; round < 6; round += 1) {
      const kept = await submitApplication(store);
      // This record has the same proven wallet as `kept`, but another mailbox.
      const merged = await submitApplication(store, { email: 'zoe@example.org' });
      const mergeInput = { kept: await seenState(kept), merged: [await seenState(merged)] };
      const [outcome] = await Promise.all([
        programs[0]?.records.merge(mergeInput, ADMIN),
        programs[1]?.erasures.erase({ email: 'ada@example.com', walletAddress: null }, AT, () => ({
          ...{ id: `erasure ${round}`, at: AT, actor: 'one', action: 'person.erased', details: {} },
        })),
      ]);
      expect(await statusOf(kept)).toBeUndefined();
      expect(await statusOf(merged)).toBe(outcome?.kind === 'merged' ? undefined : 'received');
    }
  });

  it('ends the retention of merged records with that of the kept record', async () => {
    const [kept, merged] = [await submitMessage(store), await submitMessage(store)];
    await mergeAll(kept, merged);
    const closingInput = { ...(await seenState(kept)), status: 'closed', reason: null } as const;
    await store.records.decideContact(closingInput, ADMIN);
    expect(await store.retention.messagesDue(AT + 1)).toEqual([kept]);
    expect(await store.retention.deleteMessage(kept, AT + 1, AT + 2)).toBe(2);
    expect(await store.submissions.find('contact-message', merged)).toBeNull();
    await addReviewers(store, 'one', 'two');
    const [loan, otherLoan] = [await submitLoan(store), await submitLoan(store)];
    await mergeAll(loan, otherLoan);
    expect(await store.retention.applicationsWithDocumentsDue(AT + 9)).toEqual([]);
    for (const adminId of ['one', 'two']) {
      const vote = { ...(await seenState(loan)), vote: 'refuse', reason: 'No.' } as const;
      await store.records.vote(vote, { ...ADMIN, adminId });
    }
    expect((await store.retention.applicationsWithDocumentsDue(AT + 9)).toSorted()).toEqual([
      loan,
      otherLoan,
    ]);
    expect(await store.retention.deleteDocuments(otherLoan, AT + 9, AT + 9)).toBe(2);
  });

  it('confirms the mailbox of the kept record with the link for a merged loan application', async () => {
    const mailbox = { confirmBy: AT + 1_000 };
    const kept = await submitLoan(store, { ...mailbox, confirmationDigest: 'kept' });
    const merged = await submitLoan(store, { ...mailbox, confirmationDigest: 'merged' });
    await mergeAll(kept, merged);
    expect(await store.submissions.confirmMailbox('merged', AT)).toMatchObject({ kind: 'confirmed' });
    expect(await store.retention.unconfirmedApplicationsDue(AT + 2_000)).toEqual([]);
    expect((await store.submissions.find('loan-application', kept))?.mailboxConfirmedAt).toBe(AT);
  });

  it('accepts the link for a merged loan application as long as the documents of the kept one are stored', async () => {
    const kinds: string[] = [];
    for (const name of ['confirmed', 'open', 'late', 'closed']) {
      const kept = await submitLoan(store, { confirmBy: AT + 2_000, confirmationDigest: `kept ${name}` });
      const mergedMailbox = { confirmBy: AT + 1_000, confirmationDigest: `merged ${name}` };
      await mergeAll(kept, await submitLoan(store, mergedMailbox));
      if (name === 'confirmed') await store.submissions.confirmMailbox('kept confirmed', AT);
      if (name === 'closed') await store.retention.deleteUnconfirmed(kept, AT + 2_000);
      const at = name === 'late' ? AT + 2_000 : AT + 1_000;
      kinds.push((await store.submissions.confirmMailbox(`merged ${name}`, at)).kind);
    }
    expect(kinds).toEqual(['confirmed', 'confirmed', 'expired', 'expired']);
    expect(await store.retention.unconfirmedApplicationsDue(AT + 2_000)).toHaveLength(1);
  });

  it('keeps the documents if the mailbox was confirmed through a merged loan application earlier', async () => {
    const mailbox = { confirmBy: AT + 1_000 };
    const kept = await submitLoan(store, { ...mailbox, confirmationDigest: 'kept' });
    const merged = await submitLoan(store, { ...mailbox, confirmationDigest: 'merged' });
    await store.submissions.confirmMailbox('merged', AT - 1);
    await mergeAll(kept, merged);
    expect(await store.retention.unconfirmedApplicationsDue(AT + 2_000)).toEqual([]);
    expect((await store.submissions.find('loan-application', kept))?.mailboxConfirmedAt).toBe(AT - 1);
    const [third, fourth] = [
      await submitLoan(store, { ...mailbox, confirmationDigest: 'third' }),
      await submitLoan(store, mailbox),
    ];
    await mergeAll(third, fourth);
    expect(await store.retention.unconfirmedApplicationsDue(AT + 2_000)).toEqual([third]);
  });

  it('keeps the documents until the latest of the deadlines, and an undo restores the earlier one', async () => {
    const kept = await submitLoan(store, { confirmBy: AT + 1_000, confirmationDigest: 'kept' });
    const sameMailbox = { email: 'Ada+loan@example.com', confirmationDigest: 'merged' };
    const merged = await submitLoan(store, { ...sameMailbox, confirmBy: AT + 9_000 });
    await mergeAll(kept, merged);
    expect(await store.retention.unconfirmedApplicationsDue(AT + 2_000)).toEqual([]);
    expect((await store.records.undo(await seenState(merged), ADMIN)).kind).toBe('undone');
    expect(await store.retention.unconfirmedApplicationsDue(AT + 2_000)).toEqual([kept]);
    await mergeAll(kept, merged);
    expect(await store.submissions.confirmMailbox('merged', AT + 3_000)).toMatchObject({ kind: 'confirmed' });
    expect(await store.retention.unconfirmedApplicationsDue(AT + 9_000)).toEqual([]);
    expect((await store.submissions.find('loan-application', kept))?.mailboxConfirmedAt).toBe(AT + 3_000);
  });

  it('keeps the documents of a split loan application whose deadline passed during the merge', async () => {
    const mailbox = { confirmBy: AT + 1_000 };
    const kept = await submitLoan(store, { ...mailbox, confirmationDigest: 'kept' });
    const merged = await submitLoan(store, { ...mailbox, confirmationDigest: 'merged' });
    const [other, unconfirmed] = [
      await submitLoan(store, mailbox),
      await submitLoan(store, { ...mailbox, confirmationDigest: 'unconfirmed' }),
    ];
    await mergeAll(kept, merged);
    await mergeAll(other, unconfirmed);
    await store.submissions.confirmMailbox('kept', AT);
    const at = AT + 2_000;
    for (const referenceNumber of [merged, unconfirmed]) {
      const splitInput = { ...(await seenState(referenceNumber)), reason: 'Another loan.' };
      await store.records.split(splitInput, { ...ADMIN, at });
    }
    expect((await store.submissions.find('loan-application', merged))?.mailboxConfirmedAt).toBe(AT);
    expect(await store.retention.unconfirmedApplicationsDue(at + 47 * HOUR_MS)).toEqual([other]);
    expect(await store.retention.unconfirmedApplicationsDue(at + 48 * HOUR_MS)).toEqual([other, unconfirmed]);
    expect(await store.submissions.confirmMailbox('unconfirmed', at)).toMatchObject({ kind: 'confirmed' });
  });
});
