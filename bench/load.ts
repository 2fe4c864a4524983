import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import autocannon from 'autocannon';

const CONNECTIONS = 64;

interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** Requests with an error or a status other than 2xx. `wrk` does not count a 3xx status as failed. */
  readonly failed: number;
}

/** Sends GET requests over 64 connections, as fast as the server responds. */
export type LoadGenerator = (url: string, seconds: number) => Promise<LoadResult>;

const run = promisify(execFile);

/** @throws {Error} if the output of `wrk` is not a report */
export function parseWrk(report: string): LoadResult {
  const requests = /^\s*(\d+) requests in /m.exec(report)?.[1];
  const perSecond = /^Requests\/sec:\s*([\d.]+)/m.exec(report)?.[1];
  if (requests === undefined || perSecond === undefined) {
    throw new Error(`wrk did not print a report:\n${report}`);
  }
  const errors = /^\s*Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/m.exec(report);
  const otherStatus = /^\s*Non-2xx or 3xx responses: (\d+)/m.exec(report)?.[1] ?? '0';
  const failed = [otherStatus, ...(errors?.slice(1) ?? [])].reduce((sum, count) => sum + Number(count), 0);
  return { requests: Number(requests), perSecond: Number(perSecond), failed };
}

const withWrk: LoadGenerator = async (url, seconds) => {
  const { stdout } = await run('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, url]);
  return parseWrk(stdout);
};

const withAutocannon: LoadGenerator = async (url, seconds) => {
  const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds });
  return {
    requests: result.requests.total,
    perSecond: result.requests.total / result.duration,
    failed: result.errors + result.timeouts + result.non2xx,
  };
};

/** Uses `wrk` if it is installed. Otherwise uses autocannon, a JavaScript program that takes more CPU time. */
export async function loadGenerator(): Promise<{ readonly name: string; readonly generate: LoadGenerator }> {
  try {
    await run('wrk', ['-t1', '-c1', '-d0s', 'http://127.0.0.1:1/']);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { name: 'autocannon', generate: withAutocannon };
    }
  }
  return { name: 'wrk', generate: withWrk };
}
