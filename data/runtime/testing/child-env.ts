import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The environment of a process that a test starts. Compiled modules are cached, because compiling them takes a third of each
 * start.
 */
export const CHILD_ENV = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url)),
};

const source = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The API's program. In tests it is the bundle, which Vitest builds first; otherwise it is the source. */
export const API_PROGRAM = process.env.TEST_API_PROGRAM ?? source('api/main.ts');

/** The other programs that several tests start. */
export const PROGRAMS = [
  'api/admin/command.ts',
  'api/backup/backup.ts',
  'api/backup/restore.ts',
  'api/store/command.ts',
  'indexer/ledger/command.ts',
  'indexer/ledger/main.ts',
  'indexer/main.ts',
  'indexer/verify/main.ts',
] as const;

/** The name of a program's bundle, without extension. */
export const bundledFile = (program: string) => program.replace(/\.ts$/, '').replaceAll('/', '-');

/** The file of a program. In tests it is the bundle, and otherwise the source. */
export function programFile(program: (typeof PROGRAMS)[number]): string {
  const { TEST_PROGRAMS } = process.env;
  return TEST_PROGRAMS === undefined ? source(program) : join(TEST_PROGRAMS, `${bundledFile(program)}.mjs`);
}
