import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';

function startError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const cause = { cause: error };
  switch (error.code) {
    case 'EADDRINUSE':
      return new StartError(
        `PORT ${port} is in use by another program. Stop that program, or set PORT to a free port.`,
        EXIT.tryAgain,
        cause,
      );
    case 'EACCES':
      return new StartError(
        `PORT ${port} may not be opened by this user. Set PORT to 1024 or above.`,
        EXIT.configuration,
        cause,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError(
        `HOST ${host} is no address of this machine. Set HOST to 127.0.0.1, or to 0.0.0.0 to be reached from others.`,
        EXIT.configuration,
        cause,
      );
    default:
      return error;
  }
}

/**
 * Listens on a host and port (0 takes any free one). @returns the port taken. @throws {StartError} code 75 where the
 * port is in use, 78 where host or port cannot be had.
 */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => reject(startError(error, host, port));
    server.once('error', onError);
    server.listen({ host, port }, () => {
      server.off('error', onError);
      const address: AddressInfo | string | null = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
