import type { AppStore, IndexReader, IndexWriter } from '../ports.ts';

/** An empty index and app store. `dispose` closes all open stores. */
export interface TestStores {
  /** Whether several programs can open the app store at the same time. SQLite has a single writer. */
  readonly isShared: boolean;
  openWriter(): Promise<IndexWriter>;
  openReader(): Promise<IndexReader>;
  openApp(): Promise<AppStore>;
  /** Everything that the app store has written, whether it is open or closed. */
  readAppBytes(): Promise<Buffer>;
  /** Deletes the index, as a rebuild does. Its writer must be closed. */
  discardIndex(): Promise<void>;
  dispose(): Promise<void>;
}
