/** A cell that a spreadsheet would run as a formula; full-width signs count in some of them. */
const FORMULA_START = /^[=+\-@\t\r\n＝＋－＠]/u;

/** Plain decimal text, which stays a number even below zero. */
const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;

const NEEDS_QUOTES = /[",\r\n]/;

function cellText(cell: string | null): string {
  if (cell === null) return '';
  const text = FORMULA_START.test(cell) && !PLAIN_NUMBER.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows of a table as `toCsv` writes them, without a header: for files that are written piece by piece. */
export function csvLines(rows: readonly (readonly (string | null)[])[]): string {
  return rows.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('');
}

/**
 * A table as comma-separated values (RFC 4180): lines end in CRLF, the last one too. Null is an empty cell. A cell that
 * a spreadsheet would take for a formula gets an apostrophe in front (OWASP, CSV injection); plain decimal numbers are
 * left as they are, so that sums over them stay exact.
 */
export function toCsv(header: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  return csvLines([header, ...rows]);
}
