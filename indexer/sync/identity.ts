import type { PortalConfig } from '../../data/config/environment.ts';
import { problemsText } from '../../data/config/read-config.ts';
import type { ConfigProblem } from '../../data/config/variable-types.ts';
import { STAKE_POOL } from '../../data/model/stake-layout.ts';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import type { IndexIdentity } from '../../data/store/chain-rows.ts';
import { decodeMint, decodeTokenAccount, isAddress, stakeVaultAddress } from '../chain/accounts.ts';
import { backoffDelay, pause } from '../pause.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { EndpointProbe } from '../rpc/endpoint-requests.ts';
import type { RpcCalls, RpcReply } from '../rpc/json-rpc.ts';
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  RetryableRpcError,
  RpcRequestError,
} from '../rpc/rpc-errors.ts';
import { type AccountInfo, type AtSlot, getMultipleAccounts } from '../rpc/solana-calls.ts';

type Addresses = PortalConfig['addresses'];

/**
 * Failed checks in a row before accounts are rejected, since a node may be behind. After the first, each check asks
 * every endpoint.
 */
const CHECKS_TO_REJECT = 6;
const BETWEEN_CHECKS_MS = 150;

/**
 * Finds the configured chain, mint, vault and pool, and checks that they belong together. Retries with growing pauses
 * while no endpoint is reachable.
 *
 * @param onUnreachable awaited after each attempt without an answer; its error ends the retries
 * @throws {StartError} code 78, with all problems at once: an invalid address, an account that is missing or of the wrong
 * kind, a vault or pool of a different mint, an endpoint that is not Solana or refuses its key, endpoints on different chains
 */
export async function resolveIdentity(
  pool: EndpointPool,
  addresses: Addresses,
  signal: AbortSignal,
  onUnreachable: () => Promise<void> = async () => {},
): Promise<IndexIdentity> {
  const malformed = malformedAddresses(addresses);
  const { genesisHash, problems } = await chainOf(pool, malformed, signal, onUnreachable);
  pool.pinChain(genesisHash);
  const { mint, stakePool, vault } = addresses;
  // If there are problems already, only what can be checked at once is added. Only a valid configuration waits.
  const read = (accounts: readonly string[]) =>
    problems.length > 0
      ? readAccountsOnce(pool, accounts, signal)
      : readAccounts(pool, accounts, signal, onUnreachable);
  let found = await checkAccounts(addresses, read);
  for (let checks = 1; found.problems.length > 0 && checks < CHECKS_TO_REJECT; checks += 1) {
    await pause(BETWEEN_CHECKS_MS, signal);
    found = await checkAccounts(addresses, (accounts) => readAnywhere(pool, accounts, signal));
  }
  const { poolVault } = found;
  const all = [...problems, ...found.problems];
  if (all.length > 0 || poolVault === null || found.decimals === null) throw configurationError(all);
  return { genesisHash, mint, vault, stakePool, poolVault, decimals: found.decimals };
}

async function checkAccounts(
  addresses: Addresses,
  read: (addresses: readonly string[]) => Promise<readonly AccountReading[]>,
): Promise<AccountCheck> {
  const found = checkReadings(await readNamed(addresses, read), addresses);
  const { poolVault } = found;
  if (poolVault === null) return found;
  const [account] = await read([poolVault]);
  const tokens = account && decodeTokenAccount(account);
  if (account !== undefined && tokens?.mint !== addresses.mint) {
    found.problems.push({
      variable: 'BD_STAKE_POOL',
      message: `names a pool with a vault (${poolVault}) that does not hold tokens of BD_MINT. Set it to the pool of BD_MINT.`,
    });
  }
  return found;
}

/** Null if there is no such account, undefined if it could not be read. */
type AccountReading = AccountInfo | null | undefined;
type AccountReadings = Readonly<Record<keyof Addresses, AccountReading>>;

/** Reads the accounts of the valid addresses. */
async function readNamed(
  addresses: Addresses,
  read: (addresses: readonly string[]) => Promise<readonly AccountReading[]>,
): Promise<AccountReadings> {
  const valid = Object.values(addresses).filter(isAddress);
  const accounts = valid.length === 0 ? [] : await read(valid);
  const of = (address: string): AccountReading =>
    isAddress(address) ? accounts[valid.indexOf(address)] : undefined;
  return { mint: of(addresses.mint), vault: of(addresses.vault), stakePool: of(addresses.stakePool) };
}

function configurationError(problems: readonly ConfigProblem[]): StartError {
  return new StartError(problemsText(problems), EXIT.configuration);
}

function malformedAddresses({ mint, vault, stakePool }: Addresses): readonly ConfigProblem[] {
  const named = { BD_MINT: mint, BD_VAULT: vault, BD_STAKE_POOL: stakePool };
  return Object.entries(named)
    .filter(([, address]) => !isAddress(address))
    .map(([variable]) => ({
      variable,
      message: 'is not a Solana address: it must be the base58 text of 32 bytes. Copy it again.',
    }));
}

/** Determines the endpoints' chain, and the problems of addresses and endpoints. */
async function chainOf(
  pool: EndpointPool,
  malformed: readonly ConfigProblem[],
  signal: AbortSignal,
  onUnreachable: () => Promise<void>,
): Promise<{ readonly genesisHash: string; readonly problems: readonly ConfigProblem[] }> {
  for (let attempt = 1; ; attempt += 1) {
    const probes = await pool.probe(signal);
    signal.throwIfAborted();
    const problems = [...malformed, ...endpointProblems(probes)];
    const chains = new Set(probes.flatMap((probe) => (probe.kind === 'solana' ? [probe.genesisHash] : [])));
    const [genesisHash] = chains;
    if (genesisHash !== undefined && chains.size === 1) return { genesisHash, problems };
    if (problems.length > 0) throw configurationError(problems);
    await onUnreachable();
    await pause(backoffDelay(attempt, Math.random), signal);
  }
}

/** The accounts, or the reason that they cannot be read now, such as no active endpoint. */
async function requestAccounts(
  pool: EndpointPool,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<RpcReply<AtSlot<readonly (AccountInfo | null)[]>>> {
  try {
    const [reply] = await pool.batch([getMultipleAccounts(addresses)], signal);
    return reply;
  } catch (error) {
    if (error instanceof RetryableRpcError) return { ok: false, error };
    throw error;
  }
}

/** The accounts; empty if they cannot be read at once. */
async function readAccountsOnce(
  pool: EndpointPool,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<readonly (AccountInfo | null)[]> {
  const reply = await requestAccounts(pool, addresses, signal);
  return reply.ok ? reply.value.value : [];
}

/** Reads each account from any endpoint. Null if every endpoint that answers lacks it, undefined if none answers. */
async function readAnywhere(
  pool: EndpointPool,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<readonly AccountReading[]> {
  const calls: RpcCalls<[AtSlot<readonly (AccountInfo | null)[]>]> = [getMultipleAccounts(addresses)];
  const answers = await pool.requestFromEach<[AtSlot<readonly (AccountInfo | null)[]>]>(calls, signal);
  const lists = answers.flatMap(({ replies: [reply] }) => (reply.ok ? [reply.value.value] : []));
  return addresses.map((_, place) =>
    lists.length === 0 ? undefined : (lists.map((accounts) => accounts[place]).find(Boolean) ?? null),
  );
}

async function readAccounts(
  pool: EndpointPool,
  addresses: readonly string[],
  signal: AbortSignal,
  onUnreachable: () => Promise<void>,
): Promise<readonly (AccountInfo | null)[]> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await requestAccounts(pool, addresses, signal);
    if (reply.ok) return reply.value.value;
    if (reply.error instanceof RpcRequestError && isPermanent(reply.error)) throw refusedError(reply.error);
    await onUnreachable();
    await pause(backoffDelay(attempt, Math.random), signal);
  }
}

/** Whether a node will never answer the call. These are JSON-RPC's own codes, not the ones for a node's state. */
function isPermanent({ code }: RpcRequestError): boolean {
  return code === INVALID_REQUEST || code === METHOD_NOT_FOUND || code === INVALID_PARAMS;
}

function refusedError({ message: reason }: RpcRequestError): StartError {
  const message = `names endpoints that refuse to return accounts (${reason}). Name endpoints that return them.`;
  return configurationError([{ variable: 'SOLANA_RPC_URLS', message }]);
}

function endpointProblems(probes: readonly EndpointProbe[]): readonly ConfigProblem[] {
  const problems = probes.flatMap((probe): ConfigProblem[] => {
    const { name, urlVariable, keyVariable } = probe;
    // A key without its own variable is in the URL.
    const hasKeyVariable = keyVariable === 'HELIUS_API_KEY';
    if (probe.kind === 'not-solana') {
      const message = `leads to ${name}, which does not answer as a Solana endpoint (${probe.reason}). Correct or remove it.`;
      return [{ variable: urlVariable, message }];
    }
    if (probe.kind === 'refused') {
      const message = hasKeyVariable
        ? `holds a key that ${name} refuses (${probe.reason}). Copy it again from the Helius dashboard, or remove it.`
        : `names ${name}, which refuses the key in its URL (${probe.reason}). Correct the key or remove it.`;
      return [{ variable: keyVariable, message }];
    }
    return [];
  });
  const chains = new Map<string, string[]>();
  const variables = new Set<string>();
  for (const probe of probes) {
    if (probe.kind !== 'solana') continue;
    chains.set(probe.genesisHash, [...(chains.get(probe.genesisHash) ?? []), probe.name]);
    variables.add(probe.urlVariable);
  }
  if (chains.size > 1) {
    const groups = [...chains].map(([hash, names]) => `${names.join(', ')} (genesis ${hash})`).join('; ');
    problems.push({
      variable: [...variables].join(' with '),
      message: `leads to endpoints of different chains: ${groups}. Keep those of one chain.`,
    });
  }
  return problems;
}

interface AccountCheck {
  readonly problems: ConfigProblem[];
  readonly poolVault: string | null;
  readonly decimals: number | null;
}

const NO_ACCOUNT =
  'names an account that does not exist on this chain. Check the address and SOLANA_RPC_URLS.';

/** Checks the accounts that could be read. */
function checkReadings(
  { mint: mintAccount, vault: vaultAccount, stakePool: poolAccount }: AccountReadings,
  { mint, vault, stakePool }: Addresses,
): AccountCheck {
  const problems: ConfigProblem[] = [];
  const isOfAnotherMint = (named: string) => isAddress(mint) && named !== mint;

  const mintState = mintAccount && decodeMint(mintAccount);
  if (mintAccount === null) problems.push({ variable: 'BD_MINT', message: NO_ACCOUNT });
  else if (mintAccount && !mintState) {
    problems.push({
      variable: 'BD_MINT',
      message: 'names an account that is not a token mint. Set it to the mint of BD.',
    });
  }

  const vaultState = vaultAccount && decodeTokenAccount(vaultAccount);
  if (vaultAccount === null) problems.push({ variable: 'BD_VAULT', message: NO_ACCOUNT });
  else if (vaultAccount && !vaultState) {
    const message =
      'names an account that is not a token account. Set it to the token account that holds the vault, not to its owner.';
    problems.push({ variable: 'BD_VAULT', message });
  } else if (vaultState && isOfAnotherMint(vaultState.mint)) {
    const message = `names a token account of another mint (${vaultState.mint}). Set it to the vault's account of BD_MINT.`;
    problems.push({ variable: 'BD_VAULT', message });
  }

  const decodedPool = poolAccount?.owner === STAKING_PROGRAM ? STAKE_POOL.decode(poolAccount.data) : null;
  const poolState = decodedPool?.vault === stakeVaultAddress(stakePool) ? decodedPool : null;
  if (poolAccount === null) problems.push({ variable: 'BD_STAKE_POOL', message: NO_ACCOUNT });
  else if (poolAccount && !poolState) {
    const message =
      'names an account that is not a Streamflow stake pool. Set it to the pool, not to its vault or its program.';
    problems.push({ variable: 'BD_STAKE_POOL', message });
  } else if (poolState && isOfAnotherMint(poolState.mint)) {
    const message = `names a pool of another mint (${poolState.mint}). Set it to the pool of BD_MINT.`;
    problems.push({ variable: 'BD_STAKE_POOL', message });
  } else if (poolState?.vault === vault) {
    const message = "names the stake pool's own vault. Set it to the project's vault.";
    problems.push({ variable: 'BD_VAULT', message });
  }

  return {
    problems,
    poolVault: poolState?.mint === mint ? poolState.vault : null,
    decimals: mintState?.decimals ?? null,
  };
}
