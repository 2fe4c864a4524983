import { pino } from 'pino';
import { openAppStore } from '../../../data/store/sqlite/app-store.ts';
import { UnderWay } from '../card-desk.ts';
import { makeCard } from '../make-card.ts';
import { createStripeIssuer } from '../stripe-issuer.ts';

/** Makes one card in a process of its own, so that a test can kill it: the store's file, the wallet, the issuer's settings. */
const [file = '', walletAddress = '', settings = ''] = process.argv.slice(2);

const store = await openAppStore(file);
const issuer = await createStripeIssuer(JSON.parse(settings), { now: Date.now });
const desk = { store, issuer, log: pino({ level: 'silent' }), now: Date.now, underWay: new UnderWay() };
await makeCard(desk, { walletAddress, tier: 'Banker', holderName: 'BlackDuck Member' });
