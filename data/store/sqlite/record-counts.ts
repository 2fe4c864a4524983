import { APPLICATION_STATUSES, LOAN_STATUSES, REQUEST_STATUSES } from '../../model/submission-status.ts';
import { DELIVERY_CHANNELS } from '../delivery-port.ts';
import type { ChannelBacklog, RecordCounts } from '../record-port.ts';
import { counted, type Statements } from './record-lists.ts';

function byStatus<Status extends string>(
  statuses: readonly Status[],
  count: (status: Status) => number,
): Record<Status, number> {
  return Object.fromEntries(statuses.map((status) => [status, count(status)])) as Record<Status, number>;
}

/** How much there is of what: from the rows that triggers keep, and from indexes where little is counted. */
export function recordCounts(statements: Statements, recentSince: number): RecordCounts {
  const rows = statements('select kind, status, rows from record_counts').all() as {
    readonly kind: string;
    readonly status: string;
    readonly rows: number;
  }[];
  const kept = (kind: string) => (status: string) =>
    rows.find((row) => row.kind === kind && row.status === status)?.rows ?? 0;
  const recent = (table: string) =>
    counted(statements, `select count(*) from ${table} where createdAt >= ?`, [recentSince]);
  return {
    applications: byStatus(APPLICATION_STATUSES, kept('card-application')),
    contacts: kept('contact-message')('received'),
    requests: byStatus(REQUEST_STATUSES, kept('verification-request')),
    loans: byStatus(LOAN_STATUSES, kept('loan-application')),
    recentApplications: recent('card_applications'),
    recentContacts: recent('contact_messages'),
    sentDeliveries: kept('delivery')('sent'),
    deadDeliveries: kept('delivery')('dead'),
    waitingDeliveries: counted(
      statements,
      "select count(*) from deliveries where state in ('waiting', 'leased')",
      [],
    ),
  };
}

/** Deliveries by channel that should have been tried, and those that were given up lately. */
export function channelBacklogs(
  statements: Statements,
  { dueBefore, deadSince }: { readonly dueBefore: number; readonly deadSince: number },
): readonly ChannelBacklog[] {
  const overdue = 'select count(*) from deliveries where state = ? and nextAttemptAt < ? and channel = ?';
  const dead =
    "select count(*) from deliveries indexed by deliveries_dead where state = 'dead' and finishedAt >= ? and channel = ?";
  return DELIVERY_CHANNELS.map((channel) => ({
    channel,
    overdue: counted(statements, overdue, ['waiting', dueBefore, channel]),
    recentlyDead: counted(statements, dead, [deadSince, channel]),
  }));
}
