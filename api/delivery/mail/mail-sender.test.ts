import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';
import type { CardApplication } from '../../../data/store/submission-port.ts';
import { SUBMITTED_AT, sampleApplication } from '../../../data/store/testing/sample-submissions.ts';
import { temporaryFolder } from '../../../data/store/testing/temporary-folder.ts';
import { ORGANIZATION } from '../testing/organization.ts';
import { storedSubmissions } from '../testing/stored-submissions.ts';
import { UNUSED_MAIL_CONTEXT } from '../testing/unused-mail-context.ts';
import { createMailSender } from './mail-sender.ts';
import { createMailOutboxTransport, type MailTransport } from './mail-transport.ts';
import type { MentionContext } from './templates/mention-mails.ts';

const REFERENCE = 'BD-20260102-123456';
const NEVER_ABORTED = new AbortController().signal;

const APPLICATION: CardApplication = {
  ...sampleApplication({ name: 'שרה 🦆' }),
  referenceNumber: REFERENCE,
  status: 'received',
  changedAt: SUBMITTED_AT,
};

const sampleDelivery = (changes: Partial<LeasedDelivery> = {}): LeasedDelivery => ({
  id: '0f7e',
  event: 'card-application.received',
  referenceNumber: REFERENCE,
  channel: 'mail',
  audience: 'applicant',
  recipient: 'ada@example.com',
  messageId: '0f7e@blackduck-portal',
  attemptCount: 0,
  fence: 1,
  createdAt: SUBMITTED_AT,
  ...changes,
});

const toTeam = { audience: 'team', recipient: null } as const;

function createSender(
  application: CardApplication | null,
  transport: MailTransport,
  records: MentionContext['records'] = UNUSED_MAIL_CONTEXT.records,
) {
  return createMailSender({
    submissions: storedSubmissions(application ? { 'card-application': application } : {}),
    transport,
    alerts: { find: async () => null },
    deliveries: { deliveriesOf: async () => [] },
    ...UNUSED_MAIL_CONTEXT,
    records,
    admins: { links: async () => [], byId: async () => null },
    // Frozen, like the configuration.
    from: Object.freeze({ name: 'BlackDuck', address: 'portal@example.com' }),
    teamAddress: 'team@example.com',
    origin: 'https://portal.example.com',
    teamOrigin: 'https://portal.example.com',
    decimals: async () => 6,
    confirmationToken: () => '',
    adminLinkToken: () => '',
    organization: ORGANIZATION,
  });
}

describe('a delivery', () => {
  const throwingTransport: MailTransport = async () => {
    throw new Error('Nothing should be sent.');
  };

  it.each([
    ['its submission is not stored', null, {}, 'no-mail'],
    ['its event is unknown', APPLICATION, { event: 'card-application.lost' }, 'no-mail'],
    [
      'its event sends the team no email',
      APPLICATION,
      { event: 'card-application.approved', ...toTeam },
      'no-mail',
    ],
    ['it has several addresses', APPLICATION, { recipient: 'a@example.com,b@example.com' }, 'no-address'],
    ['it has no address', APPLICATION, { recipient: null }, 'no-address'],
  ])('fails if %s', async (_case, application, changes, code) => {
    const outcome = await createSender(application, throwingTransport)(
      sampleDelivery(changes),
      NEVER_ABORTED,
    );
    expect(outcome).toMatchObject({ kind: 'dead', code });
  });
});

describe('an email about a mention', () => {
  const sampleMention = { by: 'grace', referenceNumber: REFERENCE };
  const send = async (mention: typeof sampleMention | null) => {
    let sent: Parameters<MailTransport>[0] | null = null;
    const keepingTransport: MailTransport = async (mail) => {
      sent = mail;
      return { kind: 'sent', providerId: null };
    };
    const records = { mention: async (id: string) => (id === 'm1' ? mention : null) };
    const about = { event: 'mention.mentioned:m1', audience: 'team', recipient: 'alan@example.com' } as const;
    const outcome = await createSender(
      APPLICATION,
      keepingTransport,
      records,
    )(sampleDelivery(about), NEVER_ABORTED);
    return { outcome, sent: sent as Parameters<MailTransport>[0] | null };
  };

  it('gives the admin the note’s author and a link to the record, but not the applicant’s name or address', async () => {
    const { sent } = await send(sampleMention);
    expect(sent).toMatchObject({ to: 'alan@example.com', replyTo: { address: 'support@example.com' } });
    expect(sent?.text).toContain('grace');
    expect(sent?.text).toContain(`https://portal.example.com/admin/dashboard#overview?record=${REFERENCE}`);
    for (const typed of [APPLICATION.name, APPLICATION.email])
      expect(`${sent?.subject} ${sent?.text} ${sent?.html}`).not.toContain(typed);
  });

  it('is not sent after the mention is withdrawn', async () => {
    expect(await send(null)).toEqual({
      outcome: expect.objectContaining({ kind: 'dead', code: 'no-mail' }),
      sent: null,
    });
  });
});

describe('the outbox', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  it('stores each email as one file that only the owner can read, and replaces it on a retry', async () => {
    const outbox = join(folder, 'mail');
    const send = createSender(APPLICATION, createMailOutboxTransport(outbox));
    const name = '20260102T030405.000Z-0f7e.eml';
    for (const _attempt of [1, 2]) {
      expect(await send(sampleDelivery(toTeam), NEVER_ABORTED)).toEqual({ kind: 'sent', providerId: name });
    }
    expect(await readdir(outbox)).toEqual([name]);
    expect((await stat(join(outbox, name))).mode & 0o777).toBe(0o600);
    expect((await stat(outbox)).mode & 0o777).toBe(0o700);
    expect(await simpleParser(await readFile(join(outbox, name)))).toMatchObject({
      messageId: `<${REFERENCE}.team@portal.example.com>`,
      date: new Date(SUBMITTED_AT),
      to: { value: [{ address: 'team@example.com' }] },
      subject: `Card application ${REFERENCE}`,
      replyTo: { value: [{ name: 'שרה 🦆', address: 'ada@example.com' }] },
      text: expect.stringContaining('Full Name: \u2068שרה 🦆\u2069'),
    });
  });

  it('pauses the channel if its folder is not writable', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const outcome = await createSender(APPLICATION, createMailOutboxTransport(file))(
      sampleDelivery(),
      NEVER_ABORTED,
    );
    expect(outcome).toMatchObject({ kind: 'pause', reason: 'unreachable' });
  });
});
