/** A spreadsheet runs a cell as a formula if it begins with one of these characters. Four are full-width variants. */
const FORMULA_START = /^[=+\-@\t\r\n＝＋－＠]/u;

const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;

const NEEDS_QUOTES = /[",\r\n]/;

function cellText(cell: string | null): string {
  if (cell === null) return '';
  const text = FORMULA_START.test(cell) && !PLAIN_NUMBER.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows without a header, for files that are written in parts. */
export function csvLines(rows: readonly (readonly (string | null)[])[]): string {
  return rows.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('');
}

/**
 * A table as comma-separated values (RFC 4180). Every line ends in CRLF. Null is an empty cell. A cell that a spreadsheet
 * would run as a formula gets an apostrophe in front (OWASP, CSV injection); plain decimal numbers do not change.
 */
export function toCsv(header: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  return csvLines([header, ...rows]);
}
