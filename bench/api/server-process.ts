import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOAD_DELAY_MS } from '../../api/load-ahead.ts';
import { API_MEMORY_FLAGS } from '../../api/memory-flags.ts';
import { type ApiProcess, startApi } from '../../indexer/testing/processes.ts';
import type { ServerMessage } from './report-to-parent.ts';

export interface ServerProcess {
  readonly name: string;
  readonly origin: string;
  /** CPU time since the process started, in microseconds. */
  cpuMicroseconds(): Promise<number>;
  end(): Promise<void>;
}

/** Starts a program from this folder. The program must call `reportToParent`. */
export async function startServerProcess(
  name: string,
  program: string,
  args: readonly string[],
): Promise<ServerProcess> {
  const child = fork(new URL(program, import.meta.url), args);
  const exit = once(child, 'exit');
  const exitError = exit.then((): never => {
    throw new Error(`${name} exited before it responded.`);
  });
  // An exit is an error only while the caller waits for a message.
  exitError.catch(() => {});
  const nextMessage = async <T extends ServerMessage['type']>(type: T) => {
    const [message]: [ServerMessage] = await Promise.race([
      once(child, 'message') as Promise<[ServerMessage]>,
      exitError,
    ]);
    if (message.type !== type) throw new Error(`${name} sent ${message.type}, not ${type}.`);
    return message as Extract<ServerMessage, { type: T }>;
  };
  const { port } = await nextMessage('listening');
  return {
    name,
    origin: `http://127.0.0.1:${port}`,
    cpuMicroseconds: async () => {
      child.send('cpu');
      return (await nextMessage('cpu')).microseconds;
    },
    end: async () => {
      child.disconnect();
      await exit;
    },
  };
}

/** Longer than the API takes to load the libraries that it loads ahead of requests. */
const LOADING_MS = 3_000;

export interface PortalProcess extends ServerProcess {
  /** Waits until the API has loaded the libraries that it loads ahead of requests, so that loading them is not measured. */
  untilLibrariesLoaded(): Promise<void>;
  /** Triggers a garbage collection, because garbage that is not collected counts as memory in use. */
  collectGarbage(): void;
  /** Resident memory in bytes, or null if the system does not report it. */
  memoryBytes(): Promise<number | null>;
}

/** Node flags with which a process collects garbage when it receives `SIGUSR2`. */
const COLLECTION_FLAGS = [
  '--expose-gc',
  '--import=data:text/javascript,process.on("SIGUSR2",()=>gc({type:"major",flavor:"last-resort"}))',
];

/** @throws {Error} if `/metrics` does not have the metric */
async function readMetric({ url }: ApiProcess, metric: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const value = new RegExp(`^${metric} (\\S+)`, 'm').exec(text)?.[1];
  if (value === undefined) throw new Error(`/metrics does not have ${metric}.`);
  return Number(value);
}

/** Starts the API with the memory flags that `npm start` uses. */
export async function startPortalApi(env: Readonly<Record<string, string>>): Promise<PortalProcess> {
  const api = await startApi(env, [...API_MEMORY_FLAGS, ...COLLECTION_FLAGS]);
  const loadedAt = performance.now() + LOAD_DELAY_MS + LOADING_MS;
  return {
    name: 'the portal',
    origin: api.url,
    cpuMicroseconds: async () => (await readMetric(api, 'process_cpu_seconds_total')) * 1e6,
    untilLibrariesLoaded: () => sleep(Math.max(0, loadedAt - performance.now())),
    collectGarbage: () => api.signal('SIGUSR2'),
    memoryBytes: () => readMetric(api, 'process_resident_memory_bytes').catch(() => null),
    end: () => api.end(),
  };
}
