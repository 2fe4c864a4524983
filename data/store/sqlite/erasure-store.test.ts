import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect, it } from 'vitest';
import * as appSchema from './app-schema.ts';
import { PERSON_EMAILS, PERSON_WALLETS } from './erasure-store.ts';
import * as submissionSchema from './submission-schema.ts';

/** Columns that a restore need not search: their rows belong to the team, or are found through a record or a card. */
const OTHER_COLUMNS = ['admins.email', 'report_subscriptions.email', 'usdt_transfers.counterparty'];

it('a restore looks for erased people in every column that can name a person', () => {
  const columns = Object.values({ ...appSchema, ...submissionSchema })
    .filter((value) => is(value, SQLiteTable))
    .flatMap((table) => {
      const { name, columns } = getTableConfig(table);
      return columns.map((column) => `${name}.${column.name}`);
    })
    .filter((column) => /\.(email|mailbox|sender|recipient|counterparty|walletAddress)$/.test(column));

  const searched = [PERSON_EMAILS, PERSON_WALLETS].flatMap((sql) =>
    [...sql.matchAll(/\b(\w+)"? from (\w+)/g)].map(([, column, table]) => `${table}.${column}`),
  );
  expect(columns.length).toBeGreaterThan(15);
  expect(columns.filter((column) => !searched.includes(column)).toSorted()).toEqual(OTHER_COLUMNS);
});
