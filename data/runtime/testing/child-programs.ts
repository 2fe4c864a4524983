import { fileURLToPath } from 'node:url';

/**
 * The environment of a process that a test starts. Compiled modules are cached, because compiling them takes a third of the
 * startup time.
 */
export const CHILD_ENV = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url)),
};

/** Programs that tests start often, but that `npm start` does not run. */
export const EXTRA_TEST_PROGRAMS = [
  'api/admin/command.ts',
  'api/backup/backup.ts',
  'api/backup/restore.ts',
  'api/cards/testing/make-card-program.ts',
  'api/cards/top-ups/testing/follow-program.ts',
  'api/delivery/testing/submit-program.ts',
  'api/store/command.ts',
  'indexer/ledger/command.ts',
  'indexer/verify/main.ts',
] as const;

type Program =
  | (typeof EXTRA_TEST_PROGRAMS)[number]
  | 'api/main.ts'
  | 'indexer/main.ts'
  | 'indexer/ledger/main.ts';

/** The file that starts a program. In tests it is in a bundle, which Vitest builds first; otherwise it is the source. */
export function programFile(program: Program): string {
  const { TEST_PROGRAMS } = process.env;
  if (TEST_PROGRAMS !== undefined) return JSON.parse(TEST_PROGRAMS)[program];
  return fileURLToPath(new URL(`../../../${program}`, import.meta.url));
}

export const API_PROGRAM = programFile('api/main.ts');
