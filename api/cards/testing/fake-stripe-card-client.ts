import { TEST_START } from '../../testing/fake-index.ts';
import { type CardClient, startCardClient } from './card-client.ts';
import { issuerAt } from './card-orders.ts';
import { type FakeStripe, startFakeStripe } from './fake-stripe.ts';

export interface FakeStripeCardClient extends CardClient {
  readonly fake: FakeStripe;
}

/** Closing the client also closes the fake Stripe. */
export async function startCardClientOnFakeStripe(
  options: Parameters<typeof issuerAt>[1] = { now: () => TEST_START },
): Promise<FakeStripeCardClient> {
  const fake = await startFakeStripe();
  const client = await startCardClient({ issuer: await issuerAt(fake, options) });
  const close = async () => {
    await client.close();
    await fake.close();
  };
  return { ...client, fake, close };
}
