// @module-tag slow
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { CONTACT_BODY } from '../../api/applications/testing/sample-forms.ts';
import { ask, sendForm } from '../../api/testing/portal-client.ts';
import { walletOf } from '../../api/testing/sample-stakes.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { EXIT } from '../../data/runtime/exit-codes.ts';
import { API_PROGRAM, programFile } from '../../data/runtime/testing/child-programs.ts';
import { openAppStore, openLeases } from '../../data/store/open-stores.ts';
import { newSchema, testSettings, withDatabase } from '../../data/store/testing/postgres-stores.ts';
import { SLOT_MILLISECONDS } from '../../indexer/ledger/chain.ts';
import { seededRandom } from '../../indexer/ledger/seeded-random.ts';
import { createTraffic } from '../../indexer/testing/crash-traffic.ts';
import { spawnApi } from '../../indexer/testing/processes.ts';
import { startPeers } from './faults-portal.ts';
import { writeNextVersion } from './next-version.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const IS_POSTGRES_TEST_RUN = process.env.POSTGRES_KILLS !== undefined;
const CLIENTS_PER_REPLICA = 1;
const FORMS_PER_STEP = 5;
/** Milliseconds. Seven programs start one after another, which can take a while on a busy machine. */
const UPDATE_TIMEOUT_MS = 180_000;
const READ_PATHS = [
  PATHS.stakingTotal,
  PATHS.transactions,
  `${PATHS.walletPosition}?walletAddress=${walletOf(1)}`,
  `${PATHS.history}?series=staked&range=24h`,
];

let peers: Awaited<ReturnType<typeof startPeers>>;
let schema: string;
const startedPrograms: ReturnType<typeof spawnApi>[] = [];

beforeAll(async () => {
  schema = newSchema();
  const host = encodeURIComponent(inject('postgresSocketFolder'));
  peers = await startPeers({
    DATABASE_URL: `postgres://postgres@localhost/postgres?host=${host}`,
    DATABASE_SCHEMA: schema,
    INDEXER_POLL_MS: '400',
  });
});

afterAll(async () => {
  for (const { child } of startedPrograms) child.kill('SIGKILL');
  for (const { ended } of startedPrograms) await ended;
  await peers.close();
});

function startProgram(program: string, args: readonly string[] = []) {
  const one = spawnApi(peers.envOf(randomUUID()), { program, args });
  startedPrograms.push(one);
  return one;
}
const startVersion = (root: string, program: string, args?: readonly string[]) =>
  startProgram(join(root, program), args);
const startReplica = (program = API_PROGRAM) => startProgram(program, ['--api-only']);
const portOf = async ({ ready }: ReturnType<typeof spawnApi>) => Number((await ready).details.port);
const stop = async ({ child, ended }: ReturnType<typeof spawnApi>) => {
  child.kill('SIGTERM');
  await ended;
};

function startLoad(port: number) {
  const failures: string[] = [];
  const stored: string[] = [];
  let isStopped = false;
  const recordFailure = (
    path: string,
    { status, body }: { readonly status: number; readonly body: string },
  ) => {
    if (status !== 200) failures.push(`${path}: ${status} ${body}`);
    return status;
  };
  const client = async () => {
    while (!isStopped) {
      const key = randomUUID();
      const form = { ...CONTACT_BODY, email: `${key}@example.com` };
      const sent = await sendForm(port, PATHS.submitContactMessage, form, { 'Idempotency-Key': key });
      if (recordFailure(PATHS.submitContactMessage, sent) === 200) stored.push(form.email);
      for (const path of READ_PATHS) recordFailure(path, await ask(port, path));
    }
  };
  const running = Promise.all(Array.from({ length: CLIENTS_PER_REPLICA }, client));
  return {
    failures,
    stored,
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}

const slotOf = async (port: number) => JSON.parse((await ask(port, PATHS.stakingTotal)).body).slot;
const readVersions = () =>
  withDatabase(schema, (db) =>
    db.all(db.statement<{ version: number }>('select version from $.schema_versions order by part')),
  );

describe('programs of two versions', () => {
  // This test takes 20 seconds, so only `npm run test:postgres` runs it. data/store/postgres/migrate.test.ts tests the same thing
  // with one open store, in a second.
  it.runIf(IS_POSTGRES_TEST_RUN)(
    'work side by side on one database while they are updated one after another, without a server error',
    {
      timeout: UPDATE_TIMEOUT_MS,
    },
    async () => {
      const next = join(peers.folder, 'next');
      writeNextVersion(next);
      const indexer = startProgram(programFile('indexer/main.ts'));
      const replicas = [startReplica(), startReplica()];
      const ports = await Promise.all(replicas.map(portOf));
      for (const one of ports) {
        for (const path of READ_PATHS) await expect.poll(async () => (await ask(one, path)).status).toBe(200);
      }
      const before = await readVersions();
      const traffic = createTraffic(peers.chain.chain, seededRandom(7));
      const sending = setInterval(() => {
        traffic.send();
        peers.chain.advance(SLOT_MILLISECONDS);
      }, 50);
      const loads = ports.map(startLoad);
      const stopLoads = async () => {
        clearInterval(sending);
        await Promise.all(loads.map((load) => load.stop()));
      };
      onTestFinished(stopLoads);
      const [first, second] = loads;
      const waitForMoreForms = (load: typeof first) => {
        const from = load?.stored.length ?? 0;
        return expect.poll(() => load?.stored.length).toBeGreaterThan(from + FORMS_PER_STEP);
      };
      await waitForMoreForms(first);

      // The first program of the next version migrates the database while the older programs continue to work.
      const port = await portOf(startReplica(join(next, 'api/main.ts')));
      expect(await readVersions()).toEqual(before.map(({ version }) => ({ version: version + 1 })));
      const third = startLoad(port);
      loads.push(third);
      for (const load of loads) await waitForMoreForms(load);
      // The older indexer still writes the index, and all replicas read it.
      const slot = await slotOf(port);
      for (const one of [...ports, port]) await expect.poll(() => slotOf(one)).toBeGreaterThan(slot);

      // Stops the requests first, as a load balancer does before a program is stopped.
      await first?.stop();
      await stop(replicas[0] as (typeof replicas)[0]);
      await stop(indexer);
      startVersion(next, 'indexer/main.ts');
      await waitForMoreForms(second);
      const slotAfterSwitch = await slotOf(port);
      for (const one of [ports[1] ?? 0, port])
        await expect.poll(() => slotOf(one)).toBeGreaterThan(slotAfterSwitch);
      // A program of the older version can still start.
      await portOf(startReplica());

      await stopLoads();
      expect(loads.flatMap(({ failures }) => failures)).toEqual([]);
      const emails = await withDatabase(schema, (db) =>
        db.all(db.statement<{ email: string }>('select email from $.contact_messages')),
      );
      expect(emails.map(({ email }) => email).toSorted()).toEqual(
        loads.flatMap(({ stored }) => stored).toSorted(),
      );
    },
  );

  it('do not start, and say what to do, if the tables need a newer version', async () => {
    const store = await openAppStore(testSettings(schema));
    const leases = await openLeases(testSettings(schema));
    await Promise.all([store.close(), leases.close()]);
    await withDatabase(schema, (db) =>
      db.run(db.statement('update $.schema_versions set version = 999, "oldestProgram" = 999')),
    );
    const programs = [
      startReplica(),
      startProgram(programFile('indexer/main.ts')),
      startProgram(programFile('api/admin/command.ts'), ['list']),
      startVersion(ROOT, 'api/audit-trail/main.ts'),
      startProgram(programFile('api/store/command.ts'), ['check']),
    ];
    for (const { ended } of programs) {
      const { code, stderr } = await ended;
      expect(code).toBe(EXIT.tryAgain);
      expect(stderr.includes('DATABASE_SCHEMA')).toBe(true);
    }
  });
});
