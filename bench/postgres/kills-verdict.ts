import { vi } from 'vitest';
import { messageIdOf } from '../../api/delivery/mail/message-thread.ts';
import {
  checkAuditTrail,
  indexDatabase,
  openAppStore,
  openIndexReader,
} from '../../data/store/open-stores.ts';
import { testSettings } from '../../data/store/testing/postgres-stores.ts';
import { LEDGER } from '../../indexer/ledger/addresses.ts';
import { netMovements, recordLedger } from '../../indexer/testing/ledger-record.ts';
import { emailOf } from './kills-clients.ts';
import { type KillsPortal, SCHEMA } from './kills-portal.ts';

const WATCHED_ACCOUNTS = [LEDGER.vault, LEDGER.stakeVault];
const ALL_ROWS = 10_000_000;
const SETTLE_TIMEOUT_MS = 120_000;
const CHECK_INTERVAL_MS = 500;

const waitUntilSettled = (condition: () => Promise<boolean>) =>
  vi.waitUntil(() => condition().catch(() => false), {
    timeout: SETTLE_TIMEOUT_MS,
    interval: CHECK_INTERVAL_MS,
  });

const countBy = <T>(rows: readonly T[], key: (row: T) => string): ReadonlyMap<string, number> =>
  new Map([...Map.groupBy(rows, key)].map(([name, group]) => [name, group.length]));

export interface Verdict {
  /**
   * Differences between the chain and the index, differences between acknowledged, stored and delivered messages, and breaks
   * in the audit trail.
   */
  readonly problems: readonly string[];
  readonly exitCodes: readonly (number | null)[];
  readonly events: number;
  readonly messages: number;
  readonly mails: number;
  /** How many arrivals repeated an email or notice that had already arrived. */
  readonly duplicates: number;
  /** How many deliveries have an attempt with the outcome `unknown`. */
  readonly unknownDeliveries: number;
}

/** Lets a portal finish everything without further kills, stops it, and compares what it stored with what happened. */
export async function finishAndCompare(portal: KillsPortal): Promise<Verdict> {
  const { ledger, clients, smtp, bot, replicas, indexers } = portal;
  await portal.stopTraffic();
  await clients.finish();
  const settings = testSettings(SCHEMA, portal.direct());
  const { movements } = recordLedger(ledger.chain);
  const store = await openAppStore(settings);
  const reader = await openIndexReader(settings);
  const problems: string[] = [
    ...clients.problems,
    ...[...replicas, ...indexers].flatMap(({ failures }) => failures),
  ];
  try {
    await waitUntilSettled(async () => {
      const { recentEvents, chain } = await reader.latestSnapshot(ALL_ROWS);
      const isFinal = recentEvents.every(({ status }) => status === 'finalized');
      return (
        isFinal &&
        recentEvents.length >= movements.length &&
        (chain?.slot ?? 0) >= ledger.chain.clock().slot - 40
      );
    });
    // Releases the deliveries of killed replicas, as if their two-minute leases were over. The replicas are restarted because
    // they look for such deliveries when they start.
    await Promise.all(replicas.map((replica) => replica.kill()));
    await portal.run(`update $.deliveries set "leasedUntil" = 0 where state = 'leased'`);
    // Waits until every program has started. A program that is still starting would be killed by the signal and leave no exit
    // code.
    const programs = [...replicas, ...indexers];
    const areReady = async () => programs.every(({ isReady }) => isReady());
    await waitUntilSettled(areReady);
    await waitUntilSettled(
      async () => (await store.deliveries.queueDepths()).length === 0 && (await areReady()),
    );
    const exitCodes = await Promise.all(programs.map((program) => program.end('SIGTERM')));

    const { recentEvents, chain } = await reader.latestSnapshot(ALL_ROWS);
    const events = recentEvents.toReversed();
    const indexed = netMovements(
      WATCHED_ACCOUNTS.flatMap((address) => events.filter(({ account }) => account === address)),
    );
    const onChain = WATCHED_ACCOUNTS.flatMap((address) =>
      movements.filter(({ account }) => account === address),
    );
    problems.push(...differences(indexed, onChain));
    const stakes = events.filter(({ kind }) => kind === 'stake' || kind === 'unstake');
    const staked = stakes.reduce((sum, { delta }) => sum + delta, 0n);
    if (staked !== chain?.totalStaked)
      problems.push(`the stakes add up to ${staked}, but the pool's total is ${chain?.totalStaked}`);

    const queryRows = <Row extends object>(text: string) =>
      portal.sql((db) => db.all(db.statement<Row>(text)));
    const fences = await queryRows<{ fence: number }>(
      'select fence from $.index_writers group by fence having count(distinct writer) > 1',
    );
    for (const { fence } of fences) problems.push(`two indexers wrote with the fence ${fence}`);
    const [lastState] = await queryRows<{ fence: number }>('select fence from $.index_state');
    const writer = await indexDatabase(settings).openWriter((lastState?.fence ?? 0) + 1);
    for (const address of WATCHED_ACCOUNTS) {
      const cursor = await writer.cursor(address);
      const newest = ledger.chain.signaturesFor(address, { limit: 1 });
      const signature = newest.kind === 'found' ? newest.rows[0]?.signature : undefined;
      if (cursor?.signature !== signature)
        problems.push(`the cursor of ${address} is at ${cursor?.signature}`);
    }
    await writer.close();

    const trail = await checkAuditTrail(settings);
    if (trail.broken !== null || trail.unlinked > 0)
      problems.push(`the audit trail is broken at ${trail.broken?.id}`);

    const unknownAttempts = countBy(
      (await store.deliveries.attempts(ALL_ROWS)).filter(({ outcome }) => outcome === 'unknown'),
      ({ deliveryId }) => deliveryId,
    );
    const notices = countBy(
      bot.callsOf('sendMessage'),
      (body) => JSON.stringify(body).match(/BD-\d{8}-\d{6}/)?.[0] ?? '',
    );
    const expectedMails = new Set<string>();
    let duplicates = 0;
    for (const [number, reference] of clients.acknowledged) {
      const stored = await store.submissions.find('contact-message', reference);
      if (stored?.email !== emailOf(number)) problems.push(`${reference} of message ${number} is not stored`);
      const deliveries = await store.deliveries.deliveriesOf(reference);
      if (deliveries.map(({ state }) => state).join() !== 'sent,sent,sent')
        problems.push(`${reference} is not delivered`);
      for (const delivery of deliveries) {
        const { id, channel } = delivery;
        const messageId = messageIdOf(delivery, 'http://localhost');
        if (channel === 'mail') expectedMails.add(messageId);
        const arrivalCount =
          (channel === 'mail' ? smtp.arrivals.get(messageId) : notices.get(reference)) ?? 0;
        const isExpected = arrivalCount >= 1 && arrivalCount - 1 <= (unknownAttempts.get(id) ?? 0);
        if (!isExpected) problems.push(`${channel} ${id} of ${reference} arrived ${arrivalCount} times`);
        duplicates += Math.max(0, arrivalCount - 1);
      }
    }
    for (const id of smtp.arrivals.keys())
      if (!expectedMails.has(id)) problems.push(`mail ${id} belongs to no message`);
    const [storedCount] = await queryRows<{ messages: number }>(
      'select count(*) as messages from $.contact_messages',
    );
    if (storedCount?.messages !== clients.acknowledged.size)
      problems.push(`${storedCount?.messages} messages are stored, not ${clients.acknowledged.size}`);
    return {
      problems,
      exitCodes,
      events: events.length,
      messages: clients.acknowledged.size,
      mails: [...smtp.arrivals.values()].reduce((sum, count) => sum + count, 0),
      duplicates,
      unknownDeliveries: unknownAttempts.size,
    };
  } finally {
    await store.close();
    await reader.close();
  }
}

/** Compares the two lists position by position. Describes at most four differing movements from each list. */
function differences(
  indexed: ReturnType<typeof netMovements>,
  onChain: ReturnType<typeof netMovements>,
): readonly string[] {
  const textOf = ({ account, signature, slot, position, delta }: (typeof indexed)[number]) =>
    `${delta} on ${account} in ${signature}, slot ${slot}, position ${position}`;
  const [actual, expected] = [indexed.map(textOf), onChain.map(textOf)];
  return [
    ...actual
      .filter((text, index) => text !== expected[index])
      .slice(0, 4)
      .map((text) => `indexed ${text}`),
    ...expected
      .filter((text, index) => text !== actual[index])
      .slice(0, 4)
      .map((text) => `on the chain ${text}`),
  ];
}
