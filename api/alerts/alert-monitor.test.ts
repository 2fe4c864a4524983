import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { ALERT_CODES, ALERTS, type AlertCode } from '../../data/model/alerts.ts';
import type { AlertStore } from '../../data/store/alert-port.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { reopenAppStore, store, useAppStore } from '../../data/store/testing/test-stores.ts';
import type { TeamAlert } from '../delivery/team-alerts.ts';
import type { Problem } from './alert-conditions.ts';
import { alertMail, alertNotice } from './alert-messages.ts';
import {
  AlertMonitor,
  CHECK_INTERVAL_MS,
  DATABASE_LOST_AFTER_MS,
  ENDS_AFTER_MS,
  REPEAT_INTERVAL_MS,
  RETURNS_WITHIN_MS,
} from './alert-monitor.ts';

const START = Date.UTC(2026, 0, 2, 3, 4, 5);
/** A time at which every message is due. */
const LATER = START + 1_000 * REPEAT_INTERVAL_MS;
const ORIGIN = 'https://portal.example.com';
const CODE = 'index-behind';
const { minDurationMs } = ALERTS[CODE];

function createMonitor(options: { readonly codes?: readonly AlertCode[]; readonly at?: number } = {}) {
  let time = options.at ?? START;
  let isDown = false;
  const directAlerts: TeamAlert[] = [];
  const problems = new Map<AlertCode, Problem>();
  const failingCodes = new Set<AlertCode>();
  const state = { isLeading: true };
  const availableStore = (): AlertStore => {
    if (isDown) throw new StoreUnavailableError('The database does not answer.');
    return store.alerts;
  };
  const monitor = new AlertMonitor({
    store: {
      listOpen: async () => availableStore().listOpen(),
      find: async (id) => availableStore().find(id),
      begin: async (...args) => availableStore().begin(...args),
      remind: async (...args) => availableStore().remind(...args),
      end: async (...args) => availableStore().end(...args),
    },
    codes: options.codes ?? ALERT_CODES,
    check: (code) => {
      if (failingCodes.has(code)) throw new Error('a broken mount');
      return problems.has(code) ? problems.get(code) : null;
    },
    recipients: [
      { channel: 'mail', recipient: null },
      { channel: 'telegram', recipient: null },
    ],
    isLeading: () => state.isLeading,
    alertDirectly: (alert) => void directAlerts.push(alert),
    now: () => time,
    monotonicNow: () => time,
    log: pino({ enabled: false }),
  });
  return {
    direct: directAlerts,
    state,
    broken: failingCodes,
    check: () => monitor.check(),
    setProblem: (problem: Problem, code: AlertCode = CODE) => void problems.set(code, problem),
    setDatabaseDown: (down: boolean) => {
      isDown = down;
    },
    now: () => time,
    /** Advances the clock by `ms`, with checks as often as in production. */
    pass: async (ms: number) => {
      await monitor.check();
      for (const end = time + ms; time < end; ) {
        time = Math.min(end, time + CHECK_INTERVAL_MS);
        await monitor.check();
      }
    },
    skipTime: (ms: number) => {
      time += ms;
    },
  };
}

/**
 * The messages in the queue, oldest first. Each line has the seconds from `START` until the message was
 * queued, its alert, its event and its channel.
 */
async function queuedMessages(): Promise<readonly string[]> {
  const deliveries = [];
  for (const channel of ['mail', 'telegram'] as const) {
    const claim = { channel, now: LATER, leasedUntil: LATER + 1 };
    for (const delivery of await store.deliveries.claimDue({ ...claim, limit: 100 })) {
      await store.deliveries.release(delivery);
      deliveries.push(delivery);
    }
  }
  return deliveries
    .toSorted((one, other) => one.createdAt - other.createdAt)
    .map(({ createdAt, referenceNumber, event, channel }) =>
      [(createdAt - START) / 1_000, referenceNumber.replace(/-\d{8}T\d{9}Z$/, ''), event, channel].join(' '),
    );
}

const seconds = (ms: number) => ms / 1_000;
const beginLines = (at: number, code: AlertCode = CODE) => [
  `${seconds(at)} ${code} alert.begun mail`,
  `${seconds(at)} ${code} alert.begun telegram`,
];

describe('the alerts', () => {
  useAppStore();

  it('begin once a problem has lasted long enough, and are then sent once', async () => {
    const monitor = createMonitor();
    monitor.setProblem('200 slots behind.');
    await monitor.pass(minDurationMs - CHECK_INTERVAL_MS);
    expect(await queuedMessages()).toEqual([]);
    await monitor.pass(3 * CHECK_INTERVAL_MS);
    expect(await queuedMessages()).toEqual(beginLines(minDurationMs));
    expect(await store.alerts.listOpen()).toMatchObject([
      { code: CODE, startedAt: START, detail: '200 slots behind.' },
    ]);
  });

  it('do not begin if a problem never lasts long enough, however often it returns', async () => {
    const monitor = createMonitor();
    for (let times = 0; times < 20; times += 1) {
      monitor.setProblem('Behind.');
      await monitor.pass(minDurationMs - CHECK_INTERVAL_MS);
      monitor.setProblem(null);
      await monitor.pass(CHECK_INTERVAL_MS);
    }
    expect(await store.alerts.listOpen()).toEqual([]);
  });

  it('end once the problem has stayed away long enough, and stay open if it returns sooner', async () => {
    const monitor = createMonitor();
    monitor.setProblem('Behind.');
    await monitor.pass(minDurationMs);
    for (let times = 0; times < 5; times += 1) {
      monitor.setProblem(null);
      await monitor.pass(ENDS_AFTER_MS - CHECK_INTERVAL_MS);
      monitor.setProblem('Behind.');
      await monitor.pass(CHECK_INTERVAL_MS);
    }
    expect(await queuedMessages()).toEqual(beginLines(minDurationMs));
    monitor.setProblem(null);
    const goneAt = monitor.now();
    await monitor.pass(ENDS_AFTER_MS + CHECK_INTERVAL_MS);
    const ended = seconds(goneAt + ENDS_AFTER_MS - START);
    expect((await queuedMessages()).slice(2)).toEqual([
      `${ended} ${CODE} alert.ended mail`,
      `${ended} ${CODE} alert.ended telegram`,
    ]);
    const id = `${CODE}-20260102T030405000Z`;
    expect(await store.alerts.find(id)).toMatchObject({ startedAt: START, endedAt: goneAt });
  });

  it('end at the next check if the store did not respond when they were due to end', async () => {
    const monitor = createMonitor();
    monitor.setProblem('Behind.');
    await monitor.pass(minDurationMs);
    monitor.setProblem(null);
    await monitor.pass(ENDS_AFTER_MS - CHECK_INTERVAL_MS);
    const end = vi.spyOn(store.alerts, 'end').mockRejectedValueOnce(new StoreUnavailableError('Busy.'));
    await monitor.pass(CHECK_INTERVAL_MS);
    expect(end).toHaveBeenCalledOnce();
    expect(await store.alerts.listOpen()).toHaveLength(1);
    await monitor.pass(CHECK_INTERVAL_MS);
    expect(await store.alerts.listOpen()).toEqual([]);
  });

  it('are repeated once a day while the problem lasts', async () => {
    const monitor = createMonitor();
    monitor.setProblem('Behind.');
    await monitor.pass(minDurationMs);
    for (let days = 0; days < 2; days += 1) {
      monitor.skipTime(REPEAT_INTERVAL_MS - 3 * CHECK_INTERVAL_MS);
      await monitor.check();
      monitor.setProblem(`Day ${days}.`);
      await monitor.pass(4 * CHECK_INTERVAL_MS);
    }
    const events = (await queuedMessages())
      .filter((line) => line.endsWith('mail'))
      .map((line) => line.split(' ')[2]);
    expect(events).toEqual(['alert.begun', 'alert.lasts:1', 'alert.lasts:2']);
    expect(await store.alerts.listOpen()).toMatchObject([{ reminders: 2, detail: 'Day 1.' }]);
  });

  it('neither begin nor end while the state is unknown', async () => {
    const monitor = createMonitor();
    monitor.setProblem(undefined);
    await monitor.pass(2 * minDurationMs);
    expect(await queuedMessages()).toEqual([]);
    monitor.setProblem('Behind.');
    await monitor.pass(minDurationMs);
    monitor.setProblem(undefined);
    await monitor.pass(3 * ENDS_AFTER_MS);
    expect(await store.alerts.listOpen()).toHaveLength(1);
  });

  it('continue after a restart: nothing is sent again, and the end is sent', async () => {
    const before = createMonitor();
    before.setProblem('Behind.');
    await before.pass(minDurationMs);
    await reopenAppStore();
    const after = createMonitor({ at: before.now() });
    after.setProblem('Behind.');
    await after.pass(2 * minDurationMs);
    expect(await queuedMessages()).toEqual(beginLines(minDurationMs));
    after.setProblem(null);
    await after.pass(ENDS_AFTER_MS);
    expect(await store.alerts.listOpen()).toEqual([]);
    expect(await queuedMessages()).toHaveLength(4);
  });

  it('are sent only by the leading replica, and are not sent again when another one leads', async () => {
    const [one, other] = [createMonitor(), createMonitor()];
    other.state.isLeading = false;
    for (const monitor of [one, other]) monitor.setProblem('Behind.');
    await other.pass(2 * minDurationMs);
    expect(await queuedMessages()).toEqual([]);
    await one.pass(minDurationMs);
    one.state.isLeading = false;
    other.state.isLeading = true;
    await one.pass(2 * minDurationMs);
    await other.pass(2 * minDurationMs);
    expect(await queuedMessages()).toEqual(beginLines(minDurationMs));
  });

  it('about a channel are sent over the other channel', async () => {
    const monitor = createMonitor();
    const { minDurationMs: mailPausedMs } = ALERTS['mail-paused'];
    monitor.setProblem('Paused.', 'mail-paused');
    monitor.setProblem('Paused.', 'telegram-paused');
    await monitor.pass(mailPausedMs);
    monitor.setProblem(null, 'mail-paused');
    await monitor.pass(ENDS_AFTER_MS);
    expect(await queuedMessages()).toEqual([
      `${seconds(mailPausedMs)} telegram-paused alert.begun mail`,
      `${seconds(mailPausedMs)} mail-paused alert.begun telegram`,
      `${seconds(mailPausedMs + ENDS_AFTER_MS)} mail-paused alert.ended telegram`,
    ]);
  });

  it('that are switched off are not sent, and end without a message', async () => {
    const all = createMonitor();
    all.setProblem('Behind.');
    await all.pass(minDurationMs);
    const fewer = createMonitor({ codes: ['disk-low'], at: all.now() });
    fewer.setProblem('Behind.');
    await fewer.pass(2 * minDurationMs);
    expect(await store.alerts.listOpen()).toEqual([]);
    expect(await queuedMessages()).toEqual(beginLines(minDurationMs));
  });

  it('are all checked even if the check of one fails', async () => {
    const monitor = createMonitor();
    const codes = ALERT_CODES.slice(1);
    monitor.broken.add(ALERT_CODES[0]);
    for (const code of codes) monitor.setProblem('Wrong.', code);
    await monitor.pass(Math.max(...codes.map((code) => ALERTS[code].minDurationMs)));
    expect((await store.alerts.listOpen()).map(({ code }) => code).toSorted()).toEqual(codes.toSorted());
  });

  it('report a problem that comes and goes for hours only as begun, ended and begun again', async () => {
    const monitor = createMonitor();
    for (let times = 0; times < 12; times += 1) {
      monitor.setProblem('Behind.');
      await monitor.pass(minDurationMs);
      monitor.setProblem(null);
      await monitor.pass(ENDS_AFTER_MS + CHECK_INTERVAL_MS);
    }
    const events = async () =>
      (await queuedMessages()).filter((line) => line.endsWith('mail')).map((line) => line.split(' ')[2]);
    const sent = ['alert.begun', 'alert.ended', 'alert.begun'];
    expect(await events()).toEqual(sent);
    await monitor.pass(RETURNS_WITHIN_MS);
    expect(await events()).toEqual([...sent, 'alert.ended']);
    // The problem does not return within `RETURNS_WITHIN_MS`, so its next alert ends after `ENDS_AFTER_MS` again.
    monitor.setProblem('Behind.');
    await monitor.pass(minDurationMs);
    monitor.setProblem(null);
    await monitor.pass(ENDS_AFTER_MS + CHECK_INTERVAL_MS);
    expect(await events()).toHaveLength(6);
  });

  it('do not count the time in which the process was suspended', async () => {
    const monitor = createMonitor();
    monitor.setProblem('Behind.');
    await monitor.check();
    monitor.skipTime(10 * minDurationMs);
    await monitor.check();
    expect(await store.alerts.listOpen()).toEqual([]);
  });

  it('report the loss and the return of the database once each, even if the lease is lost', async () => {
    const [leader, standby] = [createMonitor(), createMonitor()];
    standby.state.isLeading = false;
    for (const monitor of [leader, standby]) {
      await monitor.check();
      monitor.setDatabaseDown(true);
      monitor.state.isLeading = false;
      await monitor.pass(DATABASE_LOST_AFTER_MS - CHECK_INTERVAL_MS);
    }
    expect(leader.direct).toEqual([]);
    await leader.pass(5 * CHECK_INTERVAL_MS);
    await standby.pass(5 * CHECK_INTERVAL_MS);
    expect(leader.direct).toHaveLength(1);
    leader.setDatabaseDown(false);
    await leader.pass(2 * CHECK_INTERVAL_MS);
    expect(leader.direct).toHaveLength(2);
    expect(standby.direct).toEqual([]);
  });

  it('have an email and a notice for each event, with the code, the times and what to do', async () => {
    const monitor = createMonitor();
    monitor.setProblem('200 slots behind.');
    await monitor.pass(minDurationMs);
    monitor.skipTime(REPEAT_INTERVAL_MS);
    await monitor.pass(CHECK_INTERVAL_MS);
    monitor.setProblem(null);
    await monitor.pass(ENDS_AFTER_MS);
    const [open] = (await queuedMessages()).slice(0, 1);
    expect(open).toBeDefined();
    const referenceNumber = `${CODE}-20260102T030405000Z`;
    const texts: string[] = [];
    for (const { event, createdAt, channel } of await store.deliveries.deliveriesOf(referenceNumber)) {
      const delivery = { event, createdAt, referenceNumber };
      const text =
        channel === 'mail'
          ? JSON.stringify(await alertMail(delivery, store.alerts, ORIGIN))
          : await alertNotice(delivery, store.alerts, ORIGIN);
      for (const part of [CODE, '2 January 2026 at 03:04 UTC', `${ORIGIN}/admin/dashboard`])
        expect(text).toContain(part);
      texts.push(`${event} ${text}`);
    }
    expect(texts).toHaveLength(6);
    for (const text of texts) {
      if (text.startsWith('alert.ended')) expect(text).toContain('lasted 1 day');
      else expect(text).toContain(ALERTS[CODE].remedy);
    }
    const unknown = { event: 'alert.begun', createdAt: START, referenceNumber: 'unknown-now' };
    expect(await alertMail(unknown, store.alerts, ORIGIN)).toBeNull();
    expect(await alertNotice(unknown, store.alerts, ORIGIN)).toBeNull();
  });
});
