/** A calendar month; January is 1. */
export interface Month {
  readonly year: number;
  readonly month: number;
}

const MONTH_NAMES =
  'January February March April May June July August September October November December'.split(' ');

/** @throws {RangeError} when there is no such month. */
export function monthName(month: number): string {
  const name = MONTH_NAMES[month - 1];
  if (name === undefined) throw new RangeError(`A year has months 1 to 12, not ${month}.`);
  return name;
}

/** `'June 2025'`. */
export function monthText({ year, month }: Month): string {
  return `${monthName(month)} ${year}`;
}

export function monthsLater({ year, month }: Month, count: number): Month {
  const index = year * 12 + (month - 1) + count;
  return { year: Math.floor(index / 12), month: (index % 12) + 1 };
}
