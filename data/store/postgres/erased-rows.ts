import type { ErasedPart } from '../../model/erased-parts.ts';
import type { SubmissionKind } from '../../model/submission-status.ts';
import { personalRows } from '../rules/personal-rows.ts';
import { rowCountingSql } from './count-changes.ts';

const TYPES = {
  references: 'text[]',
  messages: 'text[]',
  filters: 'text[]',
  earlierAddresses: 'text[]',
  wallet: 'text',
  email: 'text',
  mailbox: 'text',
  at: 'bigint',
} as const;
type ValueName = keyof typeof TYPES;

/** A statement about a person, and the names of its parameters in the order of the placeholders. */
export interface PersonSql {
  readonly text: string;
  readonly names: readonly ValueName[];
}

/** Replaces named parameters such as `:wallet` with numbered placeholders. */
function personSql(sql: string): PersonSql {
  const names: ValueName[] = [];
  const text = sql.replace(
    /:(references|messages|filters|earlierAddresses|wallet|email|mailbox|at)\b/g,
    (_, name: ValueName) => {
      if (!names.includes(name)) names.push(name);
      return `$${names.indexOf(name) + 1}::${TYPES[name]}`;
    },
  );
  return { text, names };
}

const ROWS = personalRows({
  isReference: (column) => `${column} = any(:references)`,
  references: 'unnest(:references) named(value)',
  isMessage: (column) => `${column} = any(:messages)`,
  isFilter: (column) => `${column} = any(:filters)`,
  isEarlierAddress: (column) => `${column} = any(:earlierAddresses)`,
  matchesEmail: 'lower(email) = lower(:email collate "C")',
  contains: (text, part) => `strpos(${text}, ${part}) > 0`,
  emptyList: "'{}'",
});

/** The kinds of the parts whose rows are counted by kind and status. */
const COUNTED_PARTS: { readonly [Part in ErasedPart]?: SubmissionKind } = {
  cardApplications: 'card-application',
  verificationRequests: 'verification-request',
  contactMessages: 'contact-message',
  loanApplications: 'loan-application',
};

export const PERSONAL_TABLES: readonly string[] = [
  ...new Set(ROWS.eraseStatements.map(({ table }) => table)),
];

export const ERASE_STATEMENTS = ROWS.eraseStatements.map(({ part, sql }) => {
  const kind = COUNTED_PARTS[part];
  return personSql(kind ? rowCountingSql(kind, `${sql} returning status`, -1) : sql);
});

export const PERSON_RECORDS = personSql(ROWS.records);
export const INVITATIONS = personSql(ROWS.invitations);
export const RECEIVED_MESSAGES = personSql(ROWS.received);
export const EARLIER_ADDRESSES = personSql(ROWS.earlierAddresses);
export const RECORD_NAMES = personSql(ROWS.names);
export const SAVED_FILTERS = personSql(ROWS.savedFilters);
export const ANSWERED_RECORDS = personSql(ROWS.answeredRecords);
export const DELETE_FILES = personSql(ROWS.deleteFiles);

/** Locks records, so that no decision adds personal data to them. */
export const LOCK_STATEMENTS = ROWS.lockStatements.map(personSql);

export const PERSON_FACTS = personSql(`
  select json_build_object(${ROWS.countStatements.map(([part, sql]) => `'${part}', (${sql})`).join(', ')}) as counts,
    array(${ROWS.namedWallets} order by 1) as wallets,
    array(${ROWS.deliveries} order by id) as deliveries,
    (${ROWS.liveCards}) as "liveCards",
    array(${ROWS.adminEmails}) as "adminMails"`);
