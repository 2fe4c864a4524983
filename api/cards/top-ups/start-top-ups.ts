import { setTimeout as pause } from 'node:timers/promises';
import { Gauge, type Registry } from '@prometheus-io/client';
import type { TopUpSettings } from '../../../data/config/card-settings.ts';
import { endpointNames } from '../../../data/config/endpoints.ts';
import type { Logger } from '../../../data/runtime/log.ts';
import type { TopUpStore } from '../../../data/store/top-up-port.ts';
import { openEthEndpoint } from './eth-endpoint.ts';
import { TransferFollower } from './follow-transfers.ts';

/** Milliseconds between two reads. Ethereum produces a block every 12 seconds. */
const FOLLOW_INTERVAL_MS = 30_000;

/** The feed's id. A different chain, token or address starts a new feed. */
export const topUpFeedOf = ({ chainId, token }: TopUpSettings, fundingAddress: string): string =>
  `${chainId}-${token}-${fundingAddress}`.toLowerCase();

/** @returns a function that stops following the transfers, and waits until the current read has ended */
export function startTopUps(options: {
  readonly settings: TopUpSettings;
  readonly fundingAddress: string;
  readonly topUps: TopUpStore;
  readonly log: Logger;
}): () => Promise<void> {
  const { settings, fundingAddress, topUps, log } = options;
  const { rpcUrls } = settings;
  const stopController = new AbortController();
  const { signal } = stopController;

  const run = async (): Promise<void> => {
    const names = endpointNames(rpcUrls);
    const endpoints = await Promise.all(
      rpcUrls.map((url, index) => openEthEndpoint(url, names[index] ?? '', { ...settings, fundingAddress })),
    );
    const feed = topUpFeedOf(settings, fundingAddress);
    const follower = new TransferFollower({ feed, endpoints, topUps, log, now: Date.now });
    let failure: string | null = null;
    while (!signal.aborted) {
      try {
        await follower.follow(signal);
        if (failure !== null) log.info('reading top-ups again');
        failure = null;
      } catch (error) {
        if (signal.aborted) return;
        const message = error instanceof Error ? error.message : String(error);
        if (message !== failure)
          log.error({ err: error }, `could not read top-ups; retrying in ${FOLLOW_INTERVAL_MS / 1_000} s`);
        failure = message;
      }
      await pause(FOLLOW_INTERVAL_MS, undefined, { signal });
    }
  };
  const running = run().catch((error: unknown) => {
    if (!signal.aborted) log.error({ err: error }, 'top-up follower stopped');
  });
  return async () => {
    stopController.abort();
    await running;
  };
}

/** @param feed null if transfers are not followed */
export function registerTopUpMetrics(
  registry: Registry,
  {
    topUps,
    feed,
    now,
  }: {
    readonly topUps: Pick<TopUpStore, 'feed' | 'unmatchedCount'>;
    readonly feed: string | null;
    readonly now: () => number;
  },
): void {
  if (feed === null) return;
  const registers = [registry];
  /** Undefined while the store cannot be read. */
  const readFeed = () => topUps.feed(feed).catch(() => undefined);
  new Gauge({
    name: 'portal_top_ups_age_seconds',
    help: 'Seconds since the last new final Ethereum block was read; +Inf before the first one',
    registers,
    async collect() {
      const state = await readFeed();
      this.remove();
      if (state !== undefined)
        this.set(state === null ? Number.POSITIVE_INFINITY : (now() - state.readAt) / 1_000);
    },
  });
  new Gauge({
    name: 'portal_top_ups_agree',
    help: '1 if the balance of the funding address matched the sum of its transfers at the last comparison, else 0',
    registers,
    async collect() {
      const state = await readFeed();
      this.remove();
      if (state) this.set(state.difference === 0n ? 1 : 0);
    },
  });
  new Gauge({
    name: 'portal_top_ups_unmatched',
    help: 'Unmatched USDT transfers, waiting for the team',
    registers,
    async collect() {
      const count = await topUps.unmatchedCount().catch(() => null);
      this.remove();
      if (count !== null) this.set(count);
    },
  });
}
