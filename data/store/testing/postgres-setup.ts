import type { TestProject } from 'vitest/node';
import { type PostgresVersion, startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgresSocketFolder: string;
  }
}

/** Starts one server for all test files of a project named after its version, and stops it after them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const version: PostgresVersion = project.name === 'postgres-15' ? '15' : '18';
  const server = await startPostgres(version);
  project.provide('postgresSocketFolder', server.socketFolder);
  return () => server.stop();
}
