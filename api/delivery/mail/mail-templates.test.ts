// @module-tag slow
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FACTS } from '../../../data/model/facts/facts.ts';
import { CARD_APPLICATION_FIELDS } from '../../../data/model/forms/card-forms.ts';
import { CONTACT_FORM } from '../../../data/model/forms/contact-form.ts';
import { teamFields } from '../../../data/model/forms/field.ts';
import { LOAN_FORM } from '../../../data/model/forms/loan-form.ts';
import {
  SHORT_REQUEST_VALUES,
  VERIFICATION_REQUEST_FIELDS,
} from '../../../data/model/forms/verification-forms.ts';
import { SUBMISSION_KINDS } from '../../../data/model/submission-status.ts';
import { anyText } from '../../../data/model/testing/any-text.ts';
import type { Submissions } from '../../../data/store/submission-port.ts';
import { sampleLoan } from '../../../data/store/testing/sample-loans.ts';
import {
  SUBMITTED_AT,
  sampleApplication,
  sampleMessage,
  sampleRequest,
} from '../../../data/store/testing/sample-submissions.ts';
import { recordUrl } from '../record-url.ts';
import { ORGANIZATION } from '../testing/organization.ts';
import { type SubmissionChanges, storedSubmissions } from '../testing/stored-submissions.ts';
import { renderMail } from './layout/render-mail.ts';
import { composeMail } from './mail-sender.ts';

const referenceNumber = 'BD-20260102-123456';
const ORIGIN = 'https://portal.example.com';
const TEAM_ORIGIN = 'https://api.example.com';
const receivedFields = { referenceNumber, status: 'received', changedAt: SUBMITTED_AT } as const;

const STORED_SUBMISSIONS: Submissions = {
  'card-application': {
    ...sampleApplication({ name: 'محمد 🦆', phone: '+44 20 7946 0000', applicantNotes: 'One\nTwo' }),
    ...receivedFields,
  },
  'verification-request': {
    ...sampleRequest({ telegram: 'ada', evidence: 'https://example.com/tx?a=1&b=2' }),
    ...receivedFields,
    refusalReason: null,
  },
  'contact-message': { ...sampleMessage(), ...receivedFields, status: 'open', closedAt: null },
  'loan-application': {
    ...sampleLoan({ comments: 'One\nTwo' }),
    ...receivedFields,
    refusalReason: null,
    decidedAt: null,
    confirmBy: SUBMITTED_AT + 48 * 3_600_000,
    mailboxConfirmedAt: null,
  },
};

const tokenOf = (id: string) => `token-of-${id}`;

const TIMELINE = [
  { at: SUBMITTED_AT, status: 'received', note: null },
  { at: SUBMITTED_AT, status: 'refused', note: 'The stake had ended.' },
  { at: SUBMITTED_AT, status: 'withdrawn', note: 'A forged proof.' },
];

async function compose(event: string, audience: 'applicant' | 'team', changes: SubmissionChanges = {}) {
  const submissions = storedSubmissions(STORED_SUBMISSIONS, TIMELINE, changes);
  const context = {
    submissions,
    origin: ORIGIN,
    teamOrigin: TEAM_ORIGIN,
    decimals: 6,
    confirmationToken: tokenOf,
    organization: ORGANIZATION,
  };
  const mail = await composeMail({ event, audience, referenceNumber }, context);
  if (!mail) throw new Error(`There is no email about ${event} to the ${audience}.`);
  // Every line of a value after the first is indented, so each value stays in one element of `lines`.
  return { ...mail, lines: mail.text.split(/\n(?! )/) };
}

const HOSTILE_FIELDS = {
  name: '<img src=x onerror=alert(1)> & "Ann", bo@example.com',
  applicantNotes: "</bdi></body><script>alert('1')</script>\nWallet ownership: Proven",
};

describe('the email about a new submission', () => {
  it.each(SUBMISSION_KINDS)(
    'gives the applicant of a %s the reference number, and repeats none of the typed text',
    async (kind) => {
      const mail = await compose(`${kind}.received`, 'applicant');
      expect(mail.subject).toContain(referenceNumber);
      expect(mail.replyTo).toEqual({ name: 'BlackDuck', address: 'support@example.com' });
      expect(mail.text).toContain('BlackDuck, Dubai');
      expect(mail.text).toContain(`${ORIGIN}/privacy-policy`);
      for (const text of [referenceNumber, '2 January 2026 at 03:04 UTC']) {
        expect(mail.text).toContain(text);
        expect(mail.html).toContain(text);
      }
      for (const version of [mail.text, mail.html]) {
        expect(version).not.toMatch(/محمد|Lovelace|Everyday|One|another pool|My stake|lock end|75,000/);
      }
    },
  );

  it.each([
    ['card-application', teamFields(CARD_APPLICATION_FIELDS, STORED_SUBMISSIONS['card-application'])],
    [
      'verification-request',
      teamFields(VERIFICATION_REQUEST_FIELDS, STORED_SUBMISSIONS['verification-request']),
    ],
    ['contact-message', teamFields(CONTACT_FORM.fields, STORED_SUBMISSIONS['contact-message'])],
    [
      'loan-application',
      teamFields(LOAN_FORM.fields, STORED_SUBMISSIONS['loan-application'], () => 'United Kingdom'),
    ],
  ] as const)(
    'gives the team each filled-in field of a %s and the footer, and directs replies to the applicant',
    async (kind, rows) => {
      const { lines, replyTo, text } = await compose(`${kind}.received`, 'team');
      const stored = STORED_SUBMISSIONS[kind];
      expect(replyTo).toEqual({ name: 'name' in stored ? stored.name : '', address: 'ada@example.com' });
      expect(text).toContain('BlackDuck, Dubai');
      const shown = lines.map((line) => line.replaceAll(/[\u2068\u2069]/g, ''));
      for (const row of rows) {
        if (row.text) expect(shown).toContain(`${row.label}: ${row.text.replaceAll('\n', '\n    ')}`);
        else expect(shown.filter((line) => line.startsWith(`${row.label}:`))).toEqual([]);
      }
      expect(text).toContain(recordUrl(TEAM_ORIGIN, referenceNumber));
    },
  );

  it.each([
    ['the short form', SHORT_REQUEST_VALUES.claimedStakedAmount, FACTS.inlineReview],
    ['the full form', '1500000', FACTS.modalReview],
  ])(
    'promises the applicant the same time for a manual verification as %s does',
    async (_form, claimedAmount, time) => {
      const request = { 'verification-request': { claimedAmount } };
      const { html, text } = await compose('verification-request.received', 'applicant', request);
      const statedTimes = [...`${html} ${text}`.matchAll(/within ([\d a-z]+? hours)/g)].map(
        ([, stated]) => stated,
      );
      expect(new Set(statedTimes)).toEqual(new Set([time]));
    },
  );

  it('shows the team what the portal read from the chain and what the applicant stated', async () => {
    const event = 'card-application.received';
    expect((await compose(event, 'team')).lines).toEqual(
      expect.arrayContaining([
        'Wallet ownership: Proven',
        'Staked, read from the chain: 6,200,000 BD',
        'Tier, read from the chain: Banker',
        'Staked, according to the applicant: 6200000 BD',
      ]),
    );
    const unchecked = { 'card-application': { checked: null, isOwnershipProven: false } };
    const { lines, text } = await compose(event, 'team', unchecked);
    expect(lines).toEqual(
      expect.arrayContaining(['Wallet ownership: Not proven', 'Staked, read from the chain: Not available']),
    );
    expect(text).not.toContain('Tier, read from the chain');
  });

  it('shows hostile text as plain text, so that it cannot imitate another field', async () => {
    const changes = { 'card-application': { ...HOSTILE_FIELDS, isOwnershipProven: false } };
    const mail = await compose('card-application.received', 'team', changes);
    expect(mail.html).not.toMatch(/<(img|script)/);
    expect(mail.html).toContain('&lt;script&gt;alert(&#x27;1&#x27;)&lt;/script&gt;');
    expect(mail.lines.filter((line) => line.startsWith('Wallet ownership'))).toEqual([
      'Wallet ownership: Not proven',
    ]);
    const shown = mail.lines.filter((line) => line.startsWith(HOSTILE_FIELDS.name, line.indexOf(': ') + 2));
    expect(shown).toHaveLength(1);
  });
});

describe('the email about a loan application', () => {
  const event = 'loan-application.received';

  it('asks the applicant to confirm the mailbox by a stated time, with the token in the fragment of the link', async () => {
    const { text, html } = await compose(event, 'applicant');
    const link = `${ORIGIN}/confirm-mailbox#token=${tokenOf(STORED_SUBMISSIONS['loan-application'].id)}`;
    for (const version of [text, html]) {
      for (const part of ['48 hours', '4 January 2026 at 03:04 UTC', link]) expect(version).toContain(part);
    }
    expect((await compose(event, 'team')).text).not.toContain('token');
  });

  it.each([
    ['was confirmed, or never had to be confirmed', { confirmBy: null }, false],
    ['no longer has to be confirmed, after an approval', { status: 'approved' }, false],
    ['no longer has to be confirmed, after a refusal', { status: 'refused' }, false],
    ['was not confirmed in time', { confirmBy: null, status: 'documents-deleted' }, true],
  ] as const)('has no token if the mailbox %s', async (_case, changes, linksToForm) => {
    const { text, html } = await compose(event, 'applicant', { 'loan-application': changes });
    for (const version of [text, html]) expect(version).not.toMatch(/token|Confirm your email address/);
    expect(text.includes(`${ORIGIN}/convertible-loan#apply`)).toBe(linksToForm);
  });
});

describe('the email about a decision', () => {
  it.each([
    ['card-application', 'The stake had ended.'],
    ['verification-request', 'Not your wallet.'],
    ['loan-application', 'Not eligible.'],
  ] as const)(
    'gives the applicant of a %s the outcome, and the reason for a refusal',
    async (kind, reason) => {
      const changes = {
        'verification-request': { refusalReason: 'Not your wallet.' },
        'loan-application': { refusalReason: 'Not eligible.' },
      };
      const refused = await compose(`${kind}.refused`, 'applicant', changes);
      expect(refused.lines).toContain(`Reason: ${reason}`);
      const approved = await compose(`${kind}.approved`, 'applicant');
      expect(approved.subject).toContain(referenceNumber);
      const page = kind === 'loan-application' ? 'application-status' : 'virtual-card';
      expect(approved.text).toContain(`${ORIGIN}/${page}`);
    },
  );
});

it('the email about a withdrawn whitelisting gives the applicant the reason', async () => {
  const { lines } = await compose('verification-request.withdrawn', 'applicant');
  expect(lines).toContain('Reason: A forged proof.');
});

it.each(['card-frozen', 'card-frozen:2'])(
  'the email about a card without a stake says how long the holder has to stake again (%s)',
  async (eventName) => {
    const { text } = await compose(`card-application.${eventName}`, 'applicant');
    expect(text).toContain(FACTS.lostStakeDays);
    expect(text).toContain(`${ORIGIN}/virtual-card`);
    expect(text).not.toContain('محمد');
  },
);

it.each(['card-closed', 'card-closed-by-issuer'])(
  'the email about a closed card says what happens to a remaining balance and to USDT in transit (%s)',
  async (eventName) => {
    const { text } = await compose(`card-application.${eventName}`, 'applicant');
    expect(text).toMatch(/balance.*USDT/s);
    expect(text).toContain(`${ORIGIN}/virtual-card`);
  },
);

describe('a rendered email', () => {
  const renderNote = (note: string) =>
    renderMail(
      { subject: 'Test', parts: [{ kind: 'facts', facts: [['Note', note]] }] },
      { organization: null, origin: ORIGIN },
    );

  it('contains any text unchanged in plain text, and escaped in HTML', async () => {
    const texts = anyText({ minLength: 1, maxLength: 60 })
      .map((text) => text.replaceAll(/[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Cn}\ufeff]/gu, '').trim())
      .filter((text) => text !== '');
    await fc.assert(
      fc.asyncProperty(texts, async (value) => {
        const { html, text } = renderNote(value);
        expect(text.replaceAll(/[\u2068\u2069]/g, '')).toContain(`Note: ${value}`);
        expect([...html.matchAll(/<bdi/g)]).toHaveLength(1);
        const inside = html.slice(html.indexOf('pre-wrap">') + 10, html.indexOf('</bdi>'));
        expect(inside).not.toMatch(/[<>"]/);
      }),
      { numRuns: 30 },
    );
  });

  it('removes characters that change the direction of the text after them', () => {
    const { html, text } = renderNote('a\u202Eb\u2069c\u2066d');
    expect(html).toContain('>abcd</bdi>');
    expect(text).toContain('Note: abcd');
  });
});
