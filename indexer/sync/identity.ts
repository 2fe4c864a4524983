import type { PortalConfig } from '../../data/config/environment.ts';
import { problemsText } from '../../data/config/read-config.ts';
import type { ConfigProblem } from '../../data/config/variable-types.ts';
import { STAKE_POOL } from '../../data/model/stake-layout.ts';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import type { IndexIdentity } from '../../data/store/chain-rows.ts';
import { decodeMint, decodeTokenAccount, isAddress, stakeVaultAddress } from '../chain/accounts.ts';
import { backoffDelayMs, pause } from '../pause.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { EndpointProbeResult } from '../rpc/endpoint-requests.ts';
import type { RpcReply } from '../rpc/json-rpc.ts';
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  RetryableRpcError,
  RpcRequestError,
} from '../rpc/rpc-errors.ts';
import { type AccountInfo, multipleAccountsCall } from '../rpc/solana-calls.ts';

type Addresses = PortalConfig['addresses'];

/**
 * How many checks in a row must fail before accounts are rejected. All checks but the first ask every endpoint, because a node
 * may be behind.
 */
const CHECKS_TO_REJECT = 6;
const BETWEEN_CHECKS_MS = 150;

interface ResolveOptions {
  /** Awaited after each failed attempt that will be retried. If it throws, the retries end. */
  readonly onUnreachable?: () => Promise<void>;
  /** Called with problems that do not prevent the start, because other endpoints work or may still answer. */
  readonly onUnusable?: (problems: readonly ConfigProblem[]) => void;
  /**
   * Whether the index already belongs to the configured accounts. If so, a missing vault is accepted, because it may have
   * been closed.
   */
  readonly isClaimed?: () => Promise<boolean>;
}

/**
 * Finds the configured chain, mint, vault and pool, and checks that they belong together. The chain is the one that most
 * endpoints serve, unless the accounts exist only on another chain. Endpoints that do not work are not used. While the
 * accounts are not found and an endpoint may still answer, the checks are repeated with growing pauses.
 *
 * @throws {StartError} code 78, with all problems at once: an invalid address, an account that is missing or of the wrong
 * kind, a vault or pool of a different mint, or endpoints that cannot be used
 */
export async function resolveIdentity(
  pool: EndpointPool,
  addresses: Addresses,
  signal: AbortSignal,
  {
    onUnreachable = async () => {},
    onUnusable = () => {},
    isClaimed = async () => false,
  }: ResolveOptions = {},
): Promise<IndexIdentity> {
  const malformed = malformedAddressProblems(addresses);
  for (let attempt = 1; ; attempt += 1) {
    const probes = await pool.probe(signal);
    signal.throwIfAborted();
    const unusable = endpointProblems(probes);
    const genesisHashes = genesisHashesOf(probes);
    let mayAnswer = probes.some(({ kind }) => kind === 'unreachable');
    let missing: readonly ConfigProblem[] = [];
    // A single check of each chain quickly finds the right one. A node may be behind, so accounts are rejected only after
    // repeated checks.
    for (const checkCount of [1, CHECKS_TO_REJECT]) {
      for (const genesisHash of genesisHashes) {
        pool.pinChain(genesisHash);
        const check = await checkChain(pool, addresses, checkCount, signal);
        const { problems, poolVaultAndDecimals, isVaultMissing, anyExists, hasUnreadAccounts } = check;
        const isUsable = !isVaultMissing || (checkCount > 1 && (await isClaimed()));
        if (poolVaultAndDecimals && isUsable && malformed.length === 0) {
          if (unusable.length > 0) onUnusable(unusable);
          return { genesisHash, ...addresses, ...poolVaultAndDecimals };
        }
        if (checkCount === 1) continue;
        if (anyExists && problems.length > 0)
          throw configurationError([...malformed, ...unusable, ...problems]);
        mayAnswer ||= hasUnreadAccounts;
        if (missing.length === 0) missing = problems;
      }
    }
    const problems = [...malformed, ...unusable, ...missing];
    if (malformed.length > 0 || !mayAnswer) throw configurationError(problems);
    if (problems.length > 0) onUnusable(problems);
    await onUnreachable();
    await pause(backoffDelayMs(attempt, Math.random), signal);
  }
}

/** The genesis hashes of the endpoints' chains. The most common one comes first. Ties keep the configured order. */
function genesisHashesOf(probes: readonly EndpointProbeResult[]): readonly string[] {
  const votes = new Map<string, number>();
  for (const probe of probes) {
    if (probe.kind === 'solana') votes.set(probe.genesisHash, (votes.get(probe.genesisHash) ?? 0) + 1);
  }
  return [...votes.keys()].toSorted((one, other) => (votes.get(other) ?? 0) - (votes.get(one) ?? 0));
}

async function checkChain(
  pool: EndpointPool,
  addresses: Addresses,
  checkCount: number,
  signal: AbortSignal,
): Promise<AccountCheck> {
  let check = await checkAccounts(addresses, (accounts) => readAccounts(pool, accounts, signal));
  for (let done = 1; check.problems.length > 0 && done < checkCount; done += 1) {
    await pause(BETWEEN_CHECKS_MS, signal);
    check = await checkAccounts(addresses, (accounts) => readAnywhere(pool, accounts, signal));
  }
  return check;
}

async function checkAccounts(
  addresses: Addresses,
  read: (addresses: readonly string[]) => Promise<Reading>,
): Promise<AccountCheck> {
  const valid = Object.values(addresses).filter(isAddress);
  const { accounts, refusal } = valid.length === 0 ? NO_READING : await read(valid);
  const readingOf = (address: string): AccountReading =>
    isAddress(address) ? accounts[valid.indexOf(address)] : undefined;
  const readings = {
    mint: readingOf(addresses.mint),
    vault: readingOf(addresses.vault),
    stakePool: readingOf(addresses.stakePool),
  };
  const { problems, poolVault, decimals } = checkReadings(readings, addresses);
  const poolVaultReading = poolVault === null ? undefined : (await read([poolVault])).accounts[0];
  const isPoolVaultRead = poolVaultReading !== undefined;
  if (
    isPoolVaultRead &&
    (poolVaultReading && decodeTokenAccount(poolVaultReading))?.mint !== addresses.mint
  ) {
    problems.push({
      variable: 'BD_STAKE_POOL',
      message: `points to a pool with a vault (${poolVault}) that does not hold tokens of BD_MINT. Set it to the pool of BD_MINT.`,
    });
  }
  if (refusal) problems.push(refusal);
  const isVaultMissing = readings.vault === null;
  const isComplete =
    problems.length === (isVaultMissing ? 1 : 0) &&
    poolVault !== null &&
    decimals !== null &&
    isPoolVaultRead;
  return {
    problems,
    poolVaultAndDecimals: isComplete ? { poolVault, decimals } : null,
    isVaultMissing,
    anyExists: Object.values(readings).some(Boolean),
    hasUnreadAccounts: !refusal && (accounts.length === 0 || (poolVault !== null && !isPoolVaultRead)),
  };
}

/** Null if the account does not exist, undefined if it could not be read. */
type AccountReading = AccountInfo | null | undefined;
type AccountReadings = Readonly<Record<keyof Addresses, AccountReading>>;

interface Reading {
  /** Empty if no endpoint returned accounts. */
  readonly accounts: readonly AccountReading[];
  /** Set if every endpoint refuses to return accounts. */
  readonly refusal: ConfigProblem | null;
}
const NO_READING: Reading = { accounts: [], refusal: null };

function configurationError(problems: readonly ConfigProblem[]): StartError {
  return new StartError(problemsText(problems), EXIT.configuration);
}

function malformedAddressProblems({ mint, vault, stakePool }: Addresses): readonly ConfigProblem[] {
  const named = { BD_MINT: mint, BD_VAULT: vault, BD_STAKE_POOL: stakePool };
  return Object.entries(named)
    .filter(([, address]) => !isAddress(address))
    .map(([variable]) => ({
      variable,
      message: 'is not a Solana address: it must be 32 bytes encoded in base58. Copy it again.',
    }));
}

/** Reads accounts from one endpoint. If that endpoint rejects the call, tries all endpoints. */
async function readAccounts(
  pool: EndpointPool,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Reading> {
  try {
    const [reply] = await pool.batch([multipleAccountsCall(addresses)], signal);
    if (reply.ok) return { accounts: reply.value.value, refusal: null };
    return reply.error instanceof RpcRequestError ? await readAnywhere(pool, addresses, signal) : NO_READING;
  } catch (error) {
    // Thrown if every endpoint is distrusted.
    if (error instanceof RetryableRpcError) return NO_READING;
    throw error;
  }
}

async function readAnywhere(
  pool: EndpointPool,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Reading> {
  const answers = await pool.requestFromEach([multipleAccountsCall(addresses)], signal);
  const replies = answers.map(({ replies: [reply] }) => reply);
  const lists = replies.flatMap((reply) => (reply?.ok ? [reply.value.value] : []));
  if (lists.length === 0) return { accounts: [], refusal: refusalIn(replies) };
  const accounts = addresses.map((_, index) => lists.map((one) => one[index]).find(Boolean) ?? null);
  return { accounts, refusal: null };
}

/** The problem to report if every endpoint refuses permanently. */
function refusalIn(replies: readonly RpcReply<unknown>[]): ConfigProblem | null {
  const refusals = replies.flatMap((reply) =>
    !reply.ok && reply.error instanceof RpcRequestError && isPermanent(reply.error) ? [reply.error] : [],
  );
  const [first] = refusals;
  if (!first || refusals.length < replies.length) return null;
  const message = `lists endpoints that refuse to return accounts (${first.message}). Use endpoints that return them.`;
  return { variable: 'SOLANA_RPC_URLS', message };
}

/** Whether a node will never answer the call. JSON-RPC defines the codes below. Other codes may depend on the node's state. */
function isPermanent({ code }: RpcRequestError): boolean {
  return code === INVALID_REQUEST || code === METHOD_NOT_FOUND || code === INVALID_PARAMS;
}

function endpointProblems(probes: readonly EndpointProbeResult[]): readonly ConfigProblem[] {
  const problems = probes.flatMap((probe): ConfigProblem[] => {
    const { name, urlVariable, keyVariable } = probe;
    // Only Helius has a variable for its key. The key of any other endpoint is part of its URL.
    const hasKeyVariable = keyVariable === 'HELIUS_API_KEY';
    if (probe.kind === 'not-solana') {
      const message = `points to ${name}, which does not respond like a Solana endpoint (${probe.reason}). Correct or remove it.`;
      return [{ variable: urlVariable, message }];
    }
    if (probe.kind === 'refused') {
      const message = hasKeyVariable
        ? `contains a key that ${name} rejects (${probe.reason}). Copy it again from the Helius dashboard, or remove it.`
        : `has a URL with a key that ${name} rejects (${probe.reason}). Correct the key, or remove the URL.`;
      return [{ variable: keyVariable, message }];
    }
    return [];
  });
  const namesByGenesisHash = new Map<string, string[]>();
  const variables = new Set<string>();
  for (const probe of probes) {
    if (probe.kind !== 'solana') continue;
    namesByGenesisHash.set(probe.genesisHash, [
      ...(namesByGenesisHash.get(probe.genesisHash) ?? []),
      probe.name,
    ]);
    variables.add(probe.urlVariable);
  }
  if (namesByGenesisHash.size > 1) {
    const groups = [...namesByGenesisHash]
      .map(([hash, names]) => `${names.join(', ')} (genesis ${hash})`)
      .join('; ');
    problems.push({
      variable: [...variables].join(' with '),
      message: `points to endpoints on different chains: ${groups}. Keep only the endpoints of one chain.`,
    });
  }
  return problems;
}

interface AccountCheck {
  readonly problems: readonly ConfigProblem[];
  /** Set if all accounts were read and belong together. The vault may be missing. */
  readonly poolVaultAndDecimals: Pick<IndexIdentity, 'poolVault' | 'decimals'> | null;
  readonly isVaultMissing: boolean;
  /** Whether at least one of the configured accounts exists. If so, this is the right chain. */
  readonly anyExists: boolean;
  /** Whether some accounts were not read. A later attempt may read them. */
  readonly hasUnreadAccounts: boolean;
}

interface ReadingCheck {
  readonly problems: ConfigProblem[];
  readonly poolVault: string | null;
  readonly decimals: number | null;
}

const NO_ACCOUNT_PROBLEM =
  'points to an account that does not exist on this chain. Check the address and SOLANA_RPC_URLS.';

function checkReadings(
  { mint: mintAccount, vault: vaultAccount, stakePool: poolAccount }: AccountReadings,
  { mint, vault, stakePool }: Addresses,
): ReadingCheck {
  const problems: ConfigProblem[] = [];
  const report = (variable: string, message: string) => void problems.push({ variable, message });
  const isOfAnotherMint = (named: string) => isAddress(mint) && named !== mint;

  const mintState = mintAccount && decodeMint(mintAccount);
  if (mintAccount === null) report('BD_MINT', NO_ACCOUNT_PROBLEM);
  else if (mintAccount && !mintState)
    report('BD_MINT', 'points to an account that is not a token mint. Set it to the mint of BD.');

  const vaultState = vaultAccount && decodeTokenAccount(vaultAccount);
  if (vaultAccount === null) report('BD_VAULT', NO_ACCOUNT_PROBLEM);
  else if (vaultAccount && !vaultState) {
    const remedy = "Set it to the vault's token account, not to the account's owner.";
    report('BD_VAULT', `points to an account that is not a token account. ${remedy}`);
  } else if (vaultState && isOfAnotherMint(vaultState.mint)) {
    const remedy = "Set it to the vault's token account for BD_MINT.";
    report('BD_VAULT', `points to a token account for a different mint (${vaultState.mint}). ${remedy}`);
  }

  const decodedPool = poolAccount?.owner === STAKING_PROGRAM ? STAKE_POOL.decode(poolAccount.data) : null;
  const poolState = decodedPool?.vault === stakeVaultAddress(stakePool) ? decodedPool : null;
  if (poolAccount === null) report('BD_STAKE_POOL', NO_ACCOUNT_PROBLEM);
  else if (poolAccount && !poolState) {
    const remedy = 'Set it to the pool, not to its vault or its program.';
    report('BD_STAKE_POOL', `points to an account that is not a Streamflow stake pool. ${remedy}`);
  } else if (poolState && isOfAnotherMint(poolState.mint)) {
    const remedy = 'Set it to the pool of BD_MINT.';
    report('BD_STAKE_POOL', `points to a pool for a different mint (${poolState.mint}). ${remedy}`);
  } else if (poolState?.vault === vault)
    report('BD_VAULT', "points to the stake pool's own vault. Set it to the project's vault.");

  return {
    problems,
    poolVault: poolState?.mint === mint ? poolState.vault : null,
    decimals: mintState?.decimals ?? null,
  };
}
