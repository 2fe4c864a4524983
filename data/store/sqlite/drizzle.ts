import { createRequire } from 'node:module';

/**
 * What the store uses of Drizzle, loaded as CommonJS: as ES modules Node reads Drizzle's long package.json anew for each
 * of its hundred files, which is a third of the time that a program takes to start.
 */
const load = createRequire(import.meta.url);
const orm: typeof import('drizzle-orm') = load('drizzle-orm');
const core: typeof import('drizzle-orm/sqlite-core') = load('drizzle-orm/sqlite-core');
const driver: typeof import('drizzle-orm/better-sqlite3') = load('drizzle-orm/better-sqlite3');
const migrator: typeof import('drizzle-orm/migrator') = load('drizzle-orm/migrator');

export const { and, asc, count, desc, eq, gt, gte, isNotNull, isNull, lt, lte, ne, or, sql } = orm;
export const { getTableColumns, getTableName } = orm;
export const { blob, check, customType, index, integer, primaryKey, sqliteTable, text, uniqueIndex } = core;
export const { drizzle } = driver;
export const { readMigrationFiles } = migrator;
