import type { ReactNode } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { type ListId, listDefinition, type RecordOf, type RowOf } from '../../../data/model/admin-lists.ts';
import type { FieldKind } from '../../../data/model/define-list.ts';
import { formatCount, groupDecimalText } from '../../../data/model/digit-grouping.ts';
import type { DeliverySubject, SubmissionKind } from '../../../data/model/submission-status.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { useChange, useHasRole } from '../admin/admin-calls.ts';
import type { Column } from '../table/table-spec.ts';
import { Dash } from '../ui/ReadStates.tsx';
import { DueTime } from './DueTime.tsx';
import styles from './dashboard.module.css';
import {
  BounceMark,
  type CombinedDeliveryStates,
  DeliveryMarks,
  DoneMark,
  isSent,
  RECEIPT_LABELS,
} from './delivery-marks.tsx';
import listStyles from './list.module.css';
import record from './record.module.css';
import { PageCheckbox, RecordCheckbox } from './selection.tsx';
import { labelOf, Moment, ShortMoment, Status } from './status-labels.tsx';

/* Each kind of field in the admin lists has a renderer. Overrides replace the renderer for individual fields. */

export type ListRow = RowOf<ListId>;
type Value = string | number | boolean;
type RenderersByKind = Readonly<Record<FieldKind, (value: Value) => ReactNode>>;

const DECIMAL = /^\d+(\.\d+)?$/;
const amountText = (amount: string): string => (DECIMAL.test(amount) ? groupDecimalText(amount) : amount);

const renderTruncated = (value: Value) => (
  <span className={styles.truncated} title={String(value)}>
    {value}
  </span>
);
const renderMono = (value: Value) => <span className={styles.mono}>{value}</span>;
const renderFullAddress = (value: Value) => <span className={record.fullAddress}>{value}</span>;
const renderLines = (value: Value) => <span className={record.lines}>{value}</span>;

const COMMON_RENDERERS = {
  usd: (value) => `$${formatCount(Number(value))}`,
  milliseconds: (value) => `${formatCount(Number(value))} ms`,
  flag: (value) => (value ? 'Yes' : 'No'),
  choice: (value) => labelOf(String(value)),
} satisfies Partial<RenderersByKind>;
const CELL_RENDERERS: RenderersByKind = {
  ...COMMON_RENDERERS,
  moment: (value) => <ShortMoment at={String(value)} />,
  text: renderTruncated,
  lines: renderTruncated,
  telegram: (value) => renderTruncated(`@${value}`),
  code: renderTruncated,
  reference: renderMono,
  bd: (value) => renderTruncated(amountText(String(value))),
};
const FACT_RENDERERS: RenderersByKind = {
  ...COMMON_RENDERERS,
  moment: (value) => <Moment at={String(value)} />,
  text: (value) => value,
  lines: renderLines,
  telegram: (value) => `@${value}`,
  code: renderFullAddress,
  reference: renderFullAddress,
  bd: (value) => `${amountText(String(value))} BD`,
};

interface RetryDeliveryProps {
  readonly deliveryId: string;
  readonly referenceNumber: string;
}

export function RetryDelivery({ deliveryId, referenceNumber }: RetryDeliveryProps) {
  const mayDecide = useHasRole('reviewer');
  const { isBusy, send } = useChange();
  if (!mayDecide) return labelOf('dead');
  const retry = async () => {
    const outcome = await send(PATHS.retryDelivery, { deliveryId });
    if (outcome === null) return;
    void showToast(
      outcome.kind === 'done'
        ? {
            title: 'Retry queued',
            text: `The delivery for ${referenceNumber} will be sent again.`,
            kind: 'success',
          }
        : { title: 'Not queued', text: outcome.message, kind: 'failure', seconds: 10 },
    );
  };
  return (
    <button
      type="button"
      className={styles.quick}
      aria-disabled={isBusy}
      onClick={(event) => {
        event.stopPropagation();
        void retry();
      }}
    >
      {isBusy ? 'Queueing...' : 'Retry'}
      <span className="visually-hidden"> the delivery of {referenceNumber}</span>
    </button>
  );
}

/** The labels for deliveries that are not about a record, by subject. */
const OTHER_DELIVERY_LABELS: Readonly<Record<Exclude<DeliverySubject, SubmissionKind | 'mention'>, string>> =
  {
    alert: 'Alert',
    'admin-link': 'Team account',
    'weekly-report': 'Weekly report',
    'stake-reminder': 'Reminder',
    'top-up': 'Top-up',
    card: 'Card',
  };
const otherDeliveryLabel = (row: object): string | undefined =>
  'kind' in row
    ? Object.entries(OTHER_DELIVERY_LABELS).find(([subject]) => subject === row.kind)?.[1]
    : undefined;

/** Whether a row is a delivery that is not about a record. Such a row cannot be opened. */
export const isRecordless = (row: object): boolean => otherDeliveryLabel(row) !== undefined;

type Overrides<Row> = { readonly [Field in keyof Row]?: (row: Row) => ReactNode };

const renderStatus = ({ status: value }: { readonly status: string }) => <Status status={value} />;
const renderDeliveryMarks = (row: CombinedDeliveryStates) => <DeliveryMarks {...row} />;
const renderMarkedStatus = (
  row: { readonly status: string; readonly isWaiting: boolean } & Pick<CombinedDeliveryStates, 'mailBounced'>,
) => (
  <span className={styles.signs}>
    {renderStatus(row)}
    {row.isWaiting && row.status !== 'waiting' ? (
      <Status status="waiting" label="Waiting for an answer" />
    ) : null}
    <BounceMark {...row} />
  </span>
);

const REGION_NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });
const renderCountry = ({ country: code }: { readonly country: string }) => REGION_NAMES.of(code);

const renderDueTime = ({ dueAt }: { readonly dueAt: string | null }) =>
  dueAt === null ? null : <DueTime at={dueAt} />;

const CELL_OVERRIDES: { readonly [Id in ListId]: Overrides<RowOf<Id>> } = {
  applications: { emailSent: renderDeliveryMarks, status: renderMarkedStatus, dueAt: renderDueTime },
  contacts: { status: renderMarkedStatus, dueAt: renderDueTime },
  'verification-requests': {
    isOwnershipProven: ({ isOwnershipProven }) => (
      <DoneMark isDone={isOwnershipProven} doneLabel="Ownership proven" undoneLabel="Ownership not proven" />
    ),
    status: renderMarkedStatus,
    dueAt: renderDueTime,
  },
  'loan-applications': {
    country: renderCountry,
    emailSent: renderDeliveryMarks,
    status: renderMarkedStatus,
    dueAt: renderDueTime,
  },
  'delivery-logs': {
    referenceNumber: (row) => otherDeliveryLabel(row) ?? renderMono(row.referenceNumber),
    success: ({ success, outcome }) => (
      <span className={styles.signs}>
        <DoneMark isDone={success} doneLabel="Delivered" undoneLabel="Not delivered" />
        {outcome === 'dead' ? <Status status="dead" /> : null}
      </span>
    ),
    error: ({ error }) => (error === null ? <Dash why="No error" /> : renderTruncated(error)),
    isRetryable: (row) => (row.isRetryable ? <RetryDelivery {...row} /> : <Dash why="Nothing to retry" />),
  },
};

function renderDeliveryMark(state: CombinedDeliveryStates['emailState'], method: 'Email' | 'Telegram') {
  return (
    <span className={record.deliveryMark}>
      <DoneMark
        isDone={isSent(state)}
        doneLabel=""
        undoneLabel=""
        method={method === 'Email' ? 'email' : 'telegram'}
      />
      {`${method} ${RECEIPT_LABELS[state]}`}
    </span>
  );
}
const renderDeliveries = ({ emailState, telegramState }: CombinedDeliveryStates) => (
  <span>
    {renderDeliveryMark(emailState, 'Email')}
    {renderDeliveryMark(telegramState, 'Telegram')}
  </span>
);
const ownershipText = ({ isOwnershipProven }: { readonly isOwnershipProven: boolean }) =>
  isOwnershipProven ? 'Proven by signature' : 'Not proven';

const renderMailbox = ({ mailboxConfirmedAt, confirmBy, status }: RecordOf<'loan-applications'>) => {
  if (mailboxConfirmedAt !== null) {
    return (
      <>
        Confirmed <Moment at={mailboxConfirmedAt} />
      </>
    );
  }
  if (confirmBy === null) return status === 'documents-deleted' ? 'Not confirmed' : 'No confirmation needed';
  return (
    <span className={record.lines}>
      Not confirmed. Without a confirmation or a decision, the documents are deleted after{' '}
      <Moment at={confirmBy} />.
    </span>
  );
};

const FACT_OVERRIDES: { readonly [Id in ListId]: Overrides<RecordOf<Id>> } = {
  applications: {
    emailSent: renderDeliveries,
    isOwnershipProven: ownershipText,
    isStakeChecked: ({ isStakeChecked }) =>
      isStakeChecked ? 'Checked by the portal' : 'According to the applicant',
    statedAmount: ({ statedTier, statedAmount }) =>
      [statedTier, statedAmount && `${amountText(statedAmount)} BD`].filter(Boolean).join(', ') || null,
  },
  contacts: { emailSent: renderDeliveries, subject: ({ subject }) => subject && renderLines(subject) },
  'verification-requests': { emailSent: renderDeliveries, isOwnershipProven: ownershipText },
  'loan-applications': {
    country: renderCountry,
    emailSent: renderDeliveries,
    mailboxConfirmedAt: renderMailbox,
    investorType: ({ investorType }) => investorType,
    conversionOption: ({ conversionOption }) => conversionOption,
    riskSuitability: ({ riskSuitability }) => riskSuitability,
  },
  'delivery-logs': {},
};

function rendererOf(
  list: ListId,
  field: string,
  byKind: RenderersByKind,
  overrides: Readonly<Record<string, ((row: never) => ReactNode) | undefined>>,
): (row: object) => ReactNode {
  const { fields, details } = listDefinition(list);
  const renderOverride = overrides[field];
  if (renderOverride) return (row) => renderOverride(row as never);
  const { kind = 'text' } = fields[field] ?? details[field] ?? {};
  return (row) => {
    const value: unknown = Reflect.get(row, field);
    return value === null || value === '' ? null : byKind[kind](value as Value);
  };
}

/** Returns a function that renders a field in a table cell. It returns null if the value is missing. */
const cellRenderer = (list: ListId, field: string) =>
  rendererOf(list, field, CELL_RENDERERS, CELL_OVERRIDES[list]);

/** Returns a function that renders a field in the record dialog. It returns null if the value is missing. */
export const factRenderer = (list: ListId, field: string) =>
  rendererOf(list, field, FACT_RENDERERS, FACT_OVERRIDES[list]);

const FIGURE_KINDS: ReadonlySet<FieldKind> = new Set(['bd', 'usd', 'milliseconds']);
const FLEXIBLE_KINDS: ReadonlySet<FieldKind> = new Set(['text', 'lines', 'code', 'telegram']);
const SHORT_FIELDS: ReadonlySet<string> = new Set(['tier', 'assignee', 'referenceNumber']);

type Slot = 'who' | 'what' | 'state' | 'age' | 'reference' | 'action';

/** The fields that a list shows where space is limited (on cards, and beside an open record), and where each field goes. */
const SLOTS: { readonly [Id in ListId]: { readonly [Field in keyof RowOf<Id>]?: Slot } } = {
  applications: {
    name: 'who',
    tier: 'what',
    status: 'state',
    dueAt: 'age',
    referenceNumber: 'reference',
  },
  contacts: { name: 'who', subject: 'what', status: 'state', dueAt: 'age', email: 'reference' },
  'verification-requests': {
    email: 'who',
    claimedAmount: 'what',
    status: 'state',
    dueAt: 'age',
    referenceNumber: 'reference',
  },
  'loan-applications': {
    name: 'who',
    investmentAmount: 'what',
    status: 'state',
    dueAt: 'age',
    referenceNumber: 'reference',
  },
  'delivery-logs': {
    applicantName: 'who',
    deliveryMethod: 'what',
    success: 'state',
    attemptedAt: 'age',
    referenceNumber: 'reference',
    isRetryable: 'action',
  },
};

export function isUndecided(list: ListId, row: object): boolean {
  return 'status' in row && listDefinition(list).undecidedStatuses.includes(String(row.status));
}

const SELECT_COLUMN: Column<ListRow> = {
  id: 'select',
  header: () => <PageCheckbox />,
  meta: { slot: 'select' },
  enableSorting: false,
  cell: ({ row: { original } }) => <RecordCheckbox reference={original.referenceNumber} />,
};

export function columnsOf(list: ListId, isSelectable: boolean): readonly Column<ListRow>[] {
  const { columns, fields, openingField } = listDefinition(list);
  const slots: Readonly<Record<string, Slot | undefined>> = SLOTS[list];
  const dataColumns = columns.map(({ field, label }): Column<ListRow> => {
    const { kind = 'text', sort } = fields[field] ?? {};
    const renderCell = cellRenderer(list, field);
    return {
      id: field,
      header: label,
      meta: {
        isFigure: FIGURE_KINDS.has(kind),
        isFlexible: FLEXIBLE_KINDS.has(kind) && !SHORT_FIELDS.has(field),
        slot: slots[field] ?? 'none',
      },
      enableSorting: sort !== undefined,
      sortDescFirst: sort === 'desc',
      accessorFn: (row) => Reflect.get(row, field),
      cell: ({ row: { original } }) => {
        const value = renderCell(original) ?? <Dash />;
        if (field !== openingField || isRecordless(original)) return value;
        return (
          <button type="button" data-opens={original.referenceNumber} className={listStyles.opens}>
            {value}
            <span className={listStyles.act}>{isUndecided(list, original) ? 'Review' : 'Open'}</span>
          </button>
        );
      },
    };
  });
  return isSelectable ? [SELECT_COLUMN, ...dataColumns] : dataColumns;
}
