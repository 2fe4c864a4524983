import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ListenAddress, listenProblem } from '../data/config/read-config.ts';
import { StartError } from '../data/runtime/exit-codes.ts';

function startError(error: NodeJS.ErrnoException, address: ListenAddress): Error {
  const problem = listenProblem(error.code, address);
  return problem
    ? new StartError(`${problem.variable} ${problem.message}`, problem.exitCode, { cause: error })
    : error;
}

/**
 * Listens on a host and port; port 0 means any free port.
 * @param variable the name of the variable that sets the port
 * @returns the port
 * @throws {StartError} code 75 if the port is in use, 78 if the host or port cannot be used
 */
export function listen(
  server: Server,
  host: string,
  port: number,
  variable: ListenAddress['variable'] = 'PORT',
): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => reject(startError(error, { variable, host, port }));
    server.once('error', onError);
    server.listen({ host, port }, () => {
      server.off('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
