// @module-tag slow
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ConnectionFault, type FaultyProxy, startFaultyProxy } from '../testing/faulty-proxy.ts';
import { type SmtpPeer, startSmtpPeer } from '../testing/smtp-peer.ts';
import type { OutgoingMail } from './mail-transport.ts';
import { createSmtpTransport } from './smtp-transport.ts';

const SHORT_TIMEOUTS = { connectMs: 500, greetingMs: 500, silenceMs: 500 };

const MAIL: OutgoingMail = {
  from: { name: 'BlackDuck', address: 'portal@blackduck.example' },
  to: 'ann@example.com',
  replyTo: { name: 'محمد بن سلمان 🦆', address: 'mohammed@example.org' },
  id: '0f7e',
  messageId: '0f7e@portal.example.com',
  date: new Date('2026-01-02T03:04:05Z'),
  subject: 'We’ve received your card application BD-20260102-123456 ✓',
  text: 'שלום 🦆\n',
  html: '<p>שלום 🦆</p>',
};

async function startPeer(options: Parameters<typeof startSmtpPeer>[0] = {}): Promise<SmtpPeer> {
  const started = await startSmtpPeer(options);
  onTestFinished(() => started.close());
  return started;
}

async function startProxyWith(peer: SmtpPeer, fault: ConnectionFault): Promise<FaultyProxy> {
  const proxy = await startFaultyProxy(peer.port);
  proxy.loseConnectionsAt(fault);
  onTestFinished(() => proxy.close());
  return proxy;
}

const serverSettings = (port: number, credentials: { user: string; password: string } | null = null) =>
  ({ kind: 'smtp', host: '127.0.0.1', port, isSecure: false, credentials }) as const;

const NEVER_ABORTED = new AbortController().signal;
const send = (port: number, mail = MAIL) => createSmtpTransport(serverSettings(port))(mail, NEVER_ABORTED);

/** Sends until an attempt loses its connection: on a busy machine, some attempts time out first. @returns the last outcome */
async function sendAndLose(proxy: FaultyProxy) {
  for (;;) {
    const outcome = await createSmtpTransport(serverSettings(proxy.port), SHORT_TIMEOUTS)(
      MAIL,
      NEVER_ABORTED,
    );
    if (proxy.lostCount > 0) return outcome;
  }
}

describe('the SMTP transport', () => {
  it('delivers the text of an email unchanged, encoded as ASCII', async () => {
    const smtp = await startPeer();
    expect(await send(smtp.port)).toEqual({ kind: 'sent', providerId: '250 queued as 1' });
    expect(smtp.received[0]?.parsed).toMatchObject({
      subject: MAIL.subject,
      text: MAIL.text,
      html: MAIL.html,
    });
    expect(smtp.received[0]?.raw.every((byte) => byte < 128)).toBe(true);
  });

  it.each([
    ['a name', { replyTo: { name: 'Ann\r\nBcc: all@example.com', address: 'ann@example.com' } }],
    ['a subject', { subject: 'Hello\r\nBcc: all@example.com\r\n\r\nbody' }],
    ['an address', { replyTo: { name: '', address: 'ann@example.com\r\nBcc: all@example.com' } }],
    ['a list in a name', { replyTo: { name: 'a@b.example, Bcc: all@example.com', address: 'x@b.example' } }],
  ])('does not let %s add a header', async (_case, change) => {
    const smtp = await startPeer();
    await send(smtp.port, { ...MAIL, ...change });
    const [mail] = smtp.received;
    expect(mail?.to).toEqual(['ann@example.com']);
    expect(mail?.parsed.headers.has('bcc')).toBe(false);
    expect(mail?.parsed.text).toBe(MAIL.text);
  });

  it('signs in with the credentials, and pauses the channel if the server rejects them', async () => {
    const smtp = await startPeer({
      onAuth: ({ username, password }, _session, done) =>
        username === 'ann' && password === 'p@ss:word'
          ? done(null, { user: username })
          : done(Object.assign(new Error('bad credentials'), { responseCode: 535 })),
    });
    const sendWithPassword = (password: string) =>
      createSmtpTransport(serverSettings(smtp.port, { user: 'ann', password }))(MAIL, NEVER_ABORTED);
    expect(await sendWithPassword('p@ss:word')).toMatchObject({ kind: 'sent' });
    expect(await sendWithPassword('other')).toMatchObject({ kind: 'pause', reason: 'refused', code: '535' });
    expect(smtp.received).toHaveLength(1);
  });

  it.each([
    ['RCPT', 450, 'retry'],
    ['RCPT', 550, 'dead'],
    ['DATA', 452, 'retry'],
    ['DATA', 554, 'dead'],
  ] as const)(
    'reports a rejection at %s with %i as %s, without the address in the error',
    async (step, code, kind) => {
      const smtp = await startPeer();
      smtp.refuse({ step, code });
      const outcome = await send(smtp.port);
      expect(outcome).toMatchObject({ kind, code: String(code), error: expect.stringContaining('refused') });
      expect(JSON.stringify(outcome)).not.toContain('ann@example.com');
      expect(smtp.received).toEqual([]);
    },
  );

  it.each([
    ['CONNECT', 421, 'busy'],
    ['CONNECT', 554, 'refused'],
    ['MAIL', 451, 'busy'],
    ['MAIL', 550, 'refused'],
    ['RCPT', 421, 'busy'],
  ] as const)(
    'pauses the channel if the server rejects the portal: at %s with %i',
    async (step, code, reason) => {
      const smtp = await startPeer();
      smtp.refuse({ step, code });
      expect(await send(smtp.port)).toMatchObject({ kind: 'pause', reason, code: String(code) });
    },
  );

  it('pauses the channel if no server listens', async () => {
    const smtp = await startSmtpPeer();
    await smtp.close();
    const unreachable = { kind: 'pause', reason: 'unreachable', code: 'ECONNREFUSED' };
    expect(await send(smtp.port)).toMatchObject(unreachable);
  });

  it.each([
    { at: 'greeting', how: 'hang' },
    { at: 'greeting', how: 'cut' },
    { at: 'EHLO', how: 'cut' },
    { at: 'MAIL', how: 'cut' },
    { at: 'RCPT', how: 'cut' },
    { at: 'DATA', how: 'hang' },
    { at: 'DATA', how: 'cut' },
  ] as const)(
    'asks for a retry if the connection is lost at $at ($how) before the message was sent',
    async (fault) => {
      const smtp = await startPeer();
      const proxy = await startProxyWith(smtp, fault);
      expect(await sendAndLose(proxy)).toMatchObject({ kind: 'retry' });
      expect(smtp.received).toEqual([]);
    },
  );

  it.each([
    ['during', 'body', 'hang'],
    ['during', 'body', 'cut'],
    ['after', 'message', 'hang'],
    ['after', 'message', 'cut'],
  ] as const)(
    'reports an unknown outcome if the connection is lost %s the message (%s, %s)',
    async (_when, at, how) => {
      const smtp = await startPeer();
      const proxy = await startProxyWith(smtp, { at, how });
      expect(await sendAndLose(proxy)).toMatchObject({ kind: 'unknown' });
      if (at === 'message') await smtp.waitForMails(1);
      else expect(smtp.received).toEqual([]);
    },
  );

  it('stops when its signal aborts, whether or not the message was sent', async () => {
    const smtp = await startPeer();
    for (const [at, kind] of [
      ['RCPT', 'retry'],
      ['message', 'unknown'],
    ] as const) {
      const proxy = await startProxyWith(smtp, { at, how: 'hang' });
      const stopping = new AbortController();
      const outcome = createSmtpTransport(serverSettings(proxy.port))(MAIL, stopping.signal);
      await expect.poll(() => proxy.lostCount).toBe(1);
      stopping.abort();
      expect(await outcome).toMatchObject({ kind });
    }
  });

  it('sends no unencrypted credentials to a different machine', async () => {
    const smtp = await startPeer({ onAuth: (_auth, _session, done) => done(null, { user: 'ann' }) });
    const remote = { ...serverSettings(smtp.port, { user: 'ann', password: 'secret' }), host: '127.1' };
    const outcome = await createSmtpTransport(remote)(MAIL, NEVER_ABORTED);
    expect(outcome).toMatchObject({ kind: 'pause', reason: 'refused' });
    expect(smtp.received).toEqual([]);
  });
});
