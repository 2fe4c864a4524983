import { documentKeyFault } from '../data/config/document-key.ts';
import { type ConfigFault, type PortalConfig, parseEnvironment } from '../data/config/environment.ts';
import { type Endpoint, type ListenFault, listenFault } from '../data/config/listen-fault.ts';
import { dataDirFault, faultsText } from '../data/config/read-config.ts';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { tryListening } from './try-listening.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration as it would be without the faulty variables, so that the rest can be checked in the same run. */
function withoutFaulty(env: Environment, faults: readonly ConfigFault[]): PortalConfig | null {
  const faulty = new Set(faults.map((fault) => fault.variable));
  const outcome = parseEnvironment(
    Object.fromEntries(Object.entries(env).filter(([name]) => !faulty.has(name))),
  );
  return outcome.ok ? outcome.config : null;
}

const LEDGER_HOST = '127.0.0.1';

function endpoints(config: PortalConfig): Endpoint[] {
  const site: Endpoint = { variable: 'PORT', host: config.host, port: config.port };
  if (config.solana.kind !== 'embedded') return [site];
  const { ledgerPort } = config.solana;
  const ports = ledgerPort === 0 ? [0] : [ledgerPort, ledgerPort + 1];
  return [site, ...ports.map((port): Endpoint => ({ variable: 'LEDGER_PORT', host: LEDGER_HOST, port }))];
}

async function endpointFaults(config: PortalConfig): Promise<ListenFault[]> {
  const faults: ListenFault[] = [];
  const wanted = new Set<number>();
  for (const endpoint of endpoints(config)) {
    if (endpoint.port !== 0 && wanted.has(endpoint.port)) {
      const fault = `needs ${endpoint.port}, which PORT takes. The ledger uses LEDGER_PORT and the port after it.`;
      faults.push({ variable: endpoint.variable, fault, exitCode: EXIT.configuration });
      continue;
    }
    wanted.add(endpoint.port);
    const code = await tryListening(endpoint.port, endpoint.host);
    if (code === null) continue;
    const known = listenFault(code, endpoint);
    const unknown = {
      variable: endpoint.variable,
      fault: `cannot be listened on: ${code}.`,
      exitCode: EXIT.tryAgain,
    };
    faults.push(known ?? unknown);
  }
  return faults;
}

/**
 * Checks everything that can be known before anything starts, reports all faults at once, and writes nothing.
 * @throws {StartError} code 78 where a setting is wrong, 75 where only a port is taken.
 */
export async function preflight(env: Environment): Promise<PortalConfig> {
  const outcome = parseEnvironment(env);
  const config = outcome.ok ? outcome.config : withoutFaulty(env, outcome.faults);
  const faults: ConfigFault[] = outcome.ok ? [] : [...outcome.faults];
  const folderFault = config ? await dataDirFault(config.dataDir) : null;
  if (folderFault) faults.push(folderFault);
  const isKeyInFile =
    config?.documentKey === null && !faults.some(({ variable }) => variable === 'DOCUMENT_KEY');
  const keyFault = isKeyInFile ? await documentKeyFault(config.dataDir) : null;
  if (keyFault) faults.push(keyFault);
  const unheard = config ? await endpointFaults(config) : [];
  if (config && faults.length === 0 && unheard.length === 0) return config;
  const wrong = faults.length > 0 || unheard.some((fault) => fault.exitCode === EXIT.configuration);
  const code = wrong ? EXIT.configuration : EXIT.tryAgain;
  throw new StartError(faultsText([...faults, ...unheard]), code);
}
