import { afterEach, beforeEach, expect } from 'vitest';
import { addReminder, confirmReminder, reminders, removeReminder } from '../../../data/contract/reminders.ts';
import type { SnapshotStake } from '../../../data/store/ports.ts';
import { REMINDER_CONFIRMATION_EVENT } from '../../../data/store/rules/received-submission.ts';
import { TEST_START } from '../../testing/fake-index.ts';
import { ask, sendForm } from '../../testing/portal-client.ts';
import { openedStake, walletOf } from '../../testing/sample-stakes.ts';
import { startTestPortal, TEST_MASTER_KEY, type TestPortal } from '../../testing/test-portal.ts';
import { openWalletSession } from '../../testing/test-wallet.ts';
import type { LedgerClock } from '../ledger-clock.ts';
import { queueReminders } from '../reminder-job.ts';
import type { ReminderContext } from '../reminder-messages.ts';
import { reminderTokens } from '../reminder-tokens.ts';

export const DAY_MS = 86_400_000;
export const WALLET = walletOf(1);
export const EMAIL = 'ada@example.com';
export const ORIGIN = 'https://portal.example.com';
export const API_ORIGIN = 'https://api.example.com';
/** When the lock of `openedStake` ends. */
export const UNLOCKS_AT = TEST_START + 170 * DAY_MS;
export const tokens = reminderTokens(TEST_MASTER_KEY);

// The portal of the running test, with two wallets that have a stake. `WALLET` is signed in.
export let portal: TestPortal;
export let context: ReminderContext;
let cookie: string;

export function useReminderPortal(): void {
  beforeEach(async () => {
    portal = await startTestPortal({
      chain: 'embedded-ledger',
      telegram: {
        diagnostics: { read: async () => Promise.reject(new Error('unused')) },
        testSender: {
          sendMessage: async () => Promise.reject(),
          sendApplication: async () => Promise.reject(),
        },
        chatUrlFor: async (token) => `https://t.me/duck_bot?start=${token}`,
      },
    });
    cookie = await openWalletSession(portal.store, WALLET, TEST_START);
    context = {
      subscriptions: portal.store.subscriptions,
      stakes: () => portal.figureInputs().stakes,
      tokens,
      origin: ORIGIN,
      apiOrigin: API_ORIGIN,
      now: portal.now,
    };
    await setOpenStakes([openedStake(1), openedStake(2)]);
  });
  afterEach(() => portal.close());
}

let changeCount = 100;
export async function setOpenStakes(entries: readonly SnapshotStake[], at = portal.now()): Promise<void> {
  portal.index.storedStakes = { ...portal.index.storedStakes, entries };
  changeCount += 1;
  portal.index.commitChain({ entryChanges: changeCount, readAt: at });
  await portal.pollAt(at);
}
export const readStakesAt = (at: number) => setOpenStakes(portal.index.storedStakes.entries, at);
export const runReminderJob = (now = portal.now, ledgerClock: LedgerClock | null = null) =>
  queueReminders({
    ledgerClock,
    subscriptions: portal.store.subscriptions,
    reader: portal.index,
    figureInputs: portal.figureInputs,
    now,
  });

export const post = async (
  path: string,
  body: unknown,
  headers: Record<string, string> = { Cookie: cookie },
) => {
  const answer = await sendForm(portal.port, path, body, headers);
  return { status: answer.status, body: JSON.parse(answer.body) };
};
export const requestReminder = (body: unknown) => post(addReminder.path, body);
export const confirmByToken = (token: string) => post(confirmReminder.path, { token }, {});
export const cancelReminder = (id: string, headers?: Record<string, string>) =>
  post(removeReminder.path, { id }, headers);
export const listReminders = async () => {
  const { body } = await ask(portal.port, reminders.path, { headers: { Cookie: cookie } });
  return reminders.response.parse(JSON.parse(body)).reminders;
};
export const reminderDeliveries = async (id: string) =>
  (await portal.store.deliveries.deliveriesOf(id)).filter(
    ({ event }) => event !== REMINDER_CONFIRMATION_EVENT,
  );
export const occasionsOf = async (id: string) =>
  (await reminderDeliveries(id)).map(({ event }) => event.replace(/^stake-reminder\.|:.*$/g, '')).toSorted();

export const subscribeByMail = async (email = EMAIL): Promise<string> => {
  await requestReminder({ channel: 'mail', email });
  const id = (await listReminders()).find(({ state }) => state === 'unconfirmed')?.id ?? '';
  expect((await confirmByToken(tokens.confirmationToken(id))).status).toBe(200);
  return id;
};
