import type { TestProject } from 'vitest/node';
import { type PostgresVersion, startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgresSocketFolder: string;
  }
}

/** Starts a server for all test files of a project, in the version that its name contains. Stops it afterwards. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const version: PostgresVersion = project.name === 'postgres-15' ? '15' : '18';
  const server = await startPostgres(version);
  project.provide('postgresSocketFolder', server.socketFolder);
  return () => server.stop();
}
