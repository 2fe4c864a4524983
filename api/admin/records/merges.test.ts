import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendReply } from '../../../data/contract/admin-conversation.ts';
import { undoDecision } from '../../../data/contract/admin-decisions.ts';
import { mergeRecords, splitRecord } from '../../../data/contract/admin-merges.ts';
import { adminRecord } from '../../../data/contract/admin-record.ts';
import { otherRecords } from '../../../data/contract/admin-search.ts';
import { applicationStatus } from '../../../data/contract/submissions.ts';
import { submitApplication } from '../../../data/store/testing/sample-submissions.ts';
import { statusProofs } from '../../applications/status-proof.ts';
import { TEST_START } from '../../testing/fake-index.ts';
import { sendForm } from '../../testing/portal-client.ts';
import { startTestPortal, TEST_MASTER_KEY, type TestPortal } from '../../testing/test-portal.ts';
import { askAs, signedInAdmin } from '../testing/team.ts';

describe('merging records', () => {
  let portal: TestPortal;
  let token: string;
  beforeEach(async () => {
    portal = await startTestPortal();
    ({ token } = await signedInAdmin(portal.store, { username: 'grace', role: 'reviewer', at: TEST_START }));
  });
  afterEach(() => portal.close());

  const call = async (path: string, requestBody?: unknown, adminToken = token) => {
    const { status, body } = await askAs(portal, adminToken, path, requestBody);
    return { status, body: JSON.parse(body) };
  };
  const readSeenRecord = async (referenceNumber: string) => {
    const { body } = await call(`${adminRecord.path}?reference=${referenceNumber}`);
    return { referenceNumber, changedAt: String(body.record.changedAt) };
  };
  const merge = async (kept: string, ...merged: readonly string[]) =>
    call(mergeRecords.path, {
      kept: await readSeenRecord(kept),
      merged: await Promise.all(merged.map(readSeenRecord)),
    });

  it('starts from the list of a person’s other records, and can be undone, or reversed by a split', async () => {
    const [kept, merged] = [await submitApplication(portal.store), await submitApplication(portal.store)];
    const others = otherRecords.response.parse((await call(`${otherRecords.path}?reference=${kept}`)).body);
    expect(others.records).toMatchObject([await readSeenRecord(merged)]);
    const mergeRequest = { kept: await readSeenRecord(kept), merged: [await readSeenRecord(merged)] };
    const done = await call(mergeRecords.path, mergeRequest);
    const { merged: mergedRecords } = mergeRecords.response.parse(done.body);
    expect(mergedRecords).toEqual([await readSeenRecord(merged)]);
    expect(done.body.changedAt).toBe((await readSeenRecord(kept)).changedAt);
    const undone = await call(undoDecision.path, mergedRecords[0]);
    expect(undone.body).toMatchObject({ success: true, status: 'received' });
    expect((await call(mergeRecords.path, mergeRequest)).body.code).toBe('record-changed');
    await merge(kept, merged);
    const [keptNow, mergedNow] = [await readSeenRecord(kept), await readSeenRecord(merged)];
    expect((await call(splitRecord.path, { ...mergedNow, reason: '' })).status).toBe(400);
    expect((await call(splitRecord.path, { ...keptNow, reason: 'No.' })).body.code).toBe('not-merged');
    const split = await call(splitRecord.path, { ...mergedNow, reason: 'Two cards.' });
    expect(splitRecord.response.parse(split.body).status).toBe('received');
  });

  it('fails with an error that names the record that prevents it', async () => {
    const [kept, merged] = [await submitApplication(portal.store), await submitApplication(portal.store)];
    const third = await submitApplication(portal.store);
    const stranger = await submitApplication(portal.store, {
      ...{ email: 'zoe@example.org', walletAddress: null, isOwnershipProven: false },
    });
    expect((await call(mergeRecords.path, { kept: await readSeenRecord(kept), merged: [] })).status).toBe(
      400,
    );
    expect((await merge(kept, merged, kept)).status).toBe(400);
    const other = await merge(kept, merged, stranger);
    expect(other).toMatchObject({ status: 409, body: { code: 'other-person' } });
    expect(JSON.stringify(other.body)).toContain(stranger);
    await merge(kept, merged);
    expect((await merge(third, merged)).body.code).toBe('record-merged');
    expect((await merge(third, kept)).body.code).toBe('record-has-merged');
    const reply = { referenceNumber: merged, kind: 'reply', subject: 'Yes', text: 'Yes.', after: null };
    expect((await call(sendReply.path, reply)).body.code).toBe('record-merged');
    const viewer = await signedInAdmin(portal.store, { username: 'viola', role: 'viewer', at: TEST_START });
    expect((await call(mergeRecords.path, {}, viewer.token)).status).toBe(403);
  });

  it('shows an applicant the reason for the decision only if the kept record has the same mailbox', async () => {
    const email = 'ada@example.com';
    const kept = await submitApplication(portal.store);
    const merged = await submitApplication(portal.store);
    // An application with the same proven wallet, but another mailbox.
    const other = await submitApplication(portal.store, { email: 'zoe@example.org' });
    await merge(kept, merged, other);
    const keptSeen = { referenceNumber: kept, changedAt: Date.parse((await readSeenRecord(kept)).changedAt) };
    const actor = { adminId: 'grace', address: '::1', at: TEST_START + 1 };
    await portal.store.records.decideApplication(
      { ...keptSeen, decision: 'refused', reason: 'No stake.' },
      actor,
    );
    const readStatus = async (referenceNumber: string, address: string) => {
      const proof = statusProofs(TEST_MASTER_KEY)(referenceNumber, address);
      const payload = { referenceNumber, email: address, proof };
      const { body } = await sendForm(portal.port, applicationStatus.path, payload);
      return applicationStatus.response.parse(JSON.parse(body));
    };
    expect(await readStatus(merged, email)).toMatchObject({
      referenceNumber: merged,
      status: 'refused',
      proven: { by: 'mailbox', decision: { reason: 'No stake.' } },
    });
    const theirs = await readStatus(other, 'zoe@example.org');
    expect(theirs).toMatchObject({ status: 'refused', proven: null });
    expect(theirs.timeline.map(({ note }) => note)).toEqual(theirs.timeline.map(() => null));
  });
});
