import type { ListedRows } from '../record-port.ts';

/*
 * Rows as SQLite tells them, which knows no booleans and no amounts, as the port has them. The columns that lists are
 * sorted by are not told.
 */

export type RawRow = Readonly<Record<string, unknown>>;

const flagsOf = ({ isMailSent, isNoticeSent }: RawRow) => ({
  isMailSent: isMailSent === 1,
  isNoticeSent: isNoticeSent === 1,
});

export function applicationRowOf(row: RawRow): ListedRows['applications'] {
  // One copy, which is then written over: a page copied three times takes as long as finding it.
  const { sequence, checkedAmount, checkedTier, checkedAt, tierRank, amountRank, ...fields } = row;
  const isChecked =
    typeof checkedAmount === 'string' && typeof checkedTier === 'string' && typeof checkedAt === 'number';
  return Object.assign(fields as unknown as ListedRows['applications'], flagsOf(row), {
    isOwnershipProven: row.isOwnershipProven === 1,
    checked: isChecked ? { amount: BigInt(checkedAmount), tier: checkedTier, at: checkedAt } : null,
  });
}

export function contactRowOf(row: RawRow): ListedRows['contacts'] {
  const { sequence, ...fields } = row;
  return Object.assign(fields as unknown as ListedRows['contacts'], flagsOf(row));
}

export function requestRowOf(row: RawRow): ListedRows['requests'] {
  const { sequence, ...fields } = row;
  const isOwnershipProven = row.isOwnershipProven === 1;
  return Object.assign(fields as unknown as ListedRows['requests'], flagsOf(row), { isOwnershipProven });
}

export function loanRowOf(row: RawRow): ListedRows['loans'] {
  const { sequence, ...fields } = row;
  return Object.assign(fields as unknown as ListedRows['loans'], flagsOf(row));
}
