import { isDeepStrictEqual } from 'node:util';
import { generateTag } from '../../../data/model/top-ups.ts';
import type { Logger } from '../../../data/runtime/log.ts';
import type { TopUpStore, UsdtFeed } from '../../../data/store/top-up-port.ts';
import { EndpointError, type EthEndpoint, type TransferRange } from './eth-endpoint.ts';

/**
 * A block counts as final only once this many blocks follow it, even if an endpoint reports it as final earlier. Usually
 * more than 60 blocks follow a block before Ethereum reports it as final.
 */
const CONFIRMATIONS = 32;
/** Maximum number of final blocks stored in one step. A longer backlog is stored in several steps. */
const BLOCKS_AT_ONCE = 10_000;
/** How often, in ms, the balance is compared with the transfers. */
const COMPARE_INTERVAL_MS = 86_400_000;
/** How often, in ms, the balance is compared while it differs from the transfers. */
const RECOMPARE_INTERVAL_MS = 900_000;

/** The endpoints do not agree, or too few of them answer. Nothing is stored. */
class NoAgreementError extends Error {
  override readonly name = 'NoAgreementError';
}

interface FollowOptions {
  /** The id of the feed: chain, token and address. */
  readonly feed: string;
  readonly endpoints: readonly EthEndpoint[];
  readonly topUps: TopUpStore;
  readonly log: Logger;
  readonly now: () => number;
  readonly confirmations?: number;
}

/** The code of a failed connection, such as `ECONNREFUSED`, or the name of another error. */
function failureCode(error: unknown): string {
  if (!(error instanceof Error)) return 'Error';
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
}

/**
 * Follows the transfers from and to the funding address. With several endpoints, a block and its transfers count as final
 * only if two endpoints report the same data.
 */
export class TransferFollower {
  readonly #options: FollowOptions;
  #failedLastRound: ReadonlySet<EthEndpoint> = new Set();
  #failedThisRound = new Set<EthEndpoint>();

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  get #requiredAnswers(): number {
    return Math.min(2, this.#options.endpoints.length);
  }

  /** @throws {NoAgreementError} */
  async follow(signal: AbortSignal): Promise<void> {
    this.#failedLastRound = this.#failedThisRound;
    this.#failedThisRound = new Set();
    const { topUps } = this.#options;
    await topUps.assignTags(() => generateTag(Math.random));
    const heads = await this.#heads(signal);
    const lastFinalBlock =
      heads.toSorted((one, other) => other.final - one.final)[this.#requiredAnswers - 1]?.final ?? 0;
    let feed = (await topUps.feed(this.#options.feed)) ?? (await this.#begin(lastFinalBlock, signal));
    do {
      const next = await this.#storeNextBlocks(feed, lastFinalBlock, heads, signal);
      if (next === null) return;
      feed = next;
    } while (feed.block < lastFinalBlock);
    await this.#compare(feed, signal);
  }

  /** Asks each of the endpoints. If one fails in consecutive rounds, only the first failure is logged. */
  async #ask<Answer>(
    endpoints: readonly EthEndpoint[],
    ask: (endpoint: EthEndpoint) => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<readonly { readonly endpoint: EthEndpoint; readonly answer: Answer }[]> {
    const answers = await Promise.all(
      endpoints.map(async (endpoint) => {
        try {
          return [{ endpoint, answer: await ask(endpoint) }];
        } catch (error) {
          if (!signal.aborted) this.#fail(endpoint, error);
          return [];
        }
      }),
    );
    signal.throwIfAborted();
    return answers.flat();
  }

  #fail(endpoint: EthEndpoint, error: unknown): void {
    // The message of a failed request contains the URL, which may contain a key.
    const isOwnError = error instanceof NoAgreementError || error instanceof EndpointError;
    const why = isOwnError ? error.message : failureCode(error);
    if (!this.#failedLastRound.has(endpoint) && !this.#failedThisRound.has(endpoint))
      this.#options.log.warn({ endpoint: endpoint.name, why }, 'an Ethereum endpoint failed');
    this.#failedThisRound.add(endpoint);
  }

  async #heads(signal: AbortSignal) {
    const { endpoints, confirmations = CONFIRMATIONS } = this.#options;
    const answers = await this.#ask(endpoints, (endpoint) => endpoint.readHeads(signal), signal);
    if (answers.length < this.#requiredAnswers)
      throw new NoAgreementError('Too few Ethereum endpoints respond.');
    return answers.map(({ endpoint, answer: { final, newest } }) => ({
      endpoint,
      newest,
      final: Math.max(0, Math.min(final, newest - confirmations)),
    }));
  }

  async #askUntilAgreed<Answer>(
    endpoints: readonly EthEndpoint[],
    what: string,
    ask: (endpoint: EthEndpoint) => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> {
    const answers: { readonly endpoint: EthEndpoint; readonly answer: Answer }[] = [];
    for (const endpoint of endpoints) {
      const [endpointAnswer] = await this.#ask([endpoint], ask, signal);
      if (!endpointAnswer) continue;
      answers.push(endpointAnswer);
      const agreeing = answers.filter(({ answer }) => isDeepStrictEqual(answer, endpointAnswer.answer));
      if (agreeing.length >= this.#requiredAnswers) {
        if (agreeing.length < answers.length) {
          const names = answers.filter((one) => !agreeing.includes(one)).map((one) => one.endpoint.name);
          this.#options.log.error({ endpoints: names, what }, 'an Ethereum endpoint contradicts the others');
        }
        return endpointAnswer.answer;
      }
    }
    const why =
      answers.length < this.#requiredAnswers
        ? 'Too few Ethereum endpoints returned'
        : 'The Ethereum endpoints disagree about';
    throw new NoAgreementError(`${why} ${what}.`);
  }

  /** Starts a feed at the last final block. Earlier transfers are not followed. */
  async #begin(block: number, signal: AbortSignal): Promise<UsdtFeed> {
    const { feed: id, endpoints, topUps, now } = this.#options;
    const { blockHash, expected } = await this.#askUntilAgreed(
      endpoints,
      `block ${block}`,
      async (endpoint) => ({
        blockHash: await endpoint.hashOf(block, signal),
        expected: await endpoint.balanceAt(block, signal),
      }),
      signal,
    );
    const at = now();
    const newFeed = {
      id,
      block,
      blockHash,
      readAt: at,
      expected,
      matchedBlock: block,
      comparedAt: at,
      difference: 0n,
    };
    await topUps.begin(newFeed);
    return (await topUps.feed(id)) ?? newFeed;
  }

  /** @returns the feed after these blocks were stored; null if another process has advanced the feed */
  async #storeNextBlocks(
    feed: UsdtFeed,
    lastFinalBlock: number,
    heads: readonly { readonly endpoint: EthEndpoint; readonly final: number; readonly newest: number }[],
    signal: AbortSignal,
  ): Promise<UsdtFeed | null> {
    const { topUps, now } = this.#options;
    // The endpoints that answered may be behind those of an earlier round. Then `lastFinalBlock` is below `feed.block`.
    const block = Math.max(feed.block, Math.min(lastFinalBlock, feed.block + BLOCKS_AT_ONCE));
    const capableEndpoints = heads.filter(({ final }) => final >= block).map(({ endpoint }) => endpoint);
    const { hash, transfers: final } =
      block > feed.block
        ? await this.#askUntilAgreed(
            capableEndpoints,
            `the blocks up to ${block}`,
            (endpoint) => this.#readContinuation(endpoint, feed, block, signal),
            signal,
          )
        : { hash: feed.blockHash, transfers: [] };
    const confirming = block < lastFinalBlock ? [] : await this.#readUnconfirmed(block, heads, signal);
    const batch = {
      feed: feed.id,
      previousBlock: feed.block,
      block,
      blockHash: hash,
      at: now(),
      final,
      confirming,
    };
    return (await topUps.commit(batch)) ? topUps.feed(feed.id) : null;
  }

  /** Reads the final blocks after the feed's last block. Throws if that block is different at the endpoint. */
  async #readContinuation(
    endpoint: EthEndpoint,
    { block, blockHash }: UsdtFeed,
    lastBlock: number,
    signal: AbortSignal,
  ): Promise<TransferRange> {
    if ((await endpoint.hashOf(block, signal)) !== blockHash)
      throw new NoAgreementError(`Block ${block} differs from the stored final block.`);
    return endpoint.readRange(block, lastBlock, signal);
  }

  /** The transfers that are not final, from the first endpoint that answers. They are shown, but not credited. */
  async #readUnconfirmed(
    block: number,
    heads: readonly { readonly endpoint: EthEndpoint; readonly newest: number }[],
    signal: AbortSignal,
  ): Promise<TransferRange['transfers']> {
    for (const { endpoint, newest } of heads) {
      if (newest <= block) continue;
      const [rangeAnswer] = await this.#ask(
        [endpoint],
        () => endpoint.readRange(block, newest, signal),
        signal,
      );
      if (rangeAnswer) return rangeAnswer.answer.transfers;
    }
    return [];
  }

  /** If a comparison is due, compares the balance with the transfers. If they differ, reads the transfers again. */
  async #compare(feed: UsdtFeed, signal: AbortSignal): Promise<void> {
    const { endpoints, topUps, log, now } = this.#options;
    const intervalMs = feed.difference === 0n ? COMPARE_INTERVAL_MS : RECOMPARE_INTERVAL_MS;
    if (now() - feed.comparedAt < intervalMs) return;
    const { id, block, matchedBlock } = feed;
    const balance = await this.#askUntilAgreed(
      endpoints,
      `the balance at block ${block}`,
      (endpoint) => endpoint.balanceAt(block, signal),
      signal,
    );
    if (balance !== feed.expected) {
      // An endpoint may have omitted a transfer.
      const { transfers } = await this.#askUntilAgreed(
        endpoints,
        `the blocks up to ${block}`,
        (endpoint) => endpoint.readRange(matchedBlock, block, signal),
        signal,
      );
      const added = await topUps.addMissing(id, transfers, now());
      log.error({ block, added }, 'the balance of the funding address differs from its transfers');
    }
    await topUps.saveComparison(id, { block, at: now(), balance });
  }
}
