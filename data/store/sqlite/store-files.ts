/** How one store file is opened, told apart from others, and mended. */
export interface StoreFile {
  /** SQLite's `application_id`: four letters that say whose file it is. */
  readonly applicationId: number;
  readonly migrations: URL;
  readonly synchronous: 'NORMAL' | 'FULL';
  /** Page cache in KiB. */
  readonly cacheKib: number;
  /** Pages in the write-ahead log after which it is folded into the file. */
  readonly checkpointPages: number;
  /** Mode bits of a file made anew. */
  readonly mode: number;
  /** Whether what is deleted is overwritten at once: it costs writing, and matters where people's data is. */
  readonly secureDelete: boolean;
  /** What to do where the file is damaged. */
  readonly mend: string;
}

/** Made from the chain and made again at will, so it is tuned for bulk writing. */
export const INDEX_FILE: StoreFile = {
  applicationId: 0x42_44_49_58, // BDIX
  migrations: new URL('./migrations/index/', import.meta.url),
  synchronous: 'NORMAL',
  cacheKib: 4_096,
  checkpointPages: 20_000,
  mode: 0o644,
  secureDelete: false,
  mend: 'Build it again from the chain with: npm run indexer -- --rebuild',
};

/** Irreplaceable, and it will hold what people wrote in confidence: every commit reaches the disk, its owner alone reads it. */
export const APP_FILE: StoreFile = {
  applicationId: 0x42_44_41_50, // BDAP
  migrations: new URL('./migrations/app/', import.meta.url),
  synchronous: 'FULL',
  cacheKib: 16_384,
  checkpointPages: 4_000,
  mode: 0o600,
  secureDelete: true,
  mend: 'Stop the portal and put a copy from your backup in its place.',
};
