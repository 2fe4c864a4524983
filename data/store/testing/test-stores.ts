import { afterEach, beforeEach } from 'vitest';
import type { AppStore, IndexReader, IndexWriter } from '../ports.ts';
import { openPostgresStores } from './postgres-stores.ts';
import { IDENTITY } from './sample-rows.ts';
import { openSqliteStores } from './sqlite-stores.ts';
import type { TestStores } from './test-stores-port.ts';

/** Random cases per property: few by default, more with `npm run test:store`. */
export const PROPERTY_RUNS = { numRuns: Number(process.env.STORE_RUNS ?? 5) } as const;

/** The contract tests open stores through this function only, so that they can test each adapter. */
export function openStores(): Promise<TestStores> {
  return process.env.STORE_ADAPTER === 'postgres' ? openPostgresStores() : openSqliteStores();
}

// The stores of the running test. They are opened before each test and closed after it.
export let stores: TestStores;
export let store: AppStore;
export let writer: IndexWriter;
export let reader: IndexReader;

export function useAppStore(): void {
  beforeEach(async () => {
    stores = await openStores();
    store = await stores.openApp();
  });
  afterEach(() => stores.dispose());
}

export async function reopenAppStore(): Promise<void> {
  await store.close();
  store = await stores.openApp();
}

/**
 * Opens the app store of the running test in several programs. If the store allows only one, all of them are the same
 * program.
 */
export function openPrograms(count: number): Promise<readonly AppStore[]> {
  return Promise.all(Array.from({ length: count }, () => (stores.isShared ? stores.openApp() : store)));
}

export function useIndex(): void {
  beforeEach(async () => {
    stores = await openStores();
    reader = await stores.openReader();
    writer = await stores.openWriter();
    await writer.claim(IDENTITY);
  });
  afterEach(() => stores.dispose());
}
