import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminMentions, mentionableAdmins } from '../../../data/contract/admin-mentions.ts';
import { adminWork, assignees } from '../../../data/contract/admin-work.ts';
import { dueTime } from '../../../data/model/work.ts';
import {
  SUBMITTED_AT,
  submitApplication,
  submitMessage,
} from '../../../data/store/testing/sample-submissions.ts';
import { TEST_START } from '../../testing/fake-index.ts';
import { startTestPortal, type TestPortal } from '../../testing/test-portal.ts';
import { askAs, signedInAdmin } from '../testing/team.ts';

describe('the calls about work', () => {
  let portal: TestPortal;
  let grace: { id: string; token: string };
  let viewer: { id: string; token: string };
  beforeEach(async () => {
    portal = await startTestPortal();
    grace = await signedInAdmin(portal.store, { username: 'grace', role: 'reviewer', at: TEST_START });
    viewer = await signedInAdmin(portal.store, { username: 'viola', role: 'viewer', at: TEST_START });
  });
  afterEach(() => portal.close());

  const call = async (path: string, requestBody?: unknown, { token } = grace) => {
    const { status, body } = await askAs(portal, token, path, requestBody);
    return { status, body: JSON.parse(body) };
  };
  const assign = (referenceNumber: string, assigneeId: string | null, by = grace) =>
    call('/api/admin/records/assign', { referenceNumber, assigneeId, from: null }, by);
  const unchangedSince = new Date(SUBMITTED_AT).toISOString();

  it('show each admin their own work, and what is overdue', async () => {
    const late = { createdAt: TEST_START - 25 * 3_600_000 };
    const overdue = await submitApplication(portal.store, late);
    const mine = await submitMessage(portal.store, { createdAt: TEST_START });
    expect((await assign(mine, grace.id)).status).toBe(200);
    const work = async (query: string) =>
      adminWork.response
        .parse((await call(`/api/admin/work${query}`)).body)
        .work.map(({ referenceNumber }) => referenceNumber);
    expect(await work('')).toEqual([overdue, mine]);
    expect(await work('?assignee=me')).toEqual([mine]);
    expect(await work('?assignee=nobody&due=overdue')).toEqual([overdue]);
    expect(await work(`?assignee=${grace.id}`)).toEqual([mine]);
    expect(await work(`?assignee=${viewer.id}`)).toEqual([]);
    expect((await call('/api/admin/work?assignee=grace')).status).toBe(400);
    expect((await call('/api/admin/work?after=x')).status).toBe(400);
    const list = async (query: string) => (await call(`/api/admin/contacts?${query}`)).body;
    expect(await list('assignee=me')).toMatchObject({
      total: 1,
      contacts: [
        {
          assignee: 'grace',
          dueAt: new Date(dueTime('contact-message', { category: 'staking' }, TEST_START)).toISOString(),
        },
      ],
    });
    expect(await list('assignee=nobody')).toMatchObject({ total: 0 });
    expect(await list(`assignee=${grace.id}&sort=name`)).toMatchObject({ total: 1 });
    expect(await list(`assignee=${viewer.id}`)).toMatchObject({ total: 0 });
    const { body: stats } = await call('/api/admin/dashboard/stats');
    expect(stats).toMatchObject({
      assignedToMe: 1,
      openContacts: 1,
      overdue: { applications: 1, contacts: 0 },
    });
  });

  it('show admins the notes that mention them, and which of these are unread', async () => {
    const referenceNumber = await submitApplication(portal.store);
    const { body: found } = await call('/api/admin/mentionable');
    const admins = [
      { id: grace.id, username: 'grace' },
      { id: viewer.id, username: 'viola' },
    ];
    expect(mentionableAdmins.response.parse(found).admins).toEqual(admins);
    const add = (mentions: readonly string[], by = grace) =>
      call('/api/admin/notes/add', { referenceNumber, text: 'For @viola', mentions }, by);
    expect((await add(Array(11).fill(viewer.id))).status).toBe(400);
    expect(await add([grace.id])).toMatchObject({ status: 404, body: { code: 'not-mentionable' } });
    expect((await add([viewer.id], viewer)).status).toBe(403);
    const { body: added } = await add([viewer.id]);
    expect(added.note).toMatchObject({ mentions: [admins[1]], isUnread: false });
    const unread = async (by: typeof grace) =>
      (await call('/api/admin/dashboard/stats', undefined, by)).body.unreadMentions;
    const mentions = async () =>
      adminMentions.response.parse((await call('/api/admin/work/mentions', undefined, viewer)).body);
    const mention = {
      ...{ noteId: added.note.id, list: 'applications', kind: 'card-application', referenceNumber },
      ...{ by: 'grace', text: 'For @viola', isRead: false },
    };
    expect(await mentions()).toMatchObject({ mentions: [mention], unread: 1 });
    expect([await unread(viewer), await unread(grace)]).toEqual([1, 0]);
    const read = async () => (await call('/api/admin/mentions/read', { referenceNumber }, viewer)).body.read;
    expect([await read(), await read()]).toEqual([1, 0]);
    expect(await mentions()).toMatchObject({ mentions: [{ ...mention, isRead: true }], unread: 0 });
    const change = { noteId: added.note.id, seen: 'For @viola', text: 'For nobody' };
    expect((await call('/api/admin/notes/change', { ...change, mentions: [viewer.id] })).body.code).toBe(
      'not-mentionable',
    );
    expect((await call('/api/admin/notes/change', change)).status).toBe(200);
    expect((await mentions()).mentions).toEqual([]);
  });

  it('let only reviewers assign records, and only to admins who may decide', async () => {
    const reference = await submitApplication(portal.store);
    expect(await assign(reference, grace.id, viewer)).toMatchObject({ status: 403 });
    expect(await assign(reference, viewer.id)).toMatchObject({
      status: 404,
      body: { code: 'no-such-reviewer' },
    });
    const { body } = await call('/api/admin/assignees', undefined, viewer);
    expect(assignees.response.parse(body).assignees).toEqual([{ id: grace.id, username: 'grace' }]);
    expect((await assign(reference, grace.id)).status).toBe(200);
    expect(await assign(reference, null)).toMatchObject({
      status: 409,
      body: { code: 'assigned-meanwhile' },
    });
    expect(await assign('BD-20260102-999999', null)).toMatchObject({ body: { code: 'unknown-record' } });
  });

  it('change the state of a message, and reopen it with a reason', async () => {
    const referenceNumber = await submitMessage(portal.store);
    const move = (status: string, changedAt: string, more = {}) =>
      call('/api/admin/contacts/status', { referenceNumber, status, changedAt, ...more });
    const closed = await move('closed', unchangedSince);
    expect(closed).toMatchObject({ status: 200, body: { status: 'closed' } });
    const { changedAt } = closed.body;
    expect(await move('open', unchangedSince)).toMatchObject({
      status: 409,
      body: { code: 'record-changed' },
    });
    expect(await move('waiting', changedAt)).toMatchObject({ body: { code: 'record-closed' } });
    expect(await move('open', changedAt)).toMatchObject({ status: 400, body: { code: 'reason-needed' } });
    expect(await move('open', changedAt, { reason: 'She called.' })).toMatchObject({ status: 200 });
    expect((await call(`/api/admin/record?reference=${referenceNumber}`)).body).toMatchObject({
      record: { status: 'open' },
      decisions: [{ decision: 'closed' }, { decision: 'open', reason: 'She called.' }],
    });
  });
});
