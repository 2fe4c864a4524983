import type { TestProject } from 'vitest/node';
import { type PostgresVersion, startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgresSocketFolder: string;
  }
}

/** Starts a server for all test files of a project, and stops it afterwards. The project's name determines the version. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const version: PostgresVersion = project.name === 'postgres-15' ? '15' : '18';
  const server = await startPostgres(version);
  project.provide('postgresSocketFolder', server.socketFolder);
  return () => server.stop();
}
