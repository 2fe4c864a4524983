// @module-tag slow
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { submitApplication } from '../../data/store/testing/sample-submissions.ts';
import { store, useAppStore } from '../../data/store/testing/test-stores.ts';
import { startMailbox } from './mailbox.ts';
import type { MailOutcome } from './take-mail.ts';
import { type Dovecot, startDovecot, whyNoDovecot } from './testing/dovecot.ts';
import { mailContext } from './testing/mail-context.ts';

const skipReason = whyNoDovecot();
const INTERVALS = { pollMs: 60_000, retryMs: 20, longestRetryMs: 100 };

const mail = (id: string, reference: string, text = 'Here it is.') =>
  `From: Ada <ada@example.com>\nTo: answers@example.com\nSubject: Re: Your stake ${reference}\nMessage-ID: <${id}@example.com>\n\n${text}\n`;

describe.skipIf(skipReason)(`a mailbox${skipReason === null ? '' : ` (${skipReason})`}`, () => {
  useAppStore();
  let dovecot: Dovecot;
  let outcomes: MailOutcome[];
  let connections: boolean[];
  let warnings: string[];
  let stopFunctions: (() => Promise<void>)[];
  beforeEach(async () => {
    outcomes = [];
    connections = [];
    warnings = [];
    stopFunctions = [];
    dovecot = await startDovecot();
  });
  afterEach(async () => {
    await Promise.all(stopFunctions.map((stop) => stop()));
    await dovecot.stop();
  });

  function startReading(
    changes: Partial<typeof store> = {},
    onMail = (outcome: MailOutcome) => void outcomes.push(outcome),
  ) {
    const log = pino({ level: 'warn' }, { write: (line) => void warnings.push(line) });
    const stop = startMailbox({
      mailbox: dovecot.mailbox,
      context: mailContext({ ...store, ...changes }, { now: Date.now }),
      onMail,
      onConnected: (isConnected) => void connections.push(isConnected),
      log,
      intervals: INTERVALS,
    });
    stopFunctions.push(stop);
    return stop;
  }
  const waitForOutcomes = (count: number) =>
    vi.waitFor(() => expect(outcomes).toHaveLength(count), { timeout: 60_000 });
  const texts = async (reference: string) =>
    (await store.conversations.messagesOf(reference)).map(({ text }) => text);

  it('is read in order, including emails that arrive later, and its emails are marked', async () => {
    const reference = await submitApplication(store);
    await dovecot.deliver(mail('one', reference, 'First.'));
    await dovecot.deliver('Subject: nobody sent this\n\nx\n');
    startReading();
    await waitForOutcomes(2);
    await dovecot.deliver(mail('two', reference, 'Second.'));
    await waitForOutcomes(3);
    expect(outcomes).toEqual(['answer', 'unreadable', 'answer']);
    expect(await texts(reference)).toEqual(['First.', 'Second.']);
    await vi.waitFor(async () => expect(await dovecot.flags()).toEqual(['S', 'FS', 'S']), {
      timeout: 60_000,
    });
  });

  it('neither loses nor duplicates an email if the portal stops between storing and marking it', async () => {
    const reference = await submitApplication(store);
    await dovecot.deliver(mail('one', reference));
    const { receive } = store.conversations;
    let stopped: Promise<void> | undefined;
    const stop = startReading({
      conversations: {
        ...store.conversations,
        receive: async (answer) => {
          const outcome = await receive(answer);
          // Closes the connection before the email is marked.
          stopped = stop();
          return outcome;
        },
      },
    });
    await vi.waitFor(() => expect(stopped).toBeDefined(), { timeout: 60_000 });
    await stopped;
    expect(await dovecot.flags()).toEqual(['']);
    startReading();
    await waitForOutcomes(1);
    expect(outcomes).toEqual(['known']);
    expect(await texts(reference)).toHaveLength(1);
    await vi.waitFor(async () => expect(await dovecot.flags()).toEqual(['S']), { timeout: 60_000 });
  });

  it('leaves emails unread while they cannot be stored, and warns once', async () => {
    const reference = await submitApplication(store);
    await dovecot.deliver(mail('one', reference));
    let failures = 2;
    const { receive } = store.conversations;
    startReading({
      conversations: {
        ...store.conversations,
        receive: async (answer) => {
          failures -= 1;
          if (failures >= 0) throw new StoreUnavailableError('The disk is full.');
          return receive(answer);
        },
      },
    });
    await waitForOutcomes(1);
    expect(failures).toBe(-1);
    expect(warnings).toHaveLength(1);
    expect(connections.lastIndexOf(false)).toBeLessThan(connections.indexOf(true));
    expect(outcomes).toEqual(['answer']);
  });

  it('is reported as not connected once the server stops', async () => {
    startReading();
    await vi.waitFor(() => expect(connections).toEqual([true]), { timeout: 60_000 });
    await dovecot.stop();
    await vi.waitFor(() => expect(connections.slice(0, 2)).toEqual([true, false]), { timeout: 60_000 });
  });
});
