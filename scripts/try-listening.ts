import { createServer } from 'node:net';

/** Node's code for why a TCP port cannot be listened on at this host now, or null where it can. Port 0 takes any. */
export function tryListening(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
}
