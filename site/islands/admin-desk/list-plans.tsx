import type {
  ApplicationRow,
  adminApplications,
  adminContacts,
  adminDeliveryLogs,
  adminLoans,
  adminRequests,
  ContactRow,
  DeliveryLogRow,
  LoanRow,
  RequestRow,
} from '../../../data/contract/admin-records.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import { formatCount, groupWhole } from '../../../data/model/count.ts';
import { isLoanOpen, NEXT_APPLICATION_STATUSES } from '../../../data/model/record-review.ts';
import { Dash } from '../figure/Dash.tsx';
import styles from './admin-desk.module.css';
import { wordsOf } from './desk-words.ts';
import type { ListPlan } from './list-plan.ts';
import { RetryDelivery } from './RetryDelivery.tsx';
import { Moment, SentSigns, Sign, Status } from './Sign.tsx';

const DECIMAL = /^\d+(\.\d+)?$/;

/** An amount as it is told: grouped where it is a number, else in the words of who stated it. */
export function amountText(amount: string): string {
  return DECIMAL.test(amount) ? groupWhole(amount) : amount;
}

const mono = (text: string) => <span className={styles.mono}>{text}</span>;
/** A long text, cut to its cell; whole in its tooltip. */
const cut = (text: string) => (
  <span className={styles.cut} title={text}>
    {text}
  </span>
);
const date = <Row extends { readonly createdAt: string }>() =>
  ({
    id: 'date',
    name: 'Date',
    sort: 'createdAt',
    firstOrder: 'desc',
    cell: ({ createdAt }: Row) => <Moment at={createdAt} />,
  }) as const;
const isReceived = ({ status }: { readonly status: string }) => status === 'received';

export const APPLICATION_LIST: ListPlan<ApplicationRow, ResponseOf<typeof adminApplications>> = {
  tab: 'applications',
  title: 'Virtual Card Applications',
  rowsOf: ({ applications }) => applications,
  columns: [
    {
      id: 'reference',
      name: 'Reference',
      sort: 'referenceNumber',
      cell: ({ referenceNumber }) => mono(referenceNumber),
    },
    { id: 'name', name: 'Name', sort: 'name', cell: ({ name }) => cut(name) },
    { id: 'email', name: 'Email', sort: 'email', cell: ({ email }) => cut(email) },
    { id: 'tier', name: 'Tier', sort: 'tier', cell: ({ tier }) => tier ?? <Dash /> },
    {
      id: 'bdAmount',
      name: 'BD Amount',
      sort: 'bdAmount',
      firstOrder: 'desc',
      isFigure: true,
      cell: ({ bdAmount }) => (bdAmount === null ? <Dash /> : cut(amountText(bdAmount))),
    },
    { id: 'sent', name: 'Status', cell: (row) => <SentSigns {...row} /> },
    { id: 'review', name: 'Review', sort: 'status', cell: ({ status }) => <Status status={status} /> },
    date(),
  ],
  opens: 'reference',
  keyOf: ({ id }) => id,
  referenceOf: ({ referenceNumber }) => referenceNumber,
  isOpen: ({ status }) => NEXT_APPLICATION_STATUSES[status].includes('approved'),
  empty: 'Nobody has applied for a card yet.',
};

export const CONTACT_LIST: ListPlan<ContactRow, ResponseOf<typeof adminContacts>> = {
  tab: 'contacts',
  title: 'Contact Submissions',
  rowsOf: ({ contacts }) => contacts,
  columns: [
    { id: 'name', name: 'Name', sort: 'name', cell: ({ name }) => cut(name) },
    { id: 'email', name: 'Email', sort: 'email', cell: ({ email }) => cut(email) },
    {
      id: 'subject',
      name: 'Subject',
      sort: 'subject',
      cell: ({ subject }) => (subject ? cut(subject) : <Dash />),
    },
    {
      id: 'category',
      name: 'Category',
      sort: 'category',
      cell: ({ category }) => (category === null ? <Dash /> : wordsOf(category)),
    },
    {
      id: 'sent',
      name: 'Status',
      cell: ({ emailSent }) =>
        emailSent ? <Status status="sent" words="Delivered" /> : <Status status="waiting" words="Pending" />,
    },
    date(),
  ],
  opens: 'name',
  keyOf: ({ id }) => id,
  referenceOf: ({ referenceNumber }) => referenceNumber,
  isOpen: () => false,
  empty: 'Nobody has written to support yet.',
};

export const LOG_LIST: ListPlan<DeliveryLogRow, ResponseOf<typeof adminDeliveryLogs>> = {
  tab: 'delivery-logs',
  title: 'Delivery Logs',
  rowsOf: ({ logs }) => logs,
  columns: [
    { id: 'method', name: 'Method', cell: ({ deliveryMethod }) => wordsOf(deliveryMethod) },
    { id: 'application', name: 'Application', cell: ({ referenceNumber }) => mono(referenceNumber) },
    { id: 'applicant', name: 'Applicant', cell: ({ applicantName }) => cut(applicantName) },
    {
      id: 'status',
      name: 'Status',
      cell: ({ success, outcome }) => (
        <span className={styles.signs}>
          <Sign isDone={success} done="Delivered" undone="Not delivered" />
          {outcome === 'dead' ? <Status status="dead" /> : null}
        </span>
      ),
    },
    { id: 'error', name: 'Error', cell: ({ error }) => (error === null ? '-' : cut(error)) },
    {
      id: 'date',
      name: 'Date',
      sort: 'attemptedAt',
      firstOrder: 'desc',
      cell: ({ attemptedAt }) => <Moment at={attemptedAt} />,
    },
    {
      id: 'retry',
      name: 'Again',
      cell: ({ isRetryable, deliveryId, referenceNumber }) =>
        isRetryable ? (
          <RetryDelivery deliveryId={deliveryId} what={referenceNumber} />
        ) : (
          <Dash why="Nothing to retry" />
        ),
    },
  ],
  opens: 'application',
  keyOf: ({ id }) => id,
  referenceOf: ({ referenceNumber }) => referenceNumber,
  isOpen: () => false,
  empty: 'Nothing has been delivered yet.',
};

export const REQUEST_LIST: ListPlan<RequestRow, ResponseOf<typeof adminRequests>> = {
  tab: 'verification-requests',
  title: 'Verification Requests',
  rowsOf: ({ requests }) => requests,
  columns: [
    {
      id: 'reference',
      name: 'Reference',
      sort: 'referenceNumber',
      cell: ({ referenceNumber }) => mono(referenceNumber),
    },
    { id: 'wallet', name: 'Wallet', sort: 'walletAddress', cell: ({ walletAddress }) => cut(walletAddress) },
    { id: 'email', name: 'Email', sort: 'email', cell: ({ email }) => cut(email) },
    {
      id: 'claimed',
      name: 'Claimed BD',
      isFigure: true,
      cell: ({ claimedAmount }) => cut(amountText(claimedAmount)),
    },
    {
      id: 'owner',
      name: 'Owner',
      cell: ({ isOwnershipProven }) => (
        <Sign isDone={isOwnershipProven} done="Ownership proved" undone="Ownership not proved" />
      ),
    },
    { id: 'review', name: 'Status', sort: 'status', cell: ({ status }) => <Status status={status} /> },
    date(),
  ],
  opens: 'reference',
  keyOf: ({ id }) => id,
  referenceOf: ({ referenceNumber }) => referenceNumber,
  isOpen: isReceived,
  empty: 'Nobody has asked for a manual verification yet.',
};

export const LOAN_LIST: ListPlan<LoanRow, ResponseOf<typeof adminLoans>> = {
  tab: 'loan-applications',
  title: 'Loan Applications',
  rowsOf: ({ loanApplications }) => loanApplications,
  columns: [
    {
      id: 'reference',
      name: 'Reference',
      sort: 'referenceNumber',
      cell: ({ referenceNumber }) => mono(referenceNumber),
    },
    { id: 'name', name: 'Name', sort: 'name', cell: ({ name }) => cut(name) },
    {
      id: 'amount',
      name: 'Amount',
      sort: 'investmentAmount',
      firstOrder: 'desc',
      isFigure: true,
      cell: ({ investmentAmount }) => `$${formatCount(investmentAmount)}`,
    },
    { id: 'investor', name: 'Investor', sort: 'investorType', cell: ({ investorType }) => investorType },
    { id: 'country', name: 'Country', sort: 'country', cell: ({ country }) => country },
    { id: 'sent', name: 'Sent', cell: (row) => <SentSigns {...row} /> },
    { id: 'review', name: 'Status', sort: 'status', cell: ({ status }) => <Status status={status} /> },
    date(),
  ],
  opens: 'reference',
  keyOf: ({ id }) => id,
  referenceOf: ({ referenceNumber }) => referenceNumber,
  isOpen: ({ status }) => isLoanOpen(status),
  empty: 'Nobody has applied for the loan note yet.',
};
