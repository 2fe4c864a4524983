import { ALERTS } from '../../../../data/model/alerts.ts';
import type { Organization } from '../../../../data/model/organization.ts';
import { SUBMISSION_KINDS } from '../../../../data/model/submission-status.ts';
import type { StoredAlert } from '../../../../data/store/alert-port.ts';
import type { Submissions } from '../../../../data/store/submission-port.ts';
import { sampleLoan } from '../../../../data/store/testing/sample-loans.ts';
import {
  SUBMITTED_AT,
  sampleApplication,
  sampleMessage,
  sampleRequest,
} from '../../../../data/store/testing/sample-submissions.ts';
import { alertMail } from '../../../alerts/alert-messages.ts';
import { answerTemplate } from '../../../conversation/message-mails.ts';
import { confirmationTemplate, type WeekFigures, weeklyTemplate } from '../../../reports/weekly-mails.ts';
import { adminLinkUrl } from '../../admin-link-url.ts';
import { type SubmissionChanges, storedSubmissions } from '../../testing/stored-submissions.ts';
import { renderMail } from '../layout/render-mail.ts';
import { composeMail, MAIL_TEMPLATES } from '../mail-sender.ts';
import type { MailTemplate, RenderedMail } from '../mail-template.ts';
import { adminLinkTemplate } from '../templates/admin-link-mails.ts';
import { closedCardTemplate, spendTemplate } from '../templates/card-mails.ts';
import { teamMessageTemplate } from '../templates/conversation-mails.ts';
import { mentionTemplate } from '../templates/mention-mails.ts';
import type { MailContext } from '../templates/shared-parts.ts';
import {
  confirmRemindersTemplate,
  stakeChangeTemplate,
  stakeUnlockTemplate,
} from '../templates/stake-mails.ts';

const DAY_MS = 86_400_000;
const referenceNumber = 'BD-20260102-123456';
const REASON =
  'The stake of this wallet ended on 30 December.\nPlease stake again, then send a new application.';
const QUESTION =
  'Dear Ada,\n\nthe stake that you named is not on the chain:\n1. Which wallet did you stake with?\n2. When did you stake?\n\nThank you,\nGrace';
const receivedFields = { referenceNumber, status: 'received', changedAt: SUBMITTED_AT } as const;

const STORED_SUBMISSIONS: Submissions = {
  'card-application': {
    ...sampleApplication({ applicantNotes: 'One card for travel.\nPlease call after 5 pm.' }),
    ...receivedFields,
  },
  'verification-request': { ...sampleRequest(), ...receivedFields, refusalReason: REASON },
  'contact-message': { ...sampleMessage(), ...receivedFields, status: 'open', closedAt: null },
  'loan-application': {
    ...sampleLoan(),
    ...receivedFields,
    refusalReason: REASON,
    decidedAt: null,
    confirmBy: SUBMITTED_AT + 2 * DAY_MS,
    mailboxConfirmedAt: null,
  },
};

const TIMELINE = (['refused', 'withdrawn'] as const).map((status) => ({
  at: SUBMITTED_AT,
  status,
  note: REASON,
}));

/** Figures for a week in which `recordCount` records of each kind were received, answered and decided. */
function sampleWeek(firstDay: number, recordCount: number): WeekFigures {
  const timings = {
    records: recordCount,
    promisedCount: recordCount,
    withinPromiseCount: recordCount - 1,
    durations: [136, recordCount],
  } as const;
  const figures = {
    day: firstDay,
    received: recordCount,
    openChange: 0,
    answered: timings,
    decided: timings,
  };
  return {
    ...{ from: firstDay, endDay: firstDay + 7 },
    report: {
      days: SUBMISSION_KINDS.map((kind) => ({ ...figures, kind })),
      openBefore: {
        'card-application': 4,
        'verification-request': 1,
        'contact-message': 2,
        'loan-application': 0,
      },
      deliveries: [
        { day: firstDay, kind: 'receipt', channel: 'mail', sent: 4 * recordCount, failed: 0, bounced: 2 },
        { day: firstDay, kind: 'decision', channel: 'mail', sent: 3 * recordCount, failed: 1, bounced: 0 },
        { day: firstDay, kind: 'notice', channel: 'mail', sent: recordCount, failed: 0, bounced: 0 },
      ],
      ...{ firstDay: 0, firstDeliveryDay: 0 },
    },
  };
}

export interface SampleMail extends RenderedMail {
  /** For example, `card-application.received applicant`. */
  readonly name: string;
  readonly audience: 'applicant' | 'team';
}

interface SampleOptions extends Pick<MailContext, 'origin' | 'teamOrigin'> {
  readonly organization: Organization;
  readonly changes?: SubmissionChanges;
}

export async function sampleMails({
  origin,
  teamOrigin,
  organization,
  changes = {},
}: SampleOptions): Promise<readonly SampleMail[]> {
  const context = {
    submissions: storedSubmissions(STORED_SUBMISSIONS, TIMELINE, changes),
    ...{ origin, teamOrigin, organization },
    decimals: 6,
    confirmationToken: () => 'sample'.padEnd(43, '-'),
  };
  const samples: SampleMail[] = [];
  const add = (name: string, audience: SampleMail['audience'], mail: RenderedMail | null) => {
    if (mail === null) throw new Error(`There is no email for ${name}.`);
    const { subject, html, text } = mail;
    samples.push({ name, audience, subject, html, text });
  };
  const addApplicantMail = (name: string, mail: MailTemplate) =>
    add(`${name} applicant`, 'applicant', renderMail(mail, context));

  for (const kind of SUBMISSION_KINDS) {
    for (const key of Object.keys(MAIL_TEMPLATES[kind])) {
      const [eventName, audience] = key.split(' ') as [string, SampleMail['audience']];
      const delivery = { event: `${kind}.${eventName}`, audience, referenceNumber };
      add(`${delivery.event} ${audience}`, audience, await composeMail(delivery, context));
    }
  }
  const question = { referenceNumber, subject: 'We need more information', text: QUESTION };
  addApplicantMail('conversation.question', teamMessageTemplate(question));
  const stake = {
    walletAddress: STORED_SUBMISSIONS['card-application'].walletAddress ?? '',
    amount: 6_200_000_000_000n,
    unlocksAt: SUBMITTED_AT + 7 * DAY_MS,
    stopUrl: `${origin}/my-position#stop=${'sample'.padEnd(43, '-')}`,
  };
  addApplicantMail('stake.unlocks-soon', stakeUnlockTemplate(stake, context));
  const { walletAddress, stopUrl } = stake;
  const signature = '5'.repeat(87);
  for (const occasion of ['staked', 'unstaked']) {
    addApplicantMail(
      `stake.${occasion}`,
      stakeChangeTemplate({ walletAddress, stopUrl, occasion, signature }, context),
    );
  }
  addApplicantMail(
    'stake.confirm',
    confirmRemindersTemplate({ url: `${origin}/my-position#confirm=sample`, validHours: 72 }),
  );
  const answer = {
    ...{ referenceNumber, at: SUBMITTED_AT, sender: 'ada@example.com', mailId: 'a@example.com' },
    ...{ subject: 'Re: We need more information', text: 'With my first wallet.\nIn May.', attachments: [] },
  };
  add('record.answered team', 'team', renderMail(answerTemplate(answer, teamOrigin), context));
  const [code] = Object.keys(ALERTS) as [keyof typeof ALERTS];
  const alert: StoredAlert = {
    ...{ id: 'AL-1', code, startedAt: SUBMITTED_AT, endedAt: SUBMITTED_AT + DAY_MS / 12 },
    ...{ detail: 'No figure has been read for 12 minutes.', notifiedAt: SUBMITTED_AT, reminders: 0 },
  };
  for (const eventName of ['begun', 'ended']) {
    const delivery = { event: `alert.${eventName}`, referenceNumber: alert.id, createdAt: SUBMITTED_AT };
    const mail = await alertMail(delivery, { find: async () => alert }, teamOrigin);
    add(`alert.${eventName} team`, 'team', mail && renderMail(mail, context));
  }
  const link = { id: '1', createdBy: '2', createdAt: SUBMITTED_AT, expiresAt: SUBMITTED_AT + 3 * DAY_MS };
  const invitation = { ...link, email: 'ada@example.com', username: null, role: 'reviewer' } as const;
  const resetLink = { ...link, email: null, adminId: '3', removeSecondFactors: true };
  for (const sampleLink of [
    { ...invitation, kind: 'invitation' },
    { ...resetLink, kind: 'password-reset' },
  ] as const) {
    const url = adminLinkUrl(teamOrigin, 'sample'.padEnd(43, '-'));
    const mail = renderMail(adminLinkTemplate(sampleLink, 'grace', 'ada', url), context);
    add(`admin-link.${sampleLink.kind} team`, 'team', mail);
  }
  add(
    'weekly-report.confirm team',
    'team',
    renderMail(confirmationTemplate(`${teamOrigin}/admin/weekly-report#confirm=sample`), context),
  );
  const urls = { teamOrigin, stopUrl: `${teamOrigin}/admin/weekly-report#stop=sample` };
  const [week, earlierWeek] = [sampleWeek(20_454, 12), sampleWeek(20_447, 9)];
  const overdue = {
    'card-application': 2,
    'verification-request': 0,
    'contact-message': 1,
    'loan-application': 0,
  };
  add(
    'weekly-report.report team',
    'team',
    renderMail(weeklyTemplate({ week, earlierWeek }, overdue, urls), context),
  );
  const mention = mentionTemplate({ by: 'grace', referenceNumber }, teamOrigin);
  add('mention.mentioned team', 'team', renderMail(mention, context));
  const card = { id: 'card-1', tier: 'Banker', lastFour: '4242', closedAt: SUBMITTED_AT } as const;
  for (const closedBy of ['holder', 'issuer'] as const) {
    const template = closedCardTemplate({ ...card, closedBy }, teamOrigin);
    add(`card.closed-by-${closedBy} team`, 'team', renderMail(template, context));
  }
  const spend = { at: SUBMITTED_AT, merchant: 'Duckpond Coffee', amount: 1_250n, isDeclined: false };
  addApplicantMail('card-application.card-spent', spendTemplate(spend, '4242', origin));
  return samples;
}
