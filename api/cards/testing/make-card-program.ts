import { pino } from 'pino';
import { openAppStore } from '../../../data/store/open-stores.ts';
import { WalletMutex } from '../card-context.ts';
import { makeCard } from '../make-card.ts';
import { createStripeIssuer } from '../stripe-issuer.ts';

/** Creates one card in its own process, so that a test can kill it. Arguments: store file, wallet, issuer settings. */
const [file = '', walletAddress = '', settings = ''] = process.argv.slice(2);

const store = await openAppStore(file);
const issuer = await createStripeIssuer(JSON.parse(settings), { now: Date.now });
const context = {
  store,
  issuer,
  log: pino({ level: 'silent' }),
  now: Date.now,
  walletMutex: new WalletMutex(),
  masterKey: { bytes: Buffer.alloc(32) },
};
await makeCard(context, { walletAddress, tier: 'Banker', holderName: 'BlackDuck Member', stakeEntries: [] });
