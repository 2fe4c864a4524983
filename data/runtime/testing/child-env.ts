import { fileURLToPath } from 'node:url';

/**
 * The environment of a process that a test starts. Compiled modules are cached, because compiling them takes a third of each
 * start.
 */
export const CHILD_ENV = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url)),
};

/** The API's program. In tests it is the bundle, which Vitest builds first; otherwise it is the source. */
export const API_PROGRAM =
  process.env.TEST_API_PROGRAM ?? fileURLToPath(new URL('../../../api/main.ts', import.meta.url));
