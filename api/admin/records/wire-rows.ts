import {
  type AdminLists,
  type ListId,
  listDefinition,
  type RecordOf,
  type RowOf,
} from '../../../data/model/admin-lists.ts';
import { toDecimalText } from '../../../data/model/amounts.ts';
import { exportedFields, type Field, type Fields, type ValueOf } from '../../../data/model/define-list.ts';
import type { DeliveryMethod } from '../../../data/model/delivery-states.ts';
import type { DeliveryChannel } from '../../../data/store/delivery-port.ts';
import type { ListedRows, RecordNote, SeenRecord } from '../../../data/store/record-port.ts';

/*
 * Converts stored rows to the rows that the calls return. Fields that both rows have are copied, and times become ISO
 * strings. For every other field, the compiler requires an entry in `COMPUTE_FUNCTIONS`.
 */

const DAY_MS = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
let lastDay = Number.NaN;
let lastDate = '';

/**
 * `new Date(at).toISOString()`, but three times as fast. A page of a list has up to 75 timestamps. Formatting them with
 * `Date` took longer than serializing the JSON (`npm run bench -- admin`).
 */
export function iso(at: number): string {
  const day = Math.floor(at / DAY_MS);
  if (day !== lastDay) {
    const date = new Date(day * DAY_MS).toISOString();
    lastDate = date.slice(0, date.indexOf('T') + 1);
    lastDay = day;
  }
  const milliseconds = at - day * DAY_MS;
  const seconds = Math.floor(milliseconds / 1_000);
  const [hour, minute] = [TWO_DIGITS[Math.floor(seconds / 3_600)], TWO_DIGITS[Math.floor(seconds / 60) % 60]];
  return `${lastDate}${hour}:${minute}:${TWO_DIGITS[seconds % 60]}.${String(milliseconds % 1_000).padStart(3, '0')}Z`;
}

export const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at));

/** The record as the admin saw it, from a request. */
export const toSeenRecord = ({
  referenceNumber,
  changedAt,
}: Record<keyof SeenRecord, string>): SeenRecord => ({
  referenceNumber,
  changedAt: Date.parse(changedAt),
});

/** The response to a decision. */
export const toWireDecision = <Status extends string>(
  referenceNumber: string,
  { status, changedAt }: { readonly status: Status; readonly changedAt: number },
) => ({ success: true, referenceNumber, status, changedAt: iso(changedAt) }) as const;

export const toWireNote = (
  { adminId, at, changedAt, removedAt, mentions, versions, ...note }: RecordNote,
  currentAdminId: string,
) => ({
  ...note,
  at: iso(at),
  isYours: adminId === currentAdminId,
  changedAt: isoOrNull(changedAt),
  isRemoved: removedAt !== null,
  mentions: mentions.map(({ adminId, username }) => ({ id: adminId, username })),
  isUnread: mentions.some((mention) => mention.adminId === currentAdminId && mention.readAt === null),
  versions: versions.map((version) => ({ ...version, at: iso(version.at) })),
});

export const toDeliveryMethod = (channel: DeliveryChannel): DeliveryMethod =>
  channel === 'mail' ? 'email' : channel;

/** BD as a decimal string; null if the amount or the decimals of BD are unknown. */
function amountText(amount: bigint | undefined, decimals: number | null): string | null {
  return amount === undefined || decimals === null ? null : toDecimalText(amount, decimals);
}

type StoredValue<F extends Field> = F['kind'] extends 'moment'
  ? number | Extract<ValueOf<F>, null>
  : ValueOf<F>;

type AllFields<Id extends ListId> = AdminLists[Id]['fields'] & AdminLists[Id]['details'];
/** The names of the fields for which the stored row has no column of the same name and type. */
type ComputedField<Id extends ListId> = {
  [Name in keyof AllFields<Id>]: ListedRows[Id] extends {
    readonly [Same in Name]: StoredValue<AllFields<Id>[Same] & Field>;
  }
    ? never
    : Name;
}[keyof AllFields<Id>];
type ComputeFunctions<Id extends ListId> = {
  readonly [Name in ComputedField<Id>]: (
    row: ListedRows[Id],
    decimals: number | null,
  ) => ValueOf<AllFields<Id>[Name] & Field>;
};

const COMPUTE_FUNCTIONS: { readonly [Id in ListId]: ComputeFunctions<Id> } = {
  applications: {
    tier: ({ checked, statedTier }) => (checked ? checked.tier : statedTier),
    bdAmount: ({ checked, statedAmount }, decimals) =>
      checked ? amountText(checked.amount, decimals) : statedAmount,
    isStakeChecked: ({ checked }) => checked !== null,
    checkedAmount: ({ checked }, decimals) => amountText(checked?.amount, decimals),
    checkedTier: ({ checked }) => checked?.tier ?? null,
    checkedAt: ({ checked }) => isoOrNull(checked?.at ?? null),
  },
  contacts: {},
  'verification-requests': {},
  'loan-applications': {},
  'delivery-logs': {
    deliveryMethod: ({ channel }) => toDeliveryMethod(channel),
    success: ({ outcome }) => outcome === 'sent',
    isRetryable: ({ deliveryState, isNewest }) => deliveryState === 'dead' && isNewest,
  },
};

type Writer<Id extends ListId, Row> = (row: ListedRows[Id], decimals: number | null) => Row;

/** Returns a function that converts a stored row, with the fields in the order of the list's definition. */
function writerOf<Id extends ListId, Row>(list: Id, fields: Fields): Writer<Id, Row> {
  const computeFunctions: Readonly<Record<string, (row: never, decimals: number | null) => unknown>> =
    COMPUTE_FUNCTIONS[list];
  const columns = Object.entries(fields).map(([name, { kind }]) => ({
    name,
    compute: computeFunctions[name],
    isMoment: kind === 'moment',
  }));
  return (row, decimals) => {
    // Fields are assigned one by one: building the object from an array of entries takes twice as long.
    const wireRow: Record<string, unknown> = {};
    for (const { name, compute, isMoment } of columns) {
      const value: unknown = compute ? compute(row as never, decimals) : row[name as keyof typeof row];
      wireRow[name] = isMoment && typeof value === 'number' ? iso(value) : value;
    }
    return wireRow as Row;
  };
}

export type ExportRow = Readonly<Record<string, string | number | boolean | null>>;

function writersOf<Id extends ListId>(list: Id) {
  const definition = listDefinition(list);
  const { fields, details } = definition;
  return {
    row: writerOf<Id, RowOf<Id>>(list, fields),
    details: writerOf<Id, RecordOf<Id>>(list, { ...fields, ...details }),
    exported: writerOf<Id, ExportRow>(list, exportedFields(definition)),
  };
}

const WRITERS: { readonly [Id in ListId]: ReturnType<typeof writersOf<Id>> } = {
  applications: writersOf('applications'),
  contacts: writersOf('contacts'),
  'verification-requests': writersOf('verification-requests'),
  'loan-applications': writersOf('loan-applications'),
  'delivery-logs': writersOf('delivery-logs'),
};

export const rowWriters = <Id extends ListId>(list: Id): (typeof WRITERS)[Id] => WRITERS[list];
