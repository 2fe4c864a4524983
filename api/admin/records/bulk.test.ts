// @module-tag slow
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { changeRecords } from '../../../data/contract/admin-bulk.ts';
import { undoDecisions } from '../../../data/contract/admin-decisions.ts';
import { MAX_BULK } from '../../../data/model/bulk.ts';
import { submitLoan } from '../../../data/store/testing/sample-loans.ts';
import {
  sampleApplication,
  submitApplication,
  submitMessage,
  submitRequest,
} from '../../../data/store/testing/sample-submissions.ts';
import { FakeIndex, TEST_START } from '../../testing/fake-index.ts';
import { manyStakes, openedStake } from '../../testing/sample-stakes.ts';
import { startTestPortal, type TestPortal } from '../../testing/test-portal.ts';
import { addAdmin, askAs, openSession, signedInAdmin } from '../testing/team.ts';

const CHANGE_PATH = '/api/admin/records/change';

describe('a bulk change', () => {
  let portal: TestPortal;
  let grace: { id: string; token: string };
  let heidi: { id: string; token: string };
  beforeEach(async () => {
    const index = new FakeIndex();
    const wallet = sampleApplication().walletAddress ?? '';
    index.storedStakes = {
      ...manyStakes(0),
      entries: [openedStake(0, { wallet, amount: 8_000_000_000_000n })],
    };
    index.commitChain({ entryChanges: 1 });
    portal = await startTestPortal({ index, minAccountAgeToVoteMs: 1_000 });
    grace = await createVoter('grace');
    heidi = await createVoter('heidi');
  });
  afterEach(() => portal.close());

  async function createVoter(username: string) {
    const at = TEST_START - 365 * 86_400_000;
    const id = await addAdmin(portal.store, { username, role: 'reviewer', at });
    return { id, token: (await openSession(portal.store, id, TEST_START)).token };
  }
  async function readSeenRecord(referenceNumber: string) {
    const fullRecord = await portal.store.records.record(referenceNumber);
    if (fullRecord === null) throw new Error('There is no such record.');
    const { changedAt, assigneeId } = fullRecord.record;
    return { referenceNumber, changedAt: new Date(changedAt).toISOString(), assigneeId };
  }
  async function change(
    records: readonly object[],
    action: object,
    { isPreview = false, by = grace } = {},
  ): Promise<{ status: number; code?: string; changed?: number; outcomes: Record<string, string> }> {
    const { status, body } = await askAs(portal, by.token, CHANGE_PATH, { isPreview, records, ...action });
    if (status !== 200) return { status, code: JSON.parse(body).code, outcomes: {} };
    const answer = changeRecords.response.parse(JSON.parse(body));
    const outcomes = answer.records.map(({ referenceNumber, outcome }) => [referenceNumber, outcome]);
    return { status, changed: answer.changed, outcomes: Object.fromEntries(outcomes) };
  }
  const auditedReferences = async (action: string) =>
    (await portal.store.auditTrail(99))
      .filter((record) => record.action === action)
      .map(({ details }) => details.referenceNumber);
  const statusOf = async (reference: string) => (await portal.store.records.record(reference))?.record.status;

  it('assigns records of any kind, audits each assignment, and skips records that have changed', async () => {
    const references = [
      await submitApplication(portal.store),
      await submitMessage(portal.store),
      await submitRequest(portal.store),
      await submitLoan(portal.store),
    ];
    const [assignedReference = '', ...otherReferences] = references;
    const records = await Promise.all(references.map(readSeenRecord));
    const unknownRecord = { ...records[0], referenceNumber: 'BD-20260102-999999' };
    await change([records[0] ?? {}], { action: 'assign', assignTo: heidi.id });
    const assignment = { action: 'assign', assignTo: grace.id };
    const expected = {
      [assignedReference]: 'changed',
      'BD-20260102-999999': 'unknown',
      ...Object.fromEntries(otherReferences.map((reference) => [reference, 'ready'])),
    };
    const preview = await change([...records, unknownRecord], assignment, { isPreview: true });
    expect(preview).toMatchObject({ changed: 3, outcomes: expected });
    expect(await auditedReferences('record.assigned')).toEqual([assignedReference]);
    const applied = await change([...records, unknownRecord], assignment);
    expect(Object.values(applied.outcomes).toSorted()).toEqual([
      'changed',
      'done',
      'done',
      'done',
      'unknown',
    ]);
    expect((await auditedReferences('record.assigned')).toSorted()).toEqual(references.toSorted());
    const [free1 = ''] = otherReferences;
    expect(await change([await readSeenRecord(free1)], assignment)).toMatchObject({
      outcomes: { [free1]: 'unchanged' },
    });
    const toNobody = { action: 'assign', assignTo: null };
    expect(await change([await readSeenRecord(free1)], toNobody)).toMatchObject({
      outcomes: { [free1]: 'done' },
    });
    expect((await portal.store.records.record(free1))?.record.assigneeId).toBeNull();
  });

  it('closes only contact messages, and reopens them only with a reason', async () => {
    const [open, answered, other] = [
      await submitMessage(portal.store),
      await submitMessage(portal.store),
      await submitRequest(portal.store),
    ];
    const before = await readSeenRecord(answered);
    await change([before], { action: 'move-contacts', status: 'answered' });
    const close = { action: 'move-contacts', status: 'closed' };
    const records = [await readSeenRecord(open), before, await readSeenRecord(other)];
    expect((await change(records, close)).outcomes).toEqual({
      [open]: 'done',
      [answered]: 'changed',
      [other]: 'other-kind',
    });
    expect(await auditedReferences('contact-message.closed')).toEqual([open]);
    const closed = [await readSeenRecord(open)];
    expect((await change(closed, { ...close, status: 'waiting' })).outcomes).toEqual({ [open]: 'closed' });
    expect((await change(closed, { ...close, status: 'open' })).outcomes).toEqual({
      [open]: 'reason-needed',
    });
    const reopen = { ...close, status: 'open', reason: 'They called.' };
    expect((await change(closed, reopen)).outcomes).toEqual({ [open]: 'done' });
  });

  it('approves only records without warnings, and refuses only with a reason', async () => {
    const proven = await submitApplication(portal.store, { isOwnershipProven: true });
    const warned = await submitApplication(portal.store, { isOwnershipProven: false });
    const decide = { action: 'decide-applications', decision: 'approved' };
    const records = [await readSeenRecord(proven), await readSeenRecord(warned)];
    expect((await change(records, decide, { isPreview: true })).outcomes).toEqual({
      [proven]: 'ready',
      [warned]: 'warned',
    });
    expect((await change(records, decide)).outcomes).toEqual({ [proven]: 'done', [warned]: 'warned' });
    expect(await auditedReferences('card-application.approved')).toEqual([proven]);
    expect(await statusOf(warned)).toBe('received');
    const refuse = { ...decide, decision: 'refused' };
    expect(await change([await readSeenRecord(warned)], refuse)).toMatchObject({ status: 400 });
    const refusal = await change([await readSeenRecord(warned)], { ...refuse, reason: 'No stake.' });
    expect(refusal.outcomes).toEqual({ [warned]: 'done' });
    const again = { ...decide, decision: 'in-review' };
    expect((await change([await readSeenRecord(warned)], again)).outcomes).toEqual({ [warned]: 'closed' });
  });

  it('needs a tier to approve requests, and whitelists their wallets for that tier', async () => {
    const wallet = sampleApplication().walletAddress ?? '';
    const request = await submitRequest(portal.store, { walletAddress: wallet, isOwnershipProven: true });
    const unproven = await submitRequest(portal.store);
    const approve = { action: 'decide-requests', decision: 'approved' };
    const records = [await readSeenRecord(request), await readSeenRecord(unproven)];
    expect(await change(records, approve)).toMatchObject({ status: 400 });
    const approved = await change(records, { ...approve, tier: 'Banker' });
    expect(approved.outcomes).toEqual({ [request]: 'done', [unproven]: 'warned' });
    expect(await portal.store.sessions.whitelistedTier(wallet)).toBe('Banker');
  });

  it('votes on loan applications, and decides them once two admins agree', async () => {
    const loan = await submitLoan(portal.store, { riskSuitability: 'Yes' });
    const vote = { action: 'vote-on-loans', vote: 'refuse', reason: 'The bill is old.' };
    expect((await change([await readSeenRecord(loan)], vote)).outcomes).toEqual({ [loan]: 'done' });
    expect(await statusOf(loan)).toBe('in-review');
    expect((await change([await readSeenRecord(loan)], vote)).outcomes).toEqual({ [loan]: 'voted' });
    const approve = { action: 'vote-on-loans', vote: 'approve' };
    const other = { by: heidi };
    expect((await change([await readSeenRecord(loan)], approve, other)).outcomes).toEqual({
      [loan]: 'contradicts',
    });
    expect((await change([await readSeenRecord(loan)], vote, other)).outcomes).toEqual({ [loan]: 'done' });
    expect(await statusOf(loan)).toBe('refused');
    const unconfirmed = await submitLoan(portal.store);
    expect((await change([await readSeenRecord(unconfirmed)], approve)).outcomes).toEqual({
      [unconfirmed]: 'warned',
    });
    expect((await change([await readSeenRecord(loan)], vote)).outcomes).toEqual({ [loan]: 'closed' });
  });

  it('is refused for viewers, for votes from new accounts, and for missing, repeated or too many records', async () => {
    const viewer = await signedInAdmin(portal.store, { username: 'vi', role: 'viewer', at: TEST_START });
    const fresh = await signedInAdmin(portal.store, { username: 'new', role: 'reviewer', at: TEST_START });
    const loan = await readSeenRecord(await submitLoan(portal.store));
    const toNobody = { action: 'assign', assignTo: null };
    expect(await change([loan], toNobody, { by: viewer })).toMatchObject({ status: 403 });
    const toViewer = { action: 'assign', assignTo: viewer.id };
    expect(await change([loan], toViewer)).toMatchObject({ status: 404, code: 'no-such-reviewer' });
    const vote = { action: 'vote-on-loans', vote: 'approve' };
    expect(await change([loan], vote, { by: fresh })).toMatchObject({ code: 'account-too-new' });
    expect(await change([], toNobody)).toMatchObject({ status: 400 });
    expect(await change([loan, loan], toNobody)).toMatchObject({ status: 400 });
    const many = Array.from({ length: MAX_BULK + 1 }, (_, index) => ({
      ...loan,
      referenceNumber: `BD-20260102-${String(100_000 + index)}`,
    }));
    expect(await change(many, toNobody)).toMatchObject({ status: 400 });
    const most = await change(many.slice(1), toNobody, { isPreview: true });
    expect(most).toMatchObject({ status: 200, changed: 0 });
  });

  it('can be undone in one call, which reports the records that could not be undone', async () => {
    const references = [await submitMessage(portal.store), await submitMessage(portal.store)];
    const [first = '', second = ''] = references;
    await change(await Promise.all(references.map(readSeenRecord)), {
      action: 'move-contacts',
      status: 'closed',
    });
    const closed = await Promise.all(references.map(readSeenRecord));
    const records = closed.map(({ referenceNumber, changedAt }) => ({ referenceNumber, changedAt }));
    const undo = async (sent: unknown) => {
      const { status, body } = await askAs(portal, grace.token, undoDecisions.path, { records: sent });
      return { status, body: JSON.parse(body) };
    };
    // One of the messages is reopened before the undo.
    const [seenFirst] = closed;
    await change(seenFirst ? [seenFirst] : [], {
      ...{ action: 'move-contacts', status: 'open', reason: 'It waits.' },
    });
    const { body } = await undo(records);
    expect(undoDecisions.response.parse(body)).toEqual({
      success: true,
      undone: 1,
      records: [
        { referenceNumber: first, outcome: 'changed' },
        { referenceNumber: second, outcome: 'undone' },
      ],
    });
    expect(await statusOf(second)).toBe('open');
    expect((await undo([records[0], records[0]])).status).toBe(400);
  });

  it('reports which records failed, and fails as a whole only if none succeeded', async () => {
    const references = [await submitMessage(portal.store), await submitMessage(portal.store)];
    const [first = '', second = ''] = references;
    const records = await Promise.all(references.map(readSeenRecord));
    const { decideContact } = portal.store.records;
    const close = { action: 'move-contacts', status: 'closed' };
    const decideSpy = vi.spyOn(portal.store.records, 'decideContact');
    decideSpy.mockRejectedValue(new Error('The disk is full.'));
    expect((await change(records, close)).status).toBe(500);
    decideSpy.mockImplementation(async (decided, actor) => {
      if (decided.referenceNumber === first) throw new Error('The disk is full.');
      return decideContact(decided, actor);
    });
    expect((await change(records, close)).outcomes).toEqual({ [first]: 'failed', [second]: 'done' });
    expect(await statusOf(first)).toBe('open');
  });
});
