import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { sendLoan } from '../../api/loan/testing/send-loan.ts';
import { ask } from '../../api/testing/portal-client.ts';
import { openWalletSession, testWallet } from '../../api/testing/test-wallet.ts';
import { type Call, errorsOf } from '../../data/contract/call.ts';
import { CALLS } from '../../data/contract/calls.ts';
import { ERRORS, type ErrorCode } from '../../data/contract/errors.ts';
import { vaultLiveBalance } from '../../data/contract/metrics.ts';
import { healthz } from '../../data/contract/paths.ts';
import { openAppStore } from '../../data/store/open-stores.ts';
import { openGrowingIndex } from '../api/growing-index.ts';
import { peakMemory } from '../indexer/bench-process.ts';
import { ORIGIN, startAttackedPortal } from './attacked-portal.ts';
import { startCountingSmtp } from './counting-smtp.ts';
import type { FloodOrder, FloodReport } from './flood-client.ts';
import { FLOOD_KINDS, type FloodKind, type FloodWallet } from './flood-requests.ts';
import { openSlowClients, type SlowClients, type SlowKind } from './slow-clients.ts';
import { type LatencySample, startVisitor } from './visitor.ts';

/** Errors that the server may return before it knows which call was requested. */
const SERVER_ERRORS: readonly ErrorCode[] = [
  'malformed-request',
  'malformed-path',
  'headers-too-large',
  'request-timeout',
];

interface FloodSpec {
  /** A new folder for the portal's files. */
  readonly folder: string;
  /** How long each flood lasts. */
  readonly milliseconds: number;
  /** How many IP addresses each flood comes from. */
  readonly addresses: number;
  readonly connectionsPerAddress: number;
  /** Whether each call gets every kind of flood. Otherwise the kinds rotate from call to call. */
  readonly hasEveryKind: boolean;
  /**
   * Added to the niceness of the flood's process, so that the portal and its visitors get the CPU first, because real
   * attackers use other machines. It is 0 if other work runs on the machine, because a flood with a lower priority would
   * then take minutes.
   */
  readonly nicenessIncrease: number;
  readonly slowClients: Readonly<Record<SlowKind, number>>;
}

interface FloodResults {
  readonly floods: readonly {
    readonly call: Call;
    readonly flood: FloodKind;
    /** Milliseconds on the process's monotonic clock. */
    readonly startedAt: number;
    readonly report: FloodReport;
    /** Answers that the contract does not list. */
    readonly unexpected: readonly string[];
  }[];
  readonly visitor: readonly LatencySample[];
  readonly endedCounts: SlowClients['endedCounts'];
  /** The HTTP status of a normal application with documents while slow clients were connected. */
  readonly normalStatus: number;
  readonly isAlive: boolean;
  /** Peak memory in MiB; null if the system does not report it. */
  readonly peakMemory: number | null;
  readonly exitCode: number | null;
  readonly stderr: string;
}

/** Proves a separate wallet for each call, because one of the calls signs its wallet out. */
async function proveWallets(folder: string): Promise<ReadonlyMap<Call, FloodWallet>> {
  const store = await openAppStore(join(folder, 'app.db'));
  const wallets = new Map<Call, FloodWallet>();
  for (const call of CALLS) {
    const { address } = testWallet();
    wallets.set(call, { address, cookie: await openWalletSession(store, address, Date.now(), ORIGIN) });
  }
  await store.close();
  return wallets;
}

function unexpectedAnswers(call: Call, { answers }: FloodReport): readonly string[] {
  const allowed = [...errorsOf(call), ...SERVER_ERRORS].map((code) => `${ERRORS[code][0]} ${code}`);
  // `cut`: the server refused the request and closed the connection while the client was still sending.
  return Object.keys(answers).filter(
    (answer) => !/^(200|304|cut)$/.test(answer) && !allowed.includes(answer),
  );
}

/** Floods each call of the contract while slow clients are connected, and measures how long a visitor waits. */
export async function floodEachCall(spec: FloodSpec): Promise<FloodResults> {
  const index = await openGrowingIndex(spec.folder);
  const wallets = await proveWallets(spec.folder);
  const smtp = await startCountingSmtp();
  const portal = startAttackedPortal(
    index.env,
    smtp.port,
    existsSync('dist/index.html') ? [] : ['--api-only'],
  );
  const floodClient = fork(new URL('flood-client.ts', import.meta.url));
  const floodClientEnded = once(floodClient, 'exit').then(([code]): never => {
    throw new Error(`The flood's process ended with ${code}.`);
  });
  floodClientEnded.catch(() => {});
  const niceness = Math.min(getPriority() + spec.nicenessIncrease, constants.priority.PRIORITY_LOW);
  if (floodClient.pid !== undefined) setPriority(floodClient.pid, niceness);
  try {
    const port = await portal.port;
    const growing = index.grow();
    const visitor = startVisitor(`http://127.0.0.1:${port}${vaultLiveBalance.path}`);
    const slowClients = openSlowClients(port, spec.slowClients);
    const floods: FloodResults['floods'][number][] = [];
    for (const [callIndex, call] of CALLS.entries()) {
      for (const flood of spec.hasEveryKind
        ? FLOOD_KINDS
        : [FLOOD_KINDS[callIndex % FLOOD_KINDS.length] ?? 'valid']) {
        const { method, path } = call;
        const { milliseconds, addresses, connectionsPerAddress } = spec;
        const wallet = wallets.get(call) ?? { address: '', cookie: '' };
        const order: FloodOrder = {
          ...{ port, call: { method, path }, flood, wallet },
          ...{ milliseconds, addresses, connectionsPerAddress },
        };
        const startedAt = performance.now();
        floodClient.send(order);
        const [report] = await Promise.race([
          once(floodClient, 'message') as Promise<[FloodReport]>,
          floodClientEnded,
        ]);
        floods.push({ call, flood, startedAt, report, unexpected: unexpectedAnswers(call, report) });
      }
    }
    const normalAnswer = await sendLoan(
      port,
      { email: 'ada@honest.example' },
      { 'X-Forwarded-For': '192.0.2.1' },
    );
    const samples = await visitor.stop();
    const { endedCounts } = slowClients;
    slowClients.close();
    await growing.stop();
    const isAlive = (await ask(port, healthz)).status === 200;
    const peakMib = await peakMemory(portal.child.pid ?? 0);
    const { code, stderr } = await portal.end('SIGTERM');
    return {
      floods,
      visitor: samples,
      endedCounts,
      normalStatus: normalAnswer.status,
      isAlive,
      peakMemory: peakMib,
      exitCode: code,
      stderr,
    };
  } finally {
    if (floodClient.connected) floodClient.disconnect();
    await portal.end('SIGKILL');
    await smtp.close();
    await index.close();
  }
}
