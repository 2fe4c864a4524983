import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { AppStore } from '../../data/store/ports.ts';
import { sampleMessage, sampleOptions } from '../../data/store/testing/sample-submissions.ts';
import { median } from '../growth/flatness.ts';
import { settingsOf } from './schema-settings.ts';

/** The minimum submission rate of three stores, as a multiple of the rate of one store. */
const MIN_RATIO = 1;
const STORE_COUNT = 3;
const ROUNDS = 5;
const CLIENTS = 64;
const SECONDS = 2;

let sent = 0;

/** @returns stored submissions per second. Each client sends one submission after another. */
export async function measureSubmissions({ submissions }: Pick<AppStore, 'submissions'>): Promise<number> {
  const startedAt = performance.now();
  let stored = 0;
  const client = async () => {
    while (performance.now() - startedAt < SECONDS * 1_000) {
      sent += 1;
      // The process id makes the number unique across processes.
      const reference = `${process.pid}-${sent}`;
      const message = sampleMessage({ email: `applicant-${reference}@example.com` });
      const options = sampleOptions({ drawReference: () => reference });
      await submissions.submit('contact-message', message, options);
      stored += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (stored * 1_000) / (performance.now() - startedAt);
}

/** @returns stored submissions per second, for all the stores together */
async function measureSubmissionsOf(stores: readonly ChildProcess[]): Promise<number> {
  const rates = stores.map(async (store) => {
    store.send('submit');
    const [perSecond]: [number] = await (once(store, 'message') as Promise<[number]>);
    return perSecond;
  });
  return (await Promise.all(rates)).reduce((sum, perSecond) => sum + perSecond, 0);
}

export async function benchThreeStores(socketFolder: string): Promise<boolean> {
  const program = new URL('three-store-process.ts', import.meta.url);
  const settings = JSON.stringify(settingsOf(socketFolder, 'three_stores'));
  const stores = Array.from({ length: STORE_COUNT }, () => fork(program, [settings]));
  try {
    await Promise.all(stores.map((store) => once(store, 'message')));
    // This measurement is only a warm-up.
    await measureSubmissionsOf(stores);
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const oneStoreRate = await measureSubmissionsOf(stores.slice(0, 1));
      ratios.push((await measureSubmissionsOf(stores)) / oneStoreRate);
    }
    const ratio = median(ratios);
    console.log(
      `submissions with ${STORE_COUNT} stores of ${CLIENTS} clients: ${ratio.toFixed(2)} of one store (at least ${MIN_RATIO}); ` +
        `rounds ${ratios.map((one) => one.toFixed(2)).join(', ')}`,
    );
    return ratio >= MIN_RATIO;
  } finally {
    for (const store of stores) {
      const ended = once(store, 'exit');
      store.disconnect();
      await ended;
    }
  }
}
