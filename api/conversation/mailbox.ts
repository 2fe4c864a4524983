import { setTimeout as pause } from 'node:timers/promises';
import type { ImapFlow } from 'imapflow';
import type { InboundMailbox } from '../../data/config/delivery-variables.ts';
import { MAX_MAIL_BYTES } from '../../data/model/conversation.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import type { InboundMetrics } from './inbound-metrics.ts';
import { type InboundMailContext, takeMail } from './take-mail.ts';

interface MailboxOptions extends Pick<InboundMetrics, 'onMail'> {
  readonly mailbox: InboundMailbox;
  readonly context: InboundMailContext;
  readonly onConnected: (isConnected: boolean) => void;
  readonly log: Logger;
  readonly intervals?: MailboxIntervals;
}

interface MailboxIntervals {
  /** Milliseconds between two reads of the mailbox, if the server announces no new email. */
  readonly pollMs: number;
  /**
   * Milliseconds between the first failed connection or read and the next attempt. Doubles with each further consecutive
   * failure, up to `longestRetryMs`.
   */
  readonly retryMs: number;
  readonly longestRetryMs: number;
}

const DEFAULT_INTERVALS: MailboxIntervals = { pollMs: 60_000, retryMs: 5_000, longestRetryMs: 300_000 };
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

async function openClient(mailbox: InboundMailbox): Promise<ImapFlow> {
  // Loaded on demand, because most portals read no mailbox.
  const { ImapFlow } = await import('imapflow');
  const { host, port, isSecure, user, password } = mailbox;
  const client = new ImapFlow({
    host,
    port,
    secure: isSecure,
    // Credentials are never sent unencrypted over a network.
    ...(isSecure ? {} : { doSTARTTLS: !LOOPBACK.test(host) }),
    auth: { user, pass: password },
    logger: false,
    connectionTimeout: 15_000,
    greetingTimeout: 15_000,
    socketTimeout: 180_000,
  });
  // Without a listener, an error would end the process. The error also rejects the call in progress.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.mailboxOpen(mailbox.folder);
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

/**
 * Stores the unread emails, oldest first. Marks each email as read after it is stored. If the portal stops in between, it
 * later reads the email again and recognizes it as stored. An email that cannot be stored, or that exceeds a limit for its
 * sender or record, is flagged, so that a person notices it in the mailbox.
 * @throws {StoreUnavailableError} when nothing can be stored; the remaining emails stay unread
 */
async function readUnseen(
  client: ImapFlow,
  { context, onMail, log }: Pick<MailboxOptions, 'context' | 'onMail' | 'log'>,
  onRead: () => void,
  isStopped: () => boolean,
): Promise<void> {
  const requireOpen = () => {
    // The library's calls on a closed connection return nothing instead of failing.
    if (!client.usable) throw new Error('The connection to the mail server ended.');
  };
  const uids = (await client.search({ seen: false }, { uid: true })) || [];
  requireOpen();
  for (const uid of uids) {
    if (isStopped()) return;
    const fetched = await client.fetchOne(
      String(uid),
      { source: { start: 0, maxLength: MAX_MAIL_BYTES } },
      { uid: true },
    );
    requireOpen();
    // The email was removed in the meantime.
    if (!fetched || fetched.source === undefined) continue;
    const outcome = await takeMail(fetched.source, context).catch((error: unknown) => {
      if (error instanceof StoreUnavailableError) throw error;
      log.error({ err: error, uid }, 'an email could not be stored');
      return 'unreadable' as const;
    });
    const flags = outcome === 'unreadable' || outcome === 'limited' ? ['\\Seen', '\\Flagged'] : ['\\Seen'];
    const isMarked = await client.messageFlagsAdd(String(uid), flags, { uid: true });
    requireOpen();
    if (!isMarked) throw new Error('The email cannot be marked as read: the mailbox is read-only.');
    onRead();
    onMail(outcome);
    log.info({ uid, outcome }, 'mail read');
  }
}

/**
 * Reads a mailbox until it is stopped. While the mailbox cannot be read, or its emails cannot be stored, retries with
 * increasing delays.
 * @returns a function that stops reading
 */
export function startMailbox(options: MailboxOptions): () => Promise<void> {
  const { mailbox, log, onConnected, intervals = DEFAULT_INTERVALS } = options;
  const stopController = new AbortController();
  const isStopped = () => stopController.signal.aborted;
  const wait = (ms: number, signal = stopController.signal) =>
    pause(ms, undefined, { signal, ref: false }).catch(() => {});

  /** Waits for a new email, the next scheduled read, or the end of the connection. */
  async function waitForNextRead(client: ImapFlow): Promise<void> {
    const wakeController = new AbortController();
    const wake = () => wakeController.abort();
    client.once('exists', wake);
    client.once('close', wake);
    void client.idle().catch(() => {});
    await wait(intervals.pollMs, AbortSignal.any([wakeController.signal, stopController.signal]));
    client.off('exists', wake);
    client.off('close', wake);
  }

  async function readUntilClosed(onRead: () => void): Promise<void> {
    const client = await openClient(mailbox);
    const close = () => client.close();
    stopController.signal.addEventListener('abort', close);
    try {
      while (!isStopped()) {
        await readUnseen(client, options, onRead, isStopped);
        onRead();
        if (!isStopped()) await waitForNextRead(client);
      }
    } finally {
      stopController.signal.removeEventListener('abort', close);
      client.close();
    }
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!isStopped()) {
      try {
        let isRead = false;
        await readUntilClosed(() => {
          failures = 0;
          if (isRead) return;
          isRead = true;
          log.info({ host: mailbox.host }, 'reading the mailbox');
          onConnected(true);
        });
      } catch (error) {
        if (isStopped()) break;
        failures += 1;
        // The server's message is not logged, because it may contain the user name.
        const { code, responseStatus } = Object(error);
        if (failures === 1)
          log.warn(
            { host: mailbox.host, code: code ?? responseStatus ?? Object(error).name },
            'the mailbox cannot be read, or its emails cannot be stored; check IMAP_URL, the server and the store',
          );
      }
      onConnected(false);
      await wait(
        Math.min(intervals.longestRetryMs, intervals.retryMs * 2 ** Math.min(10, Math.max(0, failures - 1))),
      );
    }
  }

  const running = run();
  return async () => {
    stopController.abort();
    await running;
  };
}
