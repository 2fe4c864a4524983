import type { ListedRows } from '../record-port.ts';

/*
 * Rows as SQLite tells them, which knows no booleans and no amounts, as the port has them. The columns that lists are
 * sorted by are not told.
 */

export type RawRow = Readonly<Record<string, unknown>>;

/** What a row holds but for the store's own columns. */
const told = ({ sequence, ...fields }: RawRow): RawRow => fields;

const flagsOf = ({ isMailSent, isNoticeSent }: RawRow) => ({
  isMailSent: isMailSent === 1,
  isNoticeSent: isNoticeSent === 1,
});

export function applicationRowOf(row: RawRow): ListedRows['applications'] {
  const { checkedAmount, checkedTier, checkedAt, tierRank, amountRank, ...fields } = told(row);
  const isChecked =
    typeof checkedAmount === 'string' && typeof checkedTier === 'string' && typeof checkedAt === 'number';
  return {
    ...(fields as unknown as ListedRows['applications']),
    ...flagsOf(row),
    isOwnershipProven: row.isOwnershipProven === 1,
    checked: isChecked ? { amount: BigInt(checkedAmount), tier: checkedTier, at: checkedAt } : null,
  };
}

export const contactRowOf = (row: RawRow): ListedRows['contacts'] => ({
  ...(told(row) as unknown as ListedRows['contacts']),
  ...flagsOf(row),
});

export const requestRowOf = (row: RawRow): ListedRows['requests'] => ({
  ...(told(row) as unknown as ListedRows['requests']),
  ...flagsOf(row),
  isOwnershipProven: row.isOwnershipProven === 1,
});

export const loanRowOf = (row: RawRow): ListedRows['loans'] => ({
  ...(told(row) as unknown as ListedRows['loans']),
  ...flagsOf(row),
});
