// @module-tag slow

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttemptOutcome } from '../../data/model/delivery-states.ts';
import { CHILD_ENV, programFile } from '../../data/runtime/testing/child-programs.ts';
import { openAppStore } from '../../data/store/open-stores.ts';
import { newFolder } from '../../data/store/testing/temporary-folder.ts';
import { messageIdOf } from './mail/message-thread.ts';
import { type BotApiPeer, startBotApiPeer } from './testing/bot-api-peer.ts';
import { ORIGIN } from './testing/every-mail.ts';
import { type SmtpPeer, startSmtpPeer } from './testing/smtp-peer.ts';
import type { SubmitReply, SubmitRequest } from './testing/submit-program.ts';

/** By default, one kill after an email and one after a notice. `npm run test:delivery` has 100 kills and 1,000 submissions. */
const KILLS = Number(process.env.DELIVERY_KILLS ?? 2);
const SUBMISSIONS = Number(process.env.DELIVERY_SUBMISSIONS ?? KILLS * 10);
const PROGRAM = programFile('api/delivery/testing/submit-program.ts');
const MAX_PENDING = 5;

let smtp: SmtpPeer;
let bot: BotApiPeer;
let folder: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  [smtp, bot] = await Promise.all([startSmtpPeer(), startBotApiPeer()]);
  folder = newFolder();
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all([smtp.close(), bot.close()]);
  await rm(folder, { recursive: true });
});

function startProcess() {
  const child = fork(PROGRAM, [folder, String(smtp.port), bot.url], {
    cwd: folder,
    env: CHILD_ENV,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  children.push(child);
  const log = child.stderr ? text(child.stderr) : Promise.resolve('');
  const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  const send = (request: SubmitRequest) => {
    if (child.connected) child.send(request, () => {});
  };
  return { child, log, ended: exited, send };
}

type RunningProcess = ReturnType<typeof startProcess>;

/**
 * Kills the process after a peer gets a message, but before that message is logged as sent. Every third kill is at a random
 * time.
 */
async function killProcess({ child, ended }: RunningProcess, kill: number): Promise<void> {
  if (kill % 3 === 0) await sleep(Math.random() * 400);
  else if (kill % 3 === 1) await smtp.waitForMails(smtp.received.length + 1 + Math.floor(Math.random() * 12));
  else await bot.waitForCalls(bot.calls.length + 1 + Math.floor(Math.random() * 6));
  child.kill('SIGKILL');
  await ended;
}

function countBy<T>(rows: readonly T[], key: (row: T) => string): ReadonlyMap<string, number> {
  const groups = Map.groupBy(rows, key);
  return new Map([...groups].map(([name, group]) => [name, group.length]));
}

describe('a portal that is killed repeatedly while submissions arrive', () => {
  it(`stores and delivers all that it acknowledged, and duplicates only messages that had an unknown outcome (${KILLS} kills, ${SUBMISSIONS} submissions)`, {
    timeout: 120_000 + KILLS * 30_000,
  }, async () => {
    const acceptedReferences = new Map<number, string>();
    const logs: Promise<string>[] = [];
    let submittedCount = 0;

    /** Submits until `upTo` submissions are acknowledged or the process exits. Repeats unacknowledged submissions. */
    async function submitUpTo(running: RunningProcess, upTo: number): Promise<void> {
      let wake = () => {};
      const onReply = (reply: SubmitReply) => {
        if ('accepted' in reply) acceptedReferences.set(reply.accepted, reply.referenceNumber);
        wake();
      };
      running.child.on('message', onReply);
      running.child.once('exit', () => wake());
      const hasExited = () => running.child.exitCode !== null || running.child.signalCode !== null;
      const pending = () =>
        Array.from({ length: submittedCount }, (_, index) => index + 1).filter(
          (number) => !acceptedReferences.has(number),
        );
      for (const number of pending()) running.send({ submit: number });
      while (!hasExited() && acceptedReferences.size < upTo) {
        const { promise: replied, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        while (submittedCount < upTo && pending().length < MAX_PENDING) {
          submittedCount += 1;
          running.send({ submit: submittedCount });
        }
        await replied;
      }
    }

    for (let kill = 1; kill <= KILLS; kill += 1) {
      const running = startProcess();
      logs.push(running.log);
      const upTo = Math.round((SUBMISSIONS * kill) / KILLS);
      await Promise.all([submitUpTo(running, upTo), killProcess(running, kill)]);
    }

    const last = startProcess();
    logs.push(last.log);
    await submitUpTo(last, SUBMISSIONS);
    for (let unfinished = 1; unfinished > 0; ) {
      last.send('unfinished');
      const [reply]: SubmitReply[] = await once(last.child, 'message');
      if (reply && 'unfinished' in reply) unfinished = reply.unfinished;
      await sleep(50);
    }
    last.child.kill('SIGTERM');
    expect(await last.ended).toEqual({ code: 0, signal: null });

    const store = await openAppStore(join(folder, 'app.db'));
    const attempts = await store.deliveries.attempts(1_000_000);
    const outcomesOf = (outcome: AttemptOutcome) =>
      countBy(
        attempts.filter((attempt) => attempt.outcome === outcome),
        ({ deliveryId }) => deliveryId,
      );
    const [sent, unknown] = [outcomesOf('sent'), outcomesOf('unknown')];
    const mails = countBy(smtp.received, ({ parsed }) => parsed.messageId ?? '');
    const notices = countBy(bot.calls, ({ body }) => JSON.stringify(body).match(/BD-\d{8}-\d{6}/)?.[0] ?? '');
    expect(acceptedReferences.size).toBe(SUBMISSIONS);
    let duplicates = 0;
    for (const [number, referenceNumber] of acceptedReferences) {
      const stored = await store.submissions.find('card-application', referenceNumber);
      expect(stored?.name).toBe(`Applicant ${number}`);
      const deliveries = await store.deliveries.deliveriesOf(referenceNumber);
      expect(deliveries.map(({ state }) => state)).toEqual(['sent', 'sent', 'sent']);
      for (const delivery of deliveries) {
        const { id, channel } = delivery;
        const messageId = messageIdOf(delivery, ORIGIN);
        const arrivedCount =
          (channel === 'mail' ? mails.get(`<${messageId}>`) : notices.get(referenceNumber)) ?? 0;
        expect(sent.get(id)).toBe(1);
        expect(arrivedCount).toBeGreaterThanOrEqual(1);
        expect(arrivedCount - 1).toBeLessThanOrEqual(unknown.get(id) ?? 0);
        duplicates += arrivedCount - 1;
      }
    }
    // No other message arrived: a repeated submission is not stored a second time.
    expect([...mails.keys()].length).toBe(2 * SUBMISSIONS);
    expect([...notices.keys()].length).toBe(SUBMISSIONS);
    await store.close();
    const logged = (await Promise.all(logs)).join('\n');
    expect(logged).toContain('delivery attempt');
    expect(logged).not.toMatch(/applicant-\d|Applicant \d|token-that-nobody/);
    console.log(
      `${KILLS} kills, ${SUBMISSIONS} submissions: ${smtp.received.length} emails and ${bot.calls.length} notices arrived, ${duplicates} duplicates; ${[...unknown.values()].length} deliveries had an unknown attempt`,
    );
  });
});
