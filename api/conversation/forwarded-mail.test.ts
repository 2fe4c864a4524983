// @module-tag slow
import { once } from 'node:events';
import { createServer } from 'node:http';
import express, { type RequestHandler } from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rateLimits } from '../../data/config/rate-limits.ts';
import { MAX_MAIL_BYTES } from '../../data/model/conversation.ts';
import { WEBHOOK_LIMITS } from '../../data/model/webhooks.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { submitApplication } from '../../data/store/testing/sample-submissions.ts';
import { signatureHeader } from '../delivery/webhooks/signature.ts';
import { listen } from '../listen.ts';
import { ask } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal, type TestPortalChanges } from '../testing/test-portal.ts';
import { forwardedMailRoute } from './forwarded-mail-route.ts';
import { type MailOutcome, takeMail } from './take-mail.ts';
import { mailContext } from './testing/mail-context.ts';

const SECRET = 'a secret of the mail server, 32 characters'.replaceAll(' ', '-');

describe('an email that a mail server forwards', () => {
  let portal: TestPortal;
  let outcomes: MailOutcome[];
  let reference: string;

  async function start(changes: TestPortalChanges = {}, secret: string | null = SECRET): Promise<void> {
    outcomes = [];
    portal = await startTestPortal({
      inboundMail: {
        secret,
        ownAddresses: ['portal@example.com'],
        onMail: (outcome) => void outcomes.push(outcome),
      },
      ...changes,
    });
    reference = await submitApplication(portal.store);
  }
  beforeEach(() => start());
  afterEach(() => portal.close());

  const mail = (id: string, subject = reference, from = 'ada@example.com') =>
    Buffer.from(
      `From: ${from}\r\nSubject: ${subject}\r\nMessage-ID: <${id}@x>\r\n\r\nHere it is \xe9.\r\n`,
      'latin1',
    );
  async function send(
    body: Buffer,
    {
      at = portal.now(),
      secret = SECRET,
      signed: signedBody = body,
      port = portal.port,
    }: { at?: number; secret?: string; signed?: Buffer; port?: number } = {},
  ) {
    const headers = {
      'Content-Type': 'message/rfc822',
      'BlackDuck-Signature': signatureHeader(signedBody, [secret], at),
    };
    const answer = await ask(port, '/api/inbound-mail', { method: 'POST', headers, body });
    const { outcome, code } = JSON.parse(answer.body);
    return [answer.status, outcome ?? code];
  }
  const countStored = async () => (await portal.store.conversations.messagesOf(reference)).length;

  it('is stored once, however often it is sent, even if it was already read from the mailbox', async () => {
    const context = mailContext(portal.store, { now: portal.now });
    expect(await takeMail(mail('one'), context)).toBe('answer');
    expect(await send(mail('one'))).toEqual([200, 'known']);
    const racing = await Promise.all([send(mail('two')), send(mail('two'))]);
    expect(racing.map(([, outcome]) => outcome).toSorted()).toEqual(['answer', 'known']);
    expect(await countStored()).toBe(2);
    expect(outcomes).toHaveLength(3);
  });

  it('is refused if its signature is missing, or made with another secret, content or time', async () => {
    const tolerance = WEBHOOK_LIMITS.toleranceSeconds * 1_000;
    const refused = [401, 'mail-not-signed'];
    expect(await send(mail('one'), { secret: SECRET.toUpperCase() })).toEqual(refused);
    expect(await send(mail('one'), { signed: mail('two') })).toEqual(refused);
    expect(await send(mail('one'), { at: portal.now() - tolerance - 1_000 })).toEqual(refused);
    expect(await send(mail('one'), { at: portal.now() + tolerance + 1_000 })).toEqual(refused);
    const { status } = await ask(portal.port, '/api/inbound-mail', { method: 'POST', body: 'x' });
    expect(status).toBe(401);
    expect(await countStored()).toBe(0);
    expect(await send(mail('one'), { at: portal.now() - tolerance })).toEqual([200, 'answer']);
  });

  it('is refused if it is too large or cannot be read, or if its sender or record has reached a limit', async () => {
    await portal.close();
    await start({ rateLimits: { 'inbound-messages-of-email': 1, 'inbound-answers-of-record': 1 } });
    expect(await send(Buffer.alloc(MAX_MAIL_BYTES + 1))).toEqual([413, 'mail-too-large']);
    expect(await send(Buffer.from('Subject: nobody sent this\r\n\r\nx'))).toEqual([422, 'mail-unreadable']);
    expect(await send(mail('one', 'Hello', 'eve@example.com'))).toEqual([200, 'new']);
    expect(await send(mail('two', 'Hello', 'eve@example.com'))).toEqual([429, 'mails-of-sender']);
    expect(await send(mail('three'))).toEqual([200, 'answer']);
    expect(await send(mail('four'))).toEqual([429, 'mails-of-sender']);
    expect(outcomes).toEqual(['unreadable', 'new', 'limited', 'answer', 'limited']);
  });

  it('is read even after many clients disconnected before their emails were read', async () => {
    const route = forwardedMailRoute({
      ...mailContext(portal.store, { now: portal.now }),
      store: portal.store,
      rateLimits: rateLimits(),
      limits: { count: async () => {} },
      inboundMail: { secret: SECRET, ownAddresses: [], onMail: () => {} },
    });
    let leaving = 3;
    const leave: RequestHandler = async (request, response, next) => {
      if (leaving > 0) {
        // Reads the client's address, as the rate limit does. Node then remembers it even after the connection closes.
        expect(request.ip).toBeDefined();
        response.destroy();
        await once(response, 'close');
        leaving -= 1;
      }
      next();
    };
    const app = express().use(leave, route.bodyParser ?? [], route.handle);
    const server = createServer(app);
    const port = await listen(server, '127.0.0.1', 0);
    try {
      while (leaving > 0) await send(mail('one'), { port }).catch(() => {});
      expect(await send(mail('one'), { port })).toEqual([200, 'answer']);
    } finally {
      server.close();
    }
  });

  it('is rate-limited per address before it is read', async () => {
    await portal.close();
    await start({ rateLimits: { 'inbound-mails': 1 } });
    expect(await send(mail('one'))).toEqual([200, 'answer']);
    expect(await send(mail('two'))).toEqual([429, 'too-many-requests']);
  });

  it('gets a status that asks for a retry while the store fails, and is stored by the retry', async () => {
    const { receive } = portal.store.conversations;
    portal.store.conversations.receive = () => Promise.reject(new StoreUnavailableError('The disk is full.'));
    const [status] = await send(mail('one'));
    expect(status).toBeGreaterThanOrEqual(500);
    portal.store.conversations.receive = receive;
    expect(await send(mail('one'))).toEqual([200, 'answer']);
  });

  it('is answered with 404 if no secret is configured', async () => {
    await portal.close();
    await start({}, null);
    expect(await send(mail('one'))).toEqual([404, 'no-inbound-mails']);
  });
});
