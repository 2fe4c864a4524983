import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import { afterEach, describe, expect, it } from 'vitest';
import type { CardApplication, VerificationRequest } from '../../../data/store/application-port.ts';
import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';
import {
  SUBMITTED_AT,
  sampleApplication,
  sampleRequest,
} from '../../../data/store/testing/sample-submissions.ts';
import type { SubmissionReaders } from './draft.ts';
import { renderLetter } from './letter.ts';
import { createMailSender } from './mail-sender.ts';
import { outboxTransport } from './outbox-transport.ts';
import type { OutgoingMail } from './outgoing-mail.ts';

const REFERENCE = 'BD-20260102-123456';
const ORIGIN = 'https://portal.example.com';
const NEVER = new AbortController().signal;

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'outbox-'));
  folders.push(folder);
  return folder;
}

const application = (changes: Partial<CardApplication> = {}): CardApplication => ({
  ...sampleApplication(),
  referenceNumber: REFERENCE,
  status: 'received',
  changedAt: SUBMITTED_AT,
  ...changes,
});

const request = (changes: Partial<VerificationRequest> = {}): VerificationRequest => ({
  ...sampleRequest(),
  referenceNumber: REFERENCE,
  status: 'received',
  refusalReason: null,
  changedAt: SUBMITTED_AT,
  ...changes,
});

function storeOf(kept: { application?: CardApplication; request?: VerificationRequest }): SubmissionReaders {
  const applications: SubmissionReaders['applications'] = {
    applicationByReference: async () => kept.application ?? null,
    requestByReference: async () => kept.request ?? null,
    statusOf: async (referenceNumber) => ({
      referenceNumber,
      kind: 'card-application',
      events: [
        { at: SUBMITTED_AT, status: 'received', note: null },
        { at: SUBMITTED_AT, status: 'refused', note: 'The stake had ended.' },
      ],
    }),
  };
  const nothing = async () => null;
  return { applications, contacts: { messageByReference: nothing }, loans: { byReference: nothing } };
}

const delivery = (changes: Partial<LeasedDelivery> = {}): LeasedDelivery => ({
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

function senderOf(
  submissions: SubmissionReaders,
  transport: Parameters<typeof createMailSender>[0]['transport'],
) {
  return createMailSender({
    submissions,
    transport,
    // As the configuration is.
    from: Object.freeze({ name: 'BlackDuck', address: 'portal@example.com' }),
    team: 'team@example.com',
    origin: ORIGIN,
    decimals: async () => 6,
  });
}

/** The mail of a delivery. */
async function mailOf(
  submissions: SubmissionReaders,
  changes: Partial<LeasedDelivery>,
): Promise<OutgoingMail> {
  const mails: OutgoingMail[] = [];
  const send = senderOf(submissions, async (mail) => {
    mails.push(mail);
    return { kind: 'sent', providerId: null };
  });
  const outcome = await send(delivery(changes), NEVER);
  const [mail] = mails;
  if (!mail) throw new Error(JSON.stringify(outcome));
  return mail;
}

const HOSTILE = {
  name: '<img src=x onerror=alert(1)> & "Ann"',
  notes: "</bdi></body><script>alert('1')</script>\nOwnership of the wallet: Proven",
};

describe('the mails of a card application', () => {
  it('tell the applicant the reference, what happens next and where it stands, and none of the words of the form', async () => {
    const kept = storeOf({ application: application(HOSTILE) });
    const mail = await mailOf(kept, {});
    expect(mail).toMatchObject({
      to: 'ada@example.com',
      subject: `We have your card application ${REFERENCE}`,
      replyTo: null,
      messageId: '0f7e@blackduck-portal',
      date: new Date(SUBMITTED_AT),
    });
    for (const words of [
      REFERENCE,
      'Application review within 24 hours',
      'KYC verification (if required)',
      'Virtual card details via secure email',
      'Activation instructions via the messaging app',
      `${ORIGIN}/application-status`,
      '2 January 2026 at 03:04 UTC',
    ]) {
      expect(mail.text).toContain(words);
      expect(mail.html).toContain(words);
    }
    for (const form of [mail.text, mail.html]) expect(form).not.toMatch(/alert|Ann|Everyday/);
  });

  it('bring the team every field, the answer going to the applicant', async () => {
    const name = 'محمد 🦆';
    const kept = storeOf({
      application: application({ name, phone: '+44 20 7946 0000', notes: 'one\ntwo' }),
    });
    const mail = await mailOf(kept, toTeam);
    expect(mail).toMatchObject({ to: 'team@example.com', replyTo: { name, address: 'ada@example.com' } });
    for (const line of [
      'Name: \u2068محمد 🦆\u2069',
      'Email: ada@example.com',
      'Phone: +44 20 7946 0000',
      'Telegram: @ada',
      'Card alias: Everyday',
      'Notes: one\n    two',
      'Wallet: FKkj5p5LumUerZj623CNzeaCGX9QpnjBevtTJDrk7ota',
      'Ownership of the wallet: Proven',
      'Staked, as the portal read it: 6,200,000 BD',
      'Tier, as the portal read it: Banker',
      'Staked, as the applicant’s page stated it: 6200000 BD',
    ]) {
      expect(mail.text.split(/\n(?! )/)).toContain(line);
    }
    expect(mail.html).toContain('<bdi style="white-space:pre-wrap">محمد 🦆</bdi>');
    expect(mail.text).toContain(`${ORIGIN}/admin/dashboard`);
  });

  it('leave out what was not given, and say what was not read', async () => {
    const kept = storeOf({
      application: application({ phone: null, walletAddress: null, checked: null, isOwnershipProven: false }),
    });
    const { text } = await mailOf(kept, toTeam);
    expect(text).not.toContain('Phone');
    expect(text).not.toContain('Tier, as the portal read it');
    expect(text).toContain('Wallet: None given');
    expect(text).toContain('Staked, as the portal read it: Not read from the chain');
    expect(text).toContain('Ownership of the wallet: Not proven');
  });

  it('show hostile words as the words they are, in a place of their own', async () => {
    const mail = await mailOf(
      storeOf({ application: application({ ...HOSTILE, isOwnershipProven: false }) }),
      toTeam,
    );
    expect(mail.html).not.toMatch(/<(img|script)/);
    expect(mail.html).toContain('&lt;script&gt;alert(&#x27;1&#x27;)&lt;/script&gt;');
    const facts = mail.text.split(/\n(?! )/);
    expect(facts.filter((line) => line.startsWith('Ownership'))).toEqual([
      'Ownership of the wallet: Not proven',
    ]);
    expect(facts).toContain(`Name: ${HOSTILE.name}`);
  });

  it('tell the outcome, with the team’s reason', async () => {
    const kept = storeOf({ application: application() });
    const approved = await mailOf(kept, { event: 'card-application.approved' });
    expect(approved.subject).toBe(`Your card application ${REFERENCE} is approved`);
    const refused = await mailOf(kept, { event: 'card-application.refused' });
    expect(refused.text).toContain('Reason: The stake had ended.');
  });
});

describe('the mails of a verification request', () => {
  it('tell the applicant what happens next, and bring the team every field', async () => {
    const kept = storeOf({
      request: request({ telegram: 'ada', evidence: 'https://example.com/tx?a=1&b=2' }),
    });
    const event = 'verification-request.received';
    const { text } = await mailOf(kept, { event });
    expect(text).toContain('Manual verification within 24 to 48 hours');
    expect(text).toContain('Whitelisting for immediate card access if approved');
    expect(text).not.toContain('another pool');
    const team = await mailOf(kept, { event, ...toTeam });
    for (const line of [
      'Why the detection is wrong: My stake is in another pool.',
      'BD staked, as the sender claims: 1500000 BD',
      'Evidence: https://example.com/tx?a=1&b=2',
      'Detected, as the sender’s page stated it: No BD tokens found',
      'Detected, as the portal read it: Not read from the chain',
      'Telegram: @ada',
    ]) {
      expect(team.text.split('\n')).toContain(line);
    }
  });

  it('tell the outcome, with the team’s reason', async () => {
    const kept = storeOf({ request: request({ refusalReason: 'The stake is another person’s.' }) });
    const approved = await mailOf(kept, { event: 'verification-request.approved' });
    expect(approved.text).toContain(`${ORIGIN}/virtual-card`);
    const refused = await mailOf(kept, { event: 'verification-request.refused' });
    expect(refused.text).toContain('Reason: The stake is another person’s.');
  });
});

describe('a delivery of which nothing can be told', () => {
  const refusing = async () => {
    throw new Error('there is nothing to send');
  };

  it.each([
    ['of no submission', {}, {}],
    ['of an unknown event', { application: application() }, { event: 'card-application.lost' }],
    [
      'of an outcome, to the team',
      { application: application() },
      { event: 'card-application.approved', ...toTeam },
    ],
    ['to several addresses', { application: application() }, { recipient: 'a@example.com,b@example.com' }],
    ['to none', { application: application() }, { recipient: null }],
  ])('is given up: %s', async (_case, kept, changes) => {
    expect(await senderOf(storeOf(kept), refusing)(delivery(changes), NEVER)).toMatchObject({ kind: 'dead' });
  });
});

describe('the outbox', () => {
  it('holds each mail as one whole file that its owner alone reads, the same again as the same one', async () => {
    const folder = await newFolder();
    const send = senderOf(
      storeOf({ application: application({ name: 'שרה 🦆' }) }),
      outboxTransport(join(folder, 'mail')),
    );
    for (const _try of [1, 2]) {
      expect(await send(delivery(toTeam), NEVER)).toEqual({
        kind: 'sent',
        providerId: '20260102T030405.000Z-0f7e.eml',
      });
    }
    const files = await readdir(join(folder, 'mail'));
    expect(files).toEqual(['20260102T030405.000Z-0f7e.eml']);
    const file = join(folder, 'mail', files[0] ?? '');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'mail'))).mode & 0o777).toBe(0o700);
    const parsed = await simpleParser(await readFile(file));
    expect(parsed).toMatchObject({
      messageId: '<0f7e@blackduck-portal>',
      subject: `Card application ${REFERENCE}`,
      replyTo: { value: [{ name: 'שרה 🦆', address: 'ada@example.com' }] },
      text: expect.stringContaining('Name: \u2068שרה 🦆\u2069'),
    });
  });

  it('pauses the channel where its folder cannot be written', async () => {
    const folder = await newFolder();
    const inTheWay = join(folder, 'file');
    await outboxTransport(folder);
    const { writeFile } = await import('node:fs/promises');
    await writeFile(inTheWay, '');
    const send = senderOf(storeOf({ application: application() }), outboxTransport(inTheWay));
    expect(await send(delivery(), NEVER)).toMatchObject({ kind: 'pause', reason: 'unreachable' });
  });
});

describe('a letter', () => {
  it('carries any words whole, in both forms, as nothing but words', async () => {
    const words = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 60 })
      .map((text) => text.replaceAll(/[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Cn}\ufeff]/gu, '').trim())
      .filter((text) => text !== '');
    await fc.assert(
      fc.asyncProperty(words, async (value) => {
        const { html, text } = renderLetter({
          subject: 'Words',
          parts: [{ kind: 'facts', facts: [['Said', value]] }],
        });
        expect(text.replaceAll(/[\u2068\u2069]/g, '')).toContain(`Said: ${value}`);
        expect([...html.matchAll(/<bdi/g)]).toHaveLength(1);
        const inside = html.slice(html.indexOf('pre-wrap">') + 10, html.indexOf('</bdi>'));
        expect(inside).not.toMatch(/[<>"]/);
      }),
      { numRuns: 100 },
    );
  });

  it('lets no sign that turns words reach out of its place', () => {
    const { html, text } = renderLetter({
      subject: 'Words',
      parts: [{ kind: 'facts', facts: [['Said', 'a\u202Eb\u2069c\u2066d']] }],
    });
    expect(html).toContain('>abcd</bdi>');
    expect(text).toContain('Said: abcd');
  });
});
