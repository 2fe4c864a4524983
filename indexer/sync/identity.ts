import type { ConfigFault, PortalConfig } from '../../data/config/environment.ts';
import { faultsText } from '../../data/config/read-config.ts';
import { decodeStakePool } from '../../data/model/stake-layout.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import type { IndexIdentity } from '../../data/store/chain-rows.ts';
import { isAddress, STAKE_PROGRAM, stakeVaultAddress } from '../chain/addresses.ts';
import { decodeMint, decodeTokenAccount } from '../chain/token-layout.ts';
import { pause } from '../pause.ts';
import { backoffDelay } from '../rpc/backoff.ts';
import type { EndpointPool, EndpointProbe } from '../rpc/endpoint-pool.ts';
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
 * How often in a row accounts have to be found wrong, of every endpoint but for the first time: a node may be behind, or
 * just not know them.
 */
const LOOKS_TO_JUDGE = 6;
const BETWEEN_LOOKS_MS = 150;

/**
 * Finds out which chain, mint, vault and pool the configuration names, and that they belong together. Waits,
 * with growing pauses, while no endpoint can be reached.
 *
 * @param onUnreachable called after each look that got no answer, and waited for; what it throws ends the
 * waiting
 * @throws {StartError} code 78, with every fault at once: an address that is none, an account that is missing
 * or is something else, a vault or pool of another mint, an endpoint that is no Solana or refuses its key,
 * endpoints of different chains
 */
export async function resolveIdentity(
  pool: EndpointPool,
  addresses: Addresses,
  signal: AbortSignal,
  onUnreachable: () => Promise<void> = async () => {},
): Promise<IndexIdentity> {
  const malformed = malformedAddresses(addresses);
  const { genesisHash, faults } = await chainOf(pool, malformed, signal, onUnreachable);
  pool.pinChain(genesisHash);
  const { mint, stakePool, vault } = addresses;
  // What is wrong already is told with what else can be found out now; only a sound configuration is waited for.
  const read = (asked: readonly string[]) =>
    faults.length > 0
      ? readAccountsOnce(pool, asked, signal)
      : readAccounts(pool, asked, signal, onUnreachable);
  let found = await look(addresses, read);
  for (let looks = 1; found.faults.length > 0 && looks < LOOKS_TO_JUDGE; looks += 1) {
    await pause(BETWEEN_LOOKS_MS, signal);
    found = await look(addresses, (asked) => readAnywhere(pool, asked, signal));
  }
  const { poolVault } = found;
  const all = [...faults, ...found.faults];
  if (all.length > 0 || poolVault === null || found.decimals === null) throw configurationError(all);
  return { genesisHash, mint, vault, stakePool, poolVault, decimals: found.decimals };
}

/** Reads the accounts once and judges them. */
async function look(
  addresses: Addresses,
  read: (asked: readonly string[]) => Promise<readonly Named[]>,
): Promise<Found> {
  const found = judgeAccounts(await readNamed(addresses, read), addresses);
  const { poolVault } = found;
  if (poolVault === null) return found;
  const [account] = await read([poolVault]);
  const tokens = account && decodeTokenAccount(account);
  if (account !== undefined && tokens?.mint !== addresses.mint) {
    found.faults.push({
      variable: 'BD_STAKE_POOL',
      fault: `names a pool whose vault (${poolVault}) does not hold tokens of BD_MINT. Set it to the pool of BD_MINT.`,
    });
  }
  return found;
}

/** An account as it was read: null where there is none, undefined where it could not be asked for. */
type Named = AccountInfo | null | undefined;
type NamedAccounts = Readonly<Record<keyof Addresses, Named>>;

/** Reads the accounts of those addresses that are any. */
async function readNamed(
  addresses: Addresses,
  read: (asked: readonly string[]) => Promise<readonly Named[]>,
): Promise<NamedAccounts> {
  const sound = Object.values(addresses).filter(isAddress);
  const accounts = sound.length === 0 ? [] : await read(sound);
  const of = (address: string): Named => (isAddress(address) ? accounts[sound.indexOf(address)] : undefined);
  return { mint: of(addresses.mint), vault: of(addresses.vault), stakePool: of(addresses.stakePool) };
}

function configurationError(faults: readonly ConfigFault[]): StartError {
  return new StartError(faultsText(faults), EXIT.configuration);
}

function malformedAddresses({ mint, vault, stakePool }: Addresses): readonly ConfigFault[] {
  const named = { BD_MINT: mint, BD_VAULT: vault, BD_STAKE_POOL: stakePool };
  return Object.entries(named)
    .filter(([, address]) => !isAddress(address))
    .map(([variable]) => ({
      variable,
      fault: 'is not a Solana address: its base58 does not stand for 32 bytes. Copy it again.',
    }));
}

/** Which chain the endpoints answer for, and what is wrong with the addresses and with other endpoints. */
async function chainOf(
  pool: EndpointPool,
  malformed: readonly ConfigFault[],
  signal: AbortSignal,
  onUnreachable: () => Promise<void>,
): Promise<{ readonly genesisHash: string; readonly faults: readonly ConfigFault[] }> {
  for (let attempt = 1; ; attempt += 1) {
    const probes = await pool.probe(signal);
    signal.throwIfAborted();
    const faults = [...malformed, ...endpointFaults(probes)];
    const chains = new Set(probes.flatMap((probe) => (probe.kind === 'solana' ? [probe.genesisHash] : [])));
    const [genesisHash] = chains;
    if (genesisHash !== undefined && chains.size === 1) return { genesisHash, faults };
    // Without a chain the accounts cannot be judged, but what is wrong already is worth telling at once.
    if (faults.length > 0) throw configurationError(faults);
    await onUnreachable();
    await pause(backoffDelay(attempt, Math.random), signal);
  }
}

/** The accounts, or why they cannot be read now; that every endpoint is put aside is such a reason. */
async function askForAccounts(
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

/** The accounts where they can be read at once; nothing where they cannot. */
async function readAccountsOnce(
  pool: EndpointPool,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<readonly (AccountInfo | null)[]> {
  const reply = await askForAccounts(pool, addresses, signal);
  return reply.ok ? reply.value.value : [];
}

/** The accounts as any endpoint has them: null where all that answer have none, undefined where none answers. */
async function readAnywhere(
  pool: EndpointPool,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<readonly Named[]> {
  const calls: RpcCalls<[AtSlot<readonly (AccountInfo | null)[]>]> = [getMultipleAccounts(addresses)];
  const answers = await pool.askEach<[AtSlot<readonly (AccountInfo | null)[]>]>(calls, signal);
  const told = answers.flatMap(({ replies: [reply] }) => (reply.ok ? [reply.value.value] : []));
  return addresses.map((_, place) =>
    told.length === 0 ? undefined : (told.map((accounts) => accounts[place]).find(Boolean) ?? null),
  );
}

async function readAccounts(
  pool: EndpointPool,
  addresses: readonly string[],
  signal: AbortSignal,
  onUnreachable: () => Promise<void>,
): Promise<readonly (AccountInfo | null)[]> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await askForAccounts(pool, addresses, signal);
    if (reply.ok) return reply.value.value;
    if (reply.error instanceof RpcRequestError && isForGood(reply.error)) throw refusedError(reply.error);
    await onUnreachable();
    await pause(backoffDelay(attempt, Math.random), signal);
  }
}

/** Whether a node will never answer the call: codes of JSON-RPC itself, not those that a node gives for its state. */
function isForGood({ code }: RpcRequestError): boolean {
  return code === INVALID_REQUEST || code === METHOD_NOT_FOUND || code === INVALID_PARAMS;
}

function refusedError({ message }: RpcRequestError): StartError {
  const fault = `names endpoints that refuse to tell accounts (${message}). Name endpoints that do.`;
  return configurationError([{ variable: 'SOLANA_RPC_URLS', fault }]);
}

function endpointFaults(probes: readonly EndpointProbe[]): readonly ConfigFault[] {
  const faults = probes.flatMap((probe): ConfigFault[] => {
    const { name, urlVariable, keyVariable } = probe;
    // A key with a variable of its own is named by it; else it stands in the URL.
    const isKeyApart = keyVariable === 'HELIUS_API_KEY';
    if (probe.kind === 'not-solana') {
      const fault = `leads to ${name}, which does not answer as a Solana endpoint (${probe.reason}). Correct or remove it.`;
      return [{ variable: urlVariable, fault }];
    }
    if (probe.kind === 'refused') {
      const fault = isKeyApart
        ? `holds a key that ${name} refuses (${probe.reason}). Copy it again from the Helius dashboard, or remove it.`
        : `names ${name}, which refuses the key in its URL (${probe.reason}). Correct the key or remove it.`;
      return [{ variable: keyVariable, fault }];
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
    faults.push({
      variable: [...variables].join(' with '),
      fault: `leads to endpoints of different chains: ${groups}. Keep those of one chain.`,
    });
  }
  return faults;
}

interface Found {
  readonly faults: ConfigFault[];
  readonly poolVault: string | null;
  readonly decimals: number | null;
}

const NO_ACCOUNT =
  'names an account that does not exist on this chain. Check the address and SOLANA_RPC_URLS.';

/** What is wrong with the accounts; nothing is said of those that could not be asked for. */
function judgeAccounts(
  { mint: mintAccount, vault: vaultAccount, stakePool: poolAccount }: NamedAccounts,
  { mint, vault, stakePool }: Addresses,
): Found {
  const faults: ConfigFault[] = [];
  const isOfAnotherMint = (named: string) => isAddress(mint) && named !== mint;

  const mintState = mintAccount && decodeMint(mintAccount);
  if (mintAccount === null) faults.push({ variable: 'BD_MINT', fault: NO_ACCOUNT });
  else if (mintAccount && !mintState) {
    faults.push({
      variable: 'BD_MINT',
      fault: 'names an account that is no token mint. Set it to the mint of BD.',
    });
  }

  const vaultState = vaultAccount && decodeTokenAccount(vaultAccount);
  if (vaultAccount === null) faults.push({ variable: 'BD_VAULT', fault: NO_ACCOUNT });
  else if (vaultAccount && !vaultState) {
    const fault =
      'names an account that is no token account. Set it to the token account that holds the vault, not to its owner.';
    faults.push({ variable: 'BD_VAULT', fault });
  } else if (vaultState && isOfAnotherMint(vaultState.mint)) {
    const fault = `names a token account of another mint (${vaultState.mint}). Set it to the vault's account of BD_MINT.`;
    faults.push({ variable: 'BD_VAULT', fault });
  }

  const decodedPool = poolAccount?.owner === STAKE_PROGRAM ? decodeStakePool(poolAccount.data) : null;
  const poolState = decodedPool?.vault === stakeVaultAddress(stakePool) ? decodedPool : null;
  if (poolAccount === null) faults.push({ variable: 'BD_STAKE_POOL', fault: NO_ACCOUNT });
  else if (poolAccount && !poolState) {
    const fault =
      'names an account that is no Streamflow stake pool. Set it to the pool, not to its vault or its program.';
    faults.push({ variable: 'BD_STAKE_POOL', fault });
  } else if (poolState && isOfAnotherMint(poolState.mint)) {
    const fault = `names a pool of another mint (${poolState.mint}). Set it to the pool of BD_MINT.`;
    faults.push({ variable: 'BD_STAKE_POOL', fault });
  } else if (poolState?.vault === vault) {
    const fault = "names the stake pool's own vault. Set it to the project's vault.";
    faults.push({ variable: 'BD_VAULT', fault });
  }

  return {
    faults,
    poolVault: poolState?.mint === mint ? poolState.vault : null,
    decimals: mintState?.decimals ?? null,
  };
}
