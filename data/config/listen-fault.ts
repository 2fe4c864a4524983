import { EXIT, type ExitCode } from '../runtime/exit-codes.ts';
import type { ConfigFault } from './environment.ts';

/** Where a program wants to listen, and the variable that moves it. */
export interface Endpoint {
  readonly variable: 'PORT' | 'LEDGER_PORT';
  readonly host: string;
  readonly port: number;
}

/** A fault with the exit code it deserves: a taken port may be free later, a wrong address stays wrong. */
export type ListenFault = ConfigFault & { readonly exitCode: ExitCode };

/** What it means, and what to do, where listening failed with this code of Node's; null for a code with no words here. */
export function listenFault(
  code: string | undefined,
  { variable, host, port }: Endpoint,
): ListenFault | null {
  switch (code) {
    case 'EADDRINUSE':
      return {
        variable,
        fault: `${port} is in use. Stop the program that listens there, or set ${variable} to another port.`,
        exitCode: EXIT.tryAgain,
      };
    case 'EACCES':
      return {
        variable,
        fault: `${port} may not be opened by this user. Set ${variable} to 1024 or above.`,
        exitCode: EXIT.configuration,
      };
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return {
        variable: 'HOST',
        fault: `${host} is no address of this machine. Set HOST to 127.0.0.1, or to 0.0.0.0 to be reached from others.`,
        exitCode: EXIT.configuration,
      };
    default:
      return null;
  }
}
