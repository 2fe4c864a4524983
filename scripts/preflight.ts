import { type ConfigFault, type PortalConfig, parseEnvironment } from '../data/config/environment.ts';
import { dataDirFault, faultsText } from '../data/config/read-config.ts';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { isPortFree } from './free-port.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration as it would be without the faulty variables, so that the rest can be checked in the same run. */
function withoutFaulty(env: Environment, faults: readonly ConfigFault[]): PortalConfig | null {
  const faulty = new Set(faults.map((fault) => fault.variable));
  const outcome = parseEnvironment(
    Object.fromEntries(Object.entries(env).filter(([name]) => !faulty.has(name))),
  );
  return outcome.ok ? outcome.config : null;
}

async function portFaults(config: PortalConfig): Promise<ConfigFault[]> {
  const wanted = [{ variable: 'PORT', host: config.host, ports: [config.port] }];
  if (config.solana.kind === 'embedded') {
    const port = config.solana.ledgerPort;
    wanted.push({ variable: 'LEDGER_PORT', host: '127.0.0.1', ports: port === 0 ? [0] : [port, port + 1] });
  }
  const faults: ConfigFault[] = [];
  for (const { variable, host, ports } of wanted) {
    for (const port of ports) {
      if (await isPortFree(port, host)) continue;
      faults.push({
        variable,
        fault: `${port} is in use. Stop the program that listens there, or set ${variable} to another port.`,
      });
    }
  }
  return faults;
}

/**
 * Checks everything that can be known before anything starts, and reports all faults at once.
 * @throws {StartError} code 78 where a setting is wrong, 75 where only a port is taken.
 */
export async function preflight(env: Environment): Promise<PortalConfig> {
  const outcome = parseEnvironment(env);
  const config = outcome.ok ? outcome.config : withoutFaulty(env, outcome.faults);
  const faults: ConfigFault[] = outcome.ok ? [] : [...outcome.faults];
  const folderFault = config ? await dataDirFault(config.dataDir) : null;
  if (folderFault) faults.push(folderFault);
  const taken = config ? await portFaults(config) : [];
  if (config && faults.length === 0 && taken.length === 0) return config;
  const code = faults.length > 0 ? EXIT.configuration : EXIT.tryAgain;
  throw new StartError(faultsText([...faults, ...taken]), code);
}
