import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminListsChange } from '../../data/contract/admin-live.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { LIST_IDS } from '../../data/model/admin-lists.ts';
import { submitMessage } from '../../data/store/testing/sample-submissions.ts';
import { openSession, sampleAuditRecord, signedInAdmin } from '../admin/testing/team.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { type EventStream, openStream } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

describe('the event stream of admins', () => {
  let portal: TestPortal;
  let grace: { id: string; token: string };
  const openedStreams: EventStream[] = [];
  beforeEach(async () => {
    portal = await startTestPortal({ rateLimits: { 'streams-of-admin': 2 } });
    grace = await signedInAdmin(portal.store, { username: 'grace', role: 'viewer', at: TEST_START });
  });
  afterEach(async () => {
    for (const stream of openedStreams.splice(0)) stream.close();
    await portal.close();
  });

  async function open(token: string): Promise<EventStream> {
    const stream = await openStream(portal.port, PATHS.adminLive, { Authorization: `Bearer ${token}` });
    openedStreams.push(stream);
    return stream;
  }
  const nextLists = async (stream: EventStream) =>
    adminListsChange.parse((await stream.nextOf('change')).data).lists;

  it('first names every list, then each list that changes', async () => {
    const stream = await open(grace.token);
    expect(await nextLists(stream)).toEqual(LIST_IDS);
    await submitMessage(portal.store);
    expect(await nextLists(stream)).toEqual(['contacts']);
    const { id } = grace;
    const note = { referenceNumber: await submitMessage(portal.store), text: 'A note' };
    await nextLists(stream);
    await portal.store.records.addNote(note, { adminId: id, address: '::1', at: TEST_START });
    expect(await nextLists(stream)).toContain('contacts');
  });

  it('ends when its own session ends, but not when another one does', async () => {
    const other = await openSession(portal.store, grace.id, TEST_START);
    const [keptStream, endedStream] = [await open(grace.token), await open(other.token)];
    await portal.store.admins.endSessions(
      { id: other.id },
      sampleAuditRecord('admin.session-revoked', TEST_START),
    );
    await nextLists(endedStream);
    await nextLists(keptStream);
    expect(await endedStream.next()).toBeNull();
    await submitMessage(portal.store);
    expect(await nextLists(keptStream)).toEqual(['contacts']);
  });

  it('requires a session, and is limited per admin', async () => {
    expect((await open('A'.repeat(43))).status).toBe(401);
    const first = await open(grace.token);
    await open(grace.token);
    expect((await open(grace.token)).status).toBe(429);
    first.close();
    await expect.poll(async () => (await open(grace.token)).status).toBe(200);
  });
});
