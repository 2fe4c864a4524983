// @module-tag slow
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminReports, WEEKLY_REPORT_PAGE } from '../../data/contract/admin-reports.ts';
import {
  DELIVERY_KINDS,
  dayOf,
  dayText,
  durationStep,
  minutesText,
  mondayOf,
  stepMinutes,
  sumDeliveries,
} from '../../data/model/reports.ts';
import { submitApplication, submitMessage } from '../../data/store/testing/sample-submissions.ts';
import { LINK_LIFE_MS } from '../admin/admin-links.ts';
import { askAs, sampleAuditRecord, signedInAdmin } from '../admin/testing/team.ts';
import { mailFields } from '../delivery/mail/mail-transport.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { askRaw } from '../testing/portal-client.ts';
import { startTestPortal, TEST_MASTER_KEY, type TestPortal } from '../testing/test-portal.ts';
import { reportTokens } from './report-tokens.ts';
import { createWeeklyComposer } from './weekly-mails.ts';
import { dueReportMonday, startReports } from './weekly-schedule.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const EMAIL = 'grace@example.com';

let portal: TestPortal;
let grace: { id: string; token: string };
async function startWithViewer(): Promise<void> {
  portal = await startTestPortal();
  const viewer = { username: 'grace', role: 'viewer', at: TEST_START, email: EMAIL } as const;
  grace = await signedInAdmin(portal.store, viewer);
}

const call = async (path: string, requestBody?: unknown, token: string | null = grace.token) => {
  const { status, body } = await askAs(portal, token, path, requestBody);
  return { status, body: JSON.parse(body) };
};

describe('GET /api/admin/reports', () => {
  afterEach(() => portal.close());

  const read = async (query: string) =>
    adminReports.response.parse((await call(`/api/admin/reports${query}`)).body);

  /** Adds two records on the first day: one is refused after two hours, and the other still waits. */
  beforeEach(async () => {
    await startWithViewer();
    const { store } = portal;
    await store.admins.add(
      {
        id: 'one',
        username: 'one',
        email: null,
        role: 'owner',
        passwordHash: '',
        createdAt: 0,
        addedBy: null,
      },
      sampleAuditRecord('admin.added', TEST_START),
    );
    const createdAt = TEST_START - 2 * DAY_MS;
    const referenceNumber = await submitApplication(store, { createdAt });
    await submitMessage(store, { createdAt, category: 'technical' });
    await store.records.decideApplication(
      { referenceNumber, changedAt: createdAt, decision: 'refused', reason: 'No.' },
      { adminId: 'one', address: '::1', at: createdAt + 2 * HOUR_MS },
    );
  });

  it('counts by day and kind, and has no figures before the first recorded day', async () => {
    const { periods, totals, deliveryKinds, firstDay, isComplete } = await read('?days=7');
    const day = dayText(dayOf(TEST_START - 2 * DAY_MS));
    expect({ firstDay, isComplete }).toEqual({ firstDay: day, isComplete: true });
    expect(periods.map(({ from, kinds }) => [from, kinds !== null])).toEqual(
      [-6, -5, -4, -3, -2, -1, 0].map((offset) => [dayText(dayOf(TEST_START) + offset), offset >= -2]),
    );
    expect(periods.map(({ isOver }) => isOver)).toEqual([true, true, true, true, true, true, false]);
    const card = { kind: 'card-application', received: 1, decided: 1, open: 0 };
    expect(periods[4]?.kinds?.[0]).toEqual(card);
    expect(periods[5]?.kinds).toContainEqual({ kind: 'contact-message', received: 0, decided: 0, open: 1 });
    expect(periods[4]?.answer).toEqual({ records: 1, median: 120, p90: 120, withinPromise: 100 });
    expect(periods[5]?.answer).toEqual({ records: 0, median: null, p90: null, withinPromise: null });
    expect(periods[3]?.deliveries).toBeNull();
    expect(deliveryKinds.map(({ kind }) => kind)).toEqual(DELIVERY_KINDS);
    expect(deliveryKinds).toContainEqual({ kind: 'alert', sent: 0, failed: 0, bounced: 0, percent: null });
    expect(totals.map(({ kind, received, open }) => [kind, received, open])).toEqual([
      ['card-application', 1, 0],
      ['verification-request', 0, 0],
      ['contact-message', 1, 1],
      ['loan-application', 0, 0],
    ]);
  });

  it('can count by week (from Monday), and only one kind', async () => {
    const { periods, totals } = await read('?days=30&by=week&kind=contact-message');
    const starts = periods.map(({ from }) => dayOf(Date.parse(from)));
    expect(starts.every((start) => mondayOf(start) === start)).toBe(true);
    expect(periods.at(-1)).toMatchObject({
      isOver: false,
      kinds: [{ kind: 'contact-message', received: 1, decided: 0, open: 1 }],
      decision: { records: 0, median: null },
    });
    expect(totals).toHaveLength(1);
    expect((await call('/api/admin/reports?days=8')).status).toBe(400);
  });
});

describe('the weekly report', () => {
  beforeEach(startWithViewer);
  afterEach(() => portal.close());

  const tokens = reportTokens(TEST_MASTER_KEY);
  const composeMail = (event: string, referenceNumber: string) =>
    createWeeklyComposer({
      ...{ reports: portal.store.reports, records: portal.store.records, reportTokens: tokens },
      ...{ teamOrigin: 'https://api.example.com', now: portal.now },
    })({ event, referenceNumber });
  const setWanted = (isWanted: boolean) => call('/api/admin/weekly-report/set', { isWanted });
  const confirm = (token: string) => call('/api/admin/weekly-report/confirm', { token }, null);
  const readState = async () => (await call('/api/admin/weekly-report')).body;
  const subscribe = async () => {
    await setWanted(true);
    return confirm(tokens.confirmationToken(grace.id, portal.now()));
  };

  it('begins once the admin has confirmed the address with the link in the first email', async () => {
    expect(await readState()).toEqual({ email: EMAIL, state: 'off' });
    expect((await setWanted(true)).body).toEqual({ email: EMAIL, state: 'unconfirmed' });
    const mail = await composeMail('weekly-report.confirm', `${grace.id}.${TEST_START}`);
    expect(mail?.unsubscribeUrl).toBeNull();
    const url = mail?.template.parts.flatMap((part) =>
      typeof part === 'object' && part.kind === 'button' ? [part.url] : [],
    )[0];
    const token = url?.split('#confirm=')[1] ?? '';
    expect(url).toBe(`https://api.example.com${WEEKLY_REPORT_PAGE}#confirm=${token}`);
    for (const wrong of [
      `${token}x`,
      tokens.stopToken(grace.id),
      tokens.confirmationToken(grace.id, 1),
      '',
      '.',
      'x.y.z',
    ]) {
      expect((await confirm(wrong)).body.code, wrong).toBe('report-link-ended');
    }
    expect(await composeMail('weekly-report.report', `${grace.id}.20447`)).toBeNull();
    expect((await confirm(token)).status).toBe(200);
    expect(await readState()).toEqual({ email: EMAIL, state: 'on' });
    expect((await confirm(token)).status).toBe(200);
  });

  it('does not begin with an old link', async () => {
    await setWanted(true);
    await portal.pollAt(TEST_START + LINK_LIFE_MS + 1);
    expect((await confirm(tokens.confirmationToken(grace.id, TEST_START))).body.code).toBe(
      'report-link-ended',
    );
  });

  it('needs the admin’s email address', async () => {
    const { token } = await signedInAdmin(portal.store, { username: 'alan', at: TEST_START });
    const { status, body } = await call('/api/admin/weekly-report/set', { isWanted: true }, token);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'no-own-address' });
  });

  it('can be stopped in the account, or with one click in a mail program without a session', async () => {
    expect((await subscribe()).status).toBe(200);
    expect((await setWanted(false)).body.state).toBe('off');
    await portal.pollAt(TEST_START + 1);
    await subscribe();
    const mail = await composeMail('weekly-report.report', `${grace.id}.20447`);
    const url = new URL(mail?.unsubscribeUrl ?? '');
    const post = (path: string) => {
      const form = 'List-Unsubscribe=One-Click';
      return askRaw(
        portal.port,
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
      );
    };
    expect(await post(`${url.pathname}?subscription=${tokens.stopToken('another')}x`)).toMatch(
      /^HTTP\/1.1 404/,
    );
    expect((await readState()).state).toBe('on');
    for (let clicks = 0; clicks < 2; clicks += 1) {
      expect(await post(url.pathname + url.search)).toMatch(/^HTTP\/1.1 200/);
    }
    expect((await readState()).state).toBe('off');
    expect(await composeMail('weekly-report.report', `${grace.id}.20447`)).toBeNull();
  });
});

describe('a weekly report', () => {
  it('has headers for one-click unsubscription', async () => {
    const { headers } = mailFields({
      ...{ subject: '', html: '', text: '', replyTo: null, from: { name: '', address: 'a@example.com' } },
      ...{ to: EMAIL, id: '1', messageId: '1@example.com', date: new Date(0) },
      unsubscribeUrl: 'https://api.example.com/stop?subscription=1',
    });
    expect(headers).toMatchObject({
      'List-Unsubscribe': '<https://api.example.com/stop?subscription=1>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
  });

  it('covers the latest whole week, and moves on to the next one on Monday at six UTC', () => {
    const monday = Date.UTC(2026, 0, 5);
    const week = dayOf(monday) - 7;
    expect(dueReportMonday(monday + 6 * HOUR_MS)).toBe(week);
    expect(dueReportMonday(monday + 6 * HOUR_MS - 1)).toBe(week - 7);
    expect(dueReportMonday(monday + 6 * DAY_MS)).toBe(week);
  });

  it('is queued after the portal starts, once the figures are complete', async () => {
    const calls: string[] = [];
    const stop = startReports({
      reports: {
        update: async () => calls.push('update') < 3,
        queueWeeklyReports: async (week) => calls.push(`queue ${week}`),
      },
      now: () => Date.UTC(2026, 0, 7),
      log: pino({ level: 'silent' }),
    });
    await expect.poll(() => calls.length).toBe(4);
    await stop();
    expect(calls).toEqual(['update', 'update', 'update', `queue ${dayOf(Date.UTC(2025, 11, 29))}`]);
  });
});

it('the delivery success rate counts a bounced email as not delivered, although it was sent', () => {
  const day = { day: 1, kind: 'receipt', channel: 'mail' } as const;
  const percentOf = (sent: number, failed: number, bounced: number) =>
    sumDeliveries([{ ...day, sent, failed, bounced }]).percent;
  expect(percentOf(10, 0, 10)).toBe(0);
  expect(percentOf(6, 2, 2)).toBe(50);
  // More emails can bounce on a day than were sent on it, because they may have been sent on an earlier day.
  expect([percentOf(1, 0, 2), percentOf(0, 0, 2)]).toEqual([0, null]);
});

it('rounding changes a duration by at most 2.1%, and keeps durations in order', () => {
  let lastRounded = 0;
  for (let minutes = 0; minutes < 200_000; minutes += 97) {
    const rounded = stepMinutes(durationStep(minutes * 60_000));
    expect(Math.abs(rounded - minutes)).toBeLessThanOrEqual(minutes * 0.021);
    expect(rounded).toBeGreaterThanOrEqual(lastRounded);
    lastRounded = rounded;
  }
  expect([0, 59, 60, 200, 2_880, 3_000].map(minutesText)).toEqual([
    ...['0 min', '59 min', '1 h', '3 h 20 min', '2 d', '2 d 2 h'],
  ]);
});
