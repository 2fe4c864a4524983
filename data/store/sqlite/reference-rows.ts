import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { ReferenceNumbersTakenError } from '../store-errors.ts';
import { referenceNumbers } from './application-schema.ts';
import { sql } from './drizzle.ts';

/** Draws until a day's numbers count as given out: with half of them taken, that fails once in 10^30. */
const DRAWS = 100;

/**
 * Gives out a reference number that no other submission of any kind has, inside the transaction of the submission.
 * @throws {ReferenceNumbersTakenError} where every number drawn is taken.
 */
export function prepareReferenceNumbers(db: BetterSQLite3Database): (
  submitted: {
    readonly kind: (typeof referenceNumbers.$inferInsert)['kind'];
    readonly at: number;
    readonly mailbox: string;
  },
  draw: () => string,
) => string {
  const value = (name: string) => sql.placeholder(name);
  const take = db
    .insert(referenceNumbers)
    .values({
      referenceNumber: value('referenceNumber'),
      kind: value('kind'),
      createdAt: value('at'),
      mailbox: value('mailbox'),
    })
    .onConflictDoNothing({ target: referenceNumbers.referenceNumber })
    .prepare();
  return (submitted, draw) => {
    for (let drawn = 0; drawn < DRAWS; drawn += 1) {
      const referenceNumber = draw();
      if (take.run({ ...submitted, referenceNumber }).changes > 0) return referenceNumber;
    }
    throw new ReferenceNumbersTakenError(`${DRAWS} reference numbers were drawn, and each is taken.`);
  };
}
