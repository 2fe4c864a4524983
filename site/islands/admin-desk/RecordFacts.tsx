import type { ReactNode } from 'react';
import { formatCount } from '../../../data/model/count.ts';
import { Dash } from '../figure/Dash.tsx';
import type { DeskRecord } from './desk-calls.ts';
import { wordsOf } from './desk-words.ts';
import { amountText } from './list-plans.tsx';
import styles from './record.module.css';
import { Moment, Sign } from './Sign.tsx';
import '../../styles/definitions.css';

type RecordOf<Kind extends DeskRecord['kind']> = Extract<DeskRecord, { kind: Kind }>['record'];

/** A name, and what stands for it; null is a dash. */
type Fact = readonly [name: string, value: ReactNode];

const mono = (text: string) => <span className={styles.whole}>{text}</span>;
const lines = (text: string) => <span className={styles.lines}>{text}</span>;

function delivery(isSent: boolean, method: 'Email' | 'Telegram') {
  return (
    <span className={styles.told}>
      <Sign isDone={isSent} done="" undone="" by={method === 'Email' ? 'email' : 'telegram'} />
      {`${method} ${isSent ? 'Sent' : 'Failed'}`}
    </span>
  );
}

const bothDeliveries = ({ emailSent, telegramSent }: { emailSent: boolean; telegramSent: boolean }) => (
  <span>
    {delivery(emailSent, 'Email')}
    {delivery(telegramSent, 'Telegram')}
  </span>
);

const stated = (record: RecordOf<'card-application'>): string | null =>
  record.statedAmount === null && record.statedTier === null
    ? null
    : [record.statedTier, record.statedAmount && `${amountText(record.statedAmount)} BD`]
        .filter(Boolean)
        .join(', ');

const ofApplication = (record: RecordOf<'card-application'>): readonly Fact[] => [
  ['Reference Number', mono(record.referenceNumber)],
  ['Date Submitted', <Moment key="at" at={record.createdAt} />],
  ['Full Name', record.name],
  ['Email Address', record.email],
  ['Membership Tier', record.tier],
  ['BD Token Amount', record.bdAmount === null ? null : amountText(record.bdAmount)],
  ['Delivery Status', bothDeliveries(record)],
  ['Wallet', record.walletAddress === null ? null : mono(record.walletAddress)],
  ['Ownership', record.isOwnershipProven ? 'Proved by signature' : 'Not proved'],
  ['Stake read by the portal', record.isStakeChecked ? 'Yes' : 'No: as the applicant stated it'],
  ['Stated by the applicant', stated(record)],
  ['Phone', record.phone],
  ['Telegram', record.telegram === null ? null : `@${record.telegram}`],
  ['Card alias', record.alias],
  ['Additional requirements', record.applicantNotes === null ? null : lines(record.applicantNotes)],
];

const ofContact = (record: RecordOf<'contact-message'>): readonly Fact[] => [
  ['Name', record.name],
  ['Email', record.email],
  ['Subject', record.subject],
  ['Category', record.category === null ? null : wordsOf(record.category)],
  ['Date', <Moment key="at" at={record.createdAt} />],
  ['Delivery', record.emailSent ? 'Email Delivered' : 'Email Pending'],
  ['Reference Number', mono(record.referenceNumber)],
  ['Wallet', record.walletAddress === null ? null : mono(record.walletAddress)],
  ['Message', lines(record.message)],
];

const ofRequest = (record: RecordOf<'verification-request'>): readonly Fact[] => [
  ['Reference Number', mono(record.referenceNumber)],
  ['Date Submitted', <Moment key="at" at={record.createdAt} />],
  ['Wallet', mono(record.walletAddress)],
  ['Ownership', record.isOwnershipProven ? 'Proved by signature' : 'Not proved'],
  ['Email Address', record.email],
  ['Telegram', record.telegram === null ? null : `@${record.telegram}`],
  ['Claimed BD', amountText(record.claimedAmount)],
  ['Detected by the portal', record.checkedDetection],
  ['Detected by the sender’s page', record.statedDetection],
  ['Reason', lines(record.reason)],
  ['Evidence', record.evidence === null ? null : lines(record.evidence)],
  ['Admitted to now', record.whitelistedTier ?? 'No tier'],
  ['Delivery Status', bothDeliveries(record)],
];

const ofLoan = (record: RecordOf<'loan-application'>): readonly Fact[] => [
  ['Reference Number', mono(record.referenceNumber)],
  ['Date Submitted', <Moment key="at" at={record.createdAt} />],
  ['Full Name', record.name],
  ['Email Address', record.email],
  ['Investment Amount', `$${formatCount(record.investmentAmount)}`],
  ['Investor Type', record.investorType],
  ['Country', record.country],
  ['Risk Awareness', record.riskSuitability],
  ['Repayment Preference', record.conversionOption],
  ['Comments', record.comments === null ? null : lines(record.comments)],
  ['Delivery Status', bothDeliveries(record)],
];

function factsOf(about: DeskRecord): readonly Fact[] {
  switch (about.kind) {
    case 'card-application':
      return ofApplication(about.record);
    case 'contact-message':
      return ofContact(about.record);
    case 'verification-request':
      return ofRequest(about.record);
    case 'loan-application':
      return ofLoan(about.record);
  }
}

/** The fields of a record, as its sender gave them and as the portal read them. */
export function RecordFacts({ about }: { readonly about: DeskRecord }) {
  return (
    <dl className={`definitions ${styles.facts}`}>
      {factsOf(about).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value === null || value === '' ? <Dash why="Not given" /> : value}</dd>
        </div>
      ))}
    </dl>
  );
}
