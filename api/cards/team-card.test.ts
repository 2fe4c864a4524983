// @module-tag slow
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TeamCard } from '../../data/contract/admin-cards.ts';
import { adminRecord } from '../../data/contract/admin-record.ts';
import { myCard } from '../../data/contract/cards.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import type { CardDecision } from '../../data/model/submission-status.ts';
import { submitApplication, submitRequest } from '../../data/store/testing/sample-submissions.ts';
import { askAs, CONFIRMED_WARNINGS, PASSWORD, signedInAdmin } from '../admin/testing/team.ts';
import { TEST_START } from '../testing/fake-index.ts';
import {
  bd,
  bodyOf,
  type CardClient,
  newWallet,
  outcomeOf,
  REVEAL_PATH,
  startCardClient,
  UNFREEZE_PATH,
} from './testing/card-client.ts';
import { issuerAt } from './testing/card-orders.ts';
import { isCardChange, startFakeStripe } from './testing/fake-stripe.ts';

const LOST_STAKE_MS = PORTAL_LIMITS.lostStakeDays * 86_400_000;
const EXPIRES_AFTER_MS = PORTAL_LIMITS.cardClosingHours * 3_600_000;

let client: CardClient;
let grace: { readonly id: string; readonly token: string };
let alan: typeof grace;
let wallet: string;
let reference: string;

/** Starts a portal with two reviewers, and a wallet with a card and an application. */
async function startClient(changes: Parameters<typeof startCardClient>[0] = {}): Promise<void> {
  client = await startCardClient(changes);
  const { store } = client.portal;
  const reviewer = { role: 'reviewer', at: TEST_START } as const;
  grace = await signedInAdmin(store, { ...reviewer, username: 'grace' });
  alan = await signedInAdmin(store, { ...reviewer, username: 'alan' });
  wallet = newWallet();
  await client.create(wallet);
  reference = await submitApplication(store, { walletAddress: wallet });
}
beforeEach(() => startClient());
afterEach(() => client.close());

async function readRecord(referenceNumber = reference, token = grace.token) {
  const { body } = await askAs(client.portal, token, `/api/admin/record?reference=${referenceNumber}`);
  return adminRecord.response.parse(JSON.parse(body));
}
async function readCard(token = grace.token): Promise<TeamCard> {
  const { record: found } = await readRecord(reference, token);
  if (!('card' in found) || found.card === null) throw new Error('the record has no card');
  return found.card;
}
const NEEDED_FIELDS: Readonly<Record<CardDecision, object>> = {
  frozen: { reason: 'Reported as stolen.' },
  'freeze-lifted': { reason: 'The holder has it back.' },
  'closing-requested': { reason: 'Used for fraud.', ownPassword: PASSWORD },
  'closing-withdrawn': {},
  closed: { ownPassword: PASSWORD },
};
/** Sends a decision based on the card's current state. To send an outdated one, pass another `changedAt` in `changes`. */
async function decide(admin: typeof grace, decision: CardDecision, changes: object = {}) {
  const { cardId, changedAt } = await readCard(admin.token);
  const body = { cardId, changedAt, decision, ...NEEDED_FIELDS[decision], ...changes };
  return askAs(client.portal, admin.token, '/api/admin/cards/decide', body);
}
async function decideOk(admin: typeof grace, decision: CardDecision): Promise<TeamCard> {
  const answer = await decide(admin, decision);
  expect(outcomeOf(answer), answer.body).toEqual([200, undefined]);
  return bodyOf(answer).card;
}
const readMyCard = async () => myCard.response.parse(bodyOf(await client.get(myCard.path, wallet)));
const postAsHolder = async (path: string) =>
  outcomeOf(await client.post(path, wallet, { cardId: (await readCard()).cardId }));
async function auditedActions() {
  const trail = await client.portal.store.auditTrail(99);
  return trail
    .filter(({ action }) => action.startsWith('card.') && action !== 'card.created')
    .map(({ actor, action }) => `${{ [grace.id]: 'grace', [alan.id]: 'alan' }[actor] ?? actor} ${action}`)
    .toReversed();
}

describe('a card that the team freezes', () => {
  it('is shown to its holder as frozen by the team, and cannot be unfrozen until the team lifts the freeze (ASVS 8.2.2)', async () => {
    expect(await decideOk(grace, 'frozen')).toMatchObject({ state: 'frozen' });
    expect((await readMyCard()).card).toMatchObject({ state: 'frozen', frozenFor: 'team', closesAt: null });
    expect(await postAsHolder(UNFREEZE_PATH)).toEqual([409, 'frozen-by-issuer']);
    await decideOk(alan, 'freeze-lifted');
    expect((await readMyCard()).card).toMatchObject({ state: 'frozen', frozenFor: null });
    expect(await postAsHolder(UNFREEZE_PATH)).toEqual([200, undefined]);
    expect(await auditedActions()).toEqual([
      'grace card.frozen-by-team',
      'alan card.freeze-lifted',
      'wallet-owner card.unfrozen',
    ]);
    expect((await readCard()).decisions).toMatchObject([
      { by: 'grace', decision: 'frozen', reason: 'Reported as stolen.' },
      { by: 'alan', decision: 'freeze-lifted', reason: 'The holder has it back.' },
    ]);
    expect(JSON.stringify(await client.portal.store.auditTrail(99))).not.toContain('stolen');
  });

  it('stays frozen while its stake is gone, even after the team lifts the freeze', async () => {
    await decideOk(grace, 'frozen');
    await client.stake(wallet, 0n);
    await client.portal.checkCardStakes();
    expect((await readMyCard()).card).toMatchObject({ frozenFor: 'team', closesAt: null });
    await decideOk(grace, 'freeze-lifted');
    await client.portal.checkCardStakes();
    expect((await readMyCard()).card).toMatchObject({ frozenFor: 'no-stake' });
    expect(await postAsHolder(UNFREEZE_PATH)).toEqual([403, 'insufficient-staking']);
  });

  it('gets a closing date, counted from when the team lifts the freeze, if its stake is gone', async () => {
    await client.stake(wallet, 0n);
    await client.portal.checkCardStakes();
    await decideOk(grace, 'frozen');
    const liftedAt = TEST_START + LOST_STAKE_MS + 1;
    await client.setClock(liftedAt);
    const reviewer = { username: 'barbara', role: 'reviewer', at: liftedAt } as const;
    await decideOk(await signedInAdmin(client.portal.store, reviewer), 'freeze-lifted');
    await client.portal.checkCardStakes();
    expect((await readMyCard()).card).toMatchObject({
      frozenFor: 'no-stake',
      closesAt: new Date(liftedAt + LOST_STAKE_MS).toISOString(),
    });
  });

  it('accepts only one of two concurrent decisions, and none based on an outdated state', async () => {
    const { changedAt } = await readCard();
    await decideOk(grace, 'frozen');
    for (const decision of ['frozen', 'closing-requested'] as const) {
      expect(outcomeOf(await decide(alan, decision, { changedAt }))).toEqual([409, 'card-changed']);
    }
    expect(outcomeOf(await decide(alan, 'frozen'))).toEqual([409, 'card-changed']);
    const answers = await Promise.all([decide(grace, 'freeze-lifted'), decide(alan, 'freeze-lifted')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await readCard()).decisions).toHaveLength(2);
  });

  it.each([
    [{ reason: ' ' }, 400, 'invalid-body'],
    [{ cardId: 'nobody' }, 404, 'unknown-card'],
  ])('is left unchanged by a decision with %j', async (changes, status, code) => {
    expect(outcomeOf(await decide(grace, 'frozen', changes))).toEqual([status, code]);
    expect(await auditedActions()).toEqual([]);
  });

  it('is frozen at the issuer first, and stays as it was if the issuer does not answer', async () => {
    await client.close();
    const fake = await startFakeStripe();
    await startClient({ issuer: await issuerAt(fake, { now: () => TEST_START }) });
    const issuerStates = () => [...fake.cards.values()].map(({ status }) => status);
    fake.faults.push({ kind: 'status', status: 503, matches: isCardChange, remainingCalls: 3 });
    expect(outcomeOf(await decide(grace, 'frozen'))).toEqual([502, 'issuer-unavailable']);
    expect([(await readCard()).state, (await readCard()).decisions]).toEqual(['active', []]);
    fake.faults.length = 0;
    await decideOk(grace, 'frozen');
    expect(issuerStates()).toEqual(['inactive']);
    await fake.close();
  });
});

describe('closing a card', () => {
  it('needs two different admins, each with their password (ASVS 2.3.5)', async () => {
    expect(outcomeOf(await decide(alan, 'closed'))).toEqual([409, 'closing-not-requested']);
    expect(await decideOk(grace, 'closing-requested')).toMatchObject({
      state: 'active',
      closing: { by: 'grace', isYours: true },
    });
    expect((await readCard(alan.token)).closing).toMatchObject({ by: 'grace', isYours: false });
    expect(outcomeOf(await decide(grace, 'closed'))).toEqual([409, 'closing-not-requested']);
    const wrong = { ownPassword: 'not the password' };
    expect(outcomeOf(await decide(alan, 'closed', wrong))).toEqual([403, 'wrong-password']);
    expect((await readMyCard()).card?.state).toBe('active');
    expect(await decideOk(alan, 'closed')).toMatchObject({ state: 'closed', closing: null });
    expect(await auditedActions()).toEqual([
      'grace card.closing-requested',
      'alan card.closing-confirmed',
      'system card.closed',
    ]);
    expect(await readMyCard()).toMatchObject({ card: null, lastClosed: { closedFor: 'team' } });
    expect(await postAsHolder(REVEAL_PATH)).toEqual([409, 'card-closed']);
  });

  it('can be withdrawn by either admin, and requested again', async () => {
    await decideOk(grace, 'closing-requested');
    expect(outcomeOf(await decide(alan, 'closing-requested'))).toEqual([409, 'card-changed']);
    await decideOk(alan, 'closing-withdrawn');
    expect((await readCard()).closing).toBeNull();
    expect(outcomeOf(await decide(alan, 'closed'))).toEqual([409, 'closing-not-requested']);
    expect(outcomeOf(await decide(alan, 'closing-withdrawn'))).toEqual([409, 'card-changed']);
    await decideOk(alan, 'closing-requested');
    expect(await decideOk(grace, 'closed')).toMatchObject({ state: 'closed' });
  });

  it('cannot be confirmed from a tab that was opened before the request was withdrawn and renewed', async () => {
    await decideOk(grace, 'closing-requested');
    const { changedAt } = await readCard();
    await decideOk(grace, 'closing-withdrawn');
    await decideOk(grace, 'closing-requested');
    expect(outcomeOf(await decide(alan, 'closed', { changedAt }))).toEqual([409, 'card-changed']);
    expect((await readMyCard()).card?.state).toBe('active');
  });

  it('cannot be confirmed once the request is too old', async () => {
    await decideOk(grace, 'closing-requested');
    const later = TEST_START + EXPIRES_AFTER_MS + 1;
    await client.setClock(later);
    const { store } = client.portal;
    const barbara = await signedInAdmin(store, { username: 'barbara', role: 'reviewer', at: later });
    expect((await readCard(barbara.token)).closing).toBeNull();
    expect(outcomeOf(await decide(barbara, 'closed'))).toEqual([409, 'closing-not-requested']);
  });

  it('cannot be requested from an account that is too new to vote', async () => {
    await client.close();
    await startClient({ minAccountAgeToVoteMs: 1_000 });
    expect(outcomeOf(await decide(grace, 'closing-requested'))).toEqual([403, 'account-too-new']);
    await client.setClock(TEST_START + 1_000);
    await decideOk(grace, 'closing-requested');
  });

  it('is finished by the scheduled check if the issuer did not answer, and the holder cannot use the card meanwhile', async () => {
    await client.close();
    const fake = await startFakeStripe();
    await startClient({ issuer: await issuerAt(fake, { now: () => TEST_START }) });
    await decideOk(grace, 'closing-requested');
    fake.faults.push({ kind: 'status', status: 503, matches: isCardChange, remainingCalls: 3 });
    expect(await decideOk(alan, 'closed')).toMatchObject({
      state: 'active',
      closedByTeamAt: new Date(TEST_START).toISOString(),
    });
    expect(await postAsHolder(REVEAL_PATH)).toEqual([409, 'card-closed']);
    expect(outcomeOf(await decide(grace, 'closing-withdrawn'))).toEqual([409, 'card-changed']);
    fake.faults.length = 0;
    await client.portal.pollAt(TEST_START + 60_001);
    await client.portal.checkCardStakes();
    expect((await readCard()).state).toBe('closed');
    expect([...fake.cards.values()].map(({ status }) => status)).toEqual(['canceled']);
    await fake.close();
  });
});

describe('withdrawing a whitelisting', () => {
  const DECIDE_PATH = '/api/admin/verification-requests/decide';
  let request: string;
  let whitelistedWallet: string;
  beforeEach(async () => {
    whitelistedWallet = newWallet();
    await client.stake(whitelistedWallet, 0n);
    request = await submitRequest(client.portal.store, { walletAddress: whitelistedWallet });
    await decideRequest({ decision: 'approved', tier: 'Banker', despite: CONFIRMED_WARNINGS });
    expect((await client.create(whitelistedWallet)).status).toBe(200);
  });
  async function decideRequest(changes: object, referenceNumber = request) {
    const { record: seen } = await readRecord(referenceNumber);
    const changedAt = 'changedAt' in seen ? seen.changedAt : '';
    return askAs(client.portal, grace.token, DECIDE_PATH, { referenceNumber, changedAt, ...changes });
  }
  const withdraw = (referenceNumber?: string) =>
    decideRequest({ decision: 'withdrawn', reason: 'A forged proof.' }, referenceNumber);
  const readWhitelistedCard = async () => bodyOf(await client.get(myCard.path, whitelistedWallet)).card;

  it('freezes the wallet’s card at once, emails the applicant the reason, and is recorded', async () => {
    expect(outcomeOf(await decideRequest({ decision: 'withdrawn' }))).toEqual([400, 'invalid-body']);
    expect((await readWhitelistedCard()).state).toBe('active');
    expect((await withdraw()).status).toBe(200);
    expect(await readWhitelistedCard()).toMatchObject({ state: 'frozen', frozenFor: 'no-stake' });
    const after = await readRecord(request);
    expect(after).toMatchObject({
      record: { status: 'withdrawn', whitelistedTier: null },
      deliveries: expect.arrayContaining([
        expect.objectContaining({ event: 'verification-request.withdrawn', audience: 'applicant' }),
      ]),
    });
    expect(after.decisions.at(-1)).toMatchObject({ by: 'grace', reason: 'A forged proof.' });
    const [latest] = (await client.portal.store.auditTrail(99)).filter(({ actor }) => actor === grace.id);
    expect(latest).toMatchObject({ action: 'verification-request.withdrawn' });
    expect(outcomeOf(await client.create(newWallet()))).toEqual([200, undefined]);
    expect(outcomeOf(await withdraw())).toEqual([409, 'record-closed']);
  });

  it('does not change the card if the wallet has the stake that the card requires', async () => {
    await client.stake(whitelistedWallet, bd(5_000_000));
    await withdraw();
    expect(await readWhitelistedCard()).toMatchObject({ state: 'active', tier: 'Banker' });
  });

  it('fails for an earlier request once a later one whitelists the wallet', async () => {
    const later = await submitRequest(client.portal.store, { walletAddress: whitelistedWallet });
    await decideRequest({ decision: 'approved', tier: 'Duckling', despite: CONFIRMED_WARNINGS }, later);
    expect(outcomeOf(await withdraw())).toEqual([409, 'record-closed']);
    expect((await withdraw(later)).status).toBe(200);
  });
});
