import { createServer } from 'node:net';
import { apiOriginProblem } from '../data/config/api-origin.ts';
import { type PortalConfig, parseEnvironment } from '../data/config/environment.ts';
import {
  dataDirProblem,
  type ListenAddress,
  type ListenProblem,
  listenProblem,
  problemsText,
} from '../data/config/read-config.ts';
import { documentKeyProblem } from '../data/config/storage-variables.ts';
import type { ConfigProblem } from '../data/config/variable-types.ts';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { litesvmProblem } from '../indexer/ledger/litesvm.ts';
import { omittedPackagesProblem } from './omitted-packages.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Parses the configuration without the invalid variables, so that the folder and the ports can still be checked. */
function parseWithoutInvalidVariables(
  env: Environment,
  problems: readonly ConfigProblem[],
): PortalConfig | null {
  const invalidVariables = new Set(problems.map(({ variable }) => variable));
  const outcome = parseEnvironment(
    Object.fromEntries(Object.entries(env).filter(([name]) => !invalidVariables.has(name))),
  );
  return outcome.ok ? outcome.config : null;
}

const LEDGER_HOST = '127.0.0.1';

function listenAddresses(config: PortalConfig): ListenAddress[] {
  const site: ListenAddress = { variable: 'PORT', host: config.host, port: config.port };
  const { listener } = config.metrics;
  const apiAddresses =
    listener === null ? [site] : [site, { variable: 'METRICS_PORT', ...listener } as const];
  if (config.solana.kind !== 'embedded') return apiAddresses;
  const { ledgerPort } = config.solana;
  const ports = ledgerPort === 0 ? [0] : [ledgerPort, ledgerPort + 1];
  return [
    ...apiAddresses,
    ...ports.map((port): ListenAddress => ({ variable: 'LEDGER_PORT', host: LEDGER_HOST, port })),
  ];
}

/** Tries to listen on a TCP port. Port 0 means any free port. @returns Node's error code, or null if it worked */
function tryListening(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
}

async function listenProblems(config: PortalConfig): Promise<ListenProblem[]> {
  const problems: ListenProblem[] = [];
  const ports = new Set<number>();
  for (const address of listenAddresses(config)) {
    if (address.port !== 0 && ports.has(address.port)) {
      const message = `needs ${address.port}, which another setting uses. The ledger uses LEDGER_PORT and the next port.`;
      problems.push({ variable: address.variable, message, exitCode: EXIT.configuration });
      continue;
    }
    ports.add(address.port);
    const code = await tryListening(address.port, address.host);
    if (code === null) continue;
    const { variable } = address;
    const unknown = { variable, message: `cannot be opened: ${code}.`, exitCode: EXIT.tryAgain };
    problems.push(listenProblem(code, address) ?? unknown);
  }
  return problems;
}

/**
 * Checks all settings before anything starts, and writes nothing.
 * @throws {StartError} that lists every problem. The exit code is 78 if any setting is wrong, 75 if only ports are in use
 */
export async function preflight(env: Environment): Promise<PortalConfig> {
  const outcome = parseEnvironment(env);
  const config = outcome.ok ? outcome.config : parseWithoutInvalidVariables(env, outcome.problems);
  const problems: ConfigProblem[] = outcome.ok ? [] : [...outcome.problems];
  const ledgerProblem = config?.solana.kind === 'embedded' ? litesvmProblem() : null;
  if (ledgerProblem) problems.push(ledgerProblem);
  const packagesProblem = omittedPackagesProblem();
  if (packagesProblem) problems.push(packagesProblem);
  const originProblem = config ? await apiOriginProblem(config) : null;
  if (originProblem) problems.push(originProblem);
  const folderProblem = config ? await dataDirProblem(config.dataDir) : null;
  if (folderProblem) problems.push(folderProblem);
  const isKeyInFile =
    config?.documentKey === null && !problems.some(({ variable }) => variable === 'DOCUMENT_KEY');
  const keyProblem = isKeyInFile ? await documentKeyProblem(config.dataDir) : null;
  if (keyProblem) problems.push(keyProblem);
  const portProblems = config ? await listenProblems(config) : [];
  if (config && problems.length === 0 && portProblems.length === 0) return config;
  const hasWrongSetting =
    problems.length > 0 || portProblems.some(({ exitCode }) => exitCode === EXIT.configuration);
  const code = hasWrongSetting ? EXIT.configuration : EXIT.tryAgain;
  throw new StartError(problemsText([...problems, ...portProblems]), code);
}
