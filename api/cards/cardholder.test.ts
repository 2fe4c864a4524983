import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { createCard, myCard } from '../../data/contract/cards.ts';
import { CARDHOLDER_FIELDS, isAdult } from '../../data/model/cardholder.ts';
import { submitApplication } from '../../data/store/testing/sample-submissions.ts';
import { askAs, signedInAdmin } from '../admin/testing/team.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { createSandboxIssuer } from './sandbox-issuer.ts';
import { bodyOf, type CardClient, newWallet, outcomeOf, startCardClient } from './testing/card-client.ts';
import type { FakeStripe } from './testing/fake-stripe.ts';
import { type FakeStripeCardClient, startCardClientOnFakeStripe } from './testing/fake-stripe-card-client.ts';
import { SAMPLE_CARDHOLDER } from './testing/sample-cardholder.ts';

/** Requirements in the `stripe` package that apply only to companies, or to a check of identity documents. */
const UNUSED_REQUIREMENTS = ['company.tax_id', 'individual.verification.document'];

let fake: FakeStripe;
let client: FakeStripeCardClient;
let wallet: string;
beforeAll(async () => {
  client = await startCardClientOnFakeStripe();
  fake = client.fake;
});
beforeEach(() => {
  wallet = newWallet();
});
afterAll(() => client.close());

const create = (cardholder: unknown, cardClient: CardClient = client) =>
  cardClient.post(createCard.path, wallet, { walletAddress: wallet, holderName: 'Zoe Quill', cardholder });

async function orderDuringOutage(): Promise<void> {
  fake.faults.push({
    kind: 'status',
    status: 503,
    matches: (method) => method === 'POST',
    remainingCalls: 3,
  });
  expect(outcomeOf(await create(SAMPLE_CARDHOLDER))).toEqual([502, 'issuer-unavailable']);
  fake.faults.length = 0;
}

it('an order sends Stripe every field required for an individual and for 3D Secure', async () => {
  expect((await create(SAMPLE_CARDHOLDER)).status).toBe(200);
  const form = fake.cardholderForms.at(-1);
  const sent = [...(form?.keys() ?? [])].map((key) => key.replaceAll(/\[(\w+)\]/g, '.$1'));
  const types = new URL(
    import.meta.resolve('stripe').replace(/\/stripe\/.*$/, '/stripe/esm/resources/Issuing/Cardholders.d.ts'),
  );
  const published = /type PastDue = ([^;]+);/.exec(readFileSync(types, 'utf8'))?.[1] ?? '';
  const required = [...published.matchAll(/'([\w.]+)'/g)].map(([, name = '']) => name);
  expect(required).toContain('individual.dob.year');
  expect(required.filter((name) => !(sent.includes(name) || UNUSED_REQUIREMENTS.includes(name)))).toEqual([]);
  expect(Object.fromEntries(form ?? [])).toMatchObject({
    phone_number: '+442079460958',
    email: 'zoe@example.org',
    'individual[first_name]': 'Zoë',
    'individual[dob][month]': '12',
    'individual[card_issuing][user_terms_acceptance][date]': String(TEST_START / 1_000),
    'individual[card_issuing][user_terms_acceptance][ip]': expect.stringMatching(/[\d:.]{3,}/),
  });
});

it.each<[string, object | undefined]>([
  ['no data', undefined],
  ['one field too few', { ...SAMPLE_CARDHOLDER, phone: undefined }],
  ['one field too many', { ...SAMPLE_CARDHOLDER, passport: 'C01X00T47' }],
  ['terms that are not accepted', { ...SAMPLE_CARDHOLDER, acceptsTerms: false }],
  ['letters that are not Latin', { ...SAMPLE_CARDHOLDER, firstName: 'Зоя' }],
  ['HTML', { ...SAMPLE_CARDHOLDER, lastName: '<b>Quill</b>' }],
  ['a phone number without a country code', { ...SAMPLE_CARDHOLDER, phone: '020 7946 0958' }],
  ['two email addresses', { ...SAMPLE_CARDHOLDER, email: 'a@example.org, b@example.org' }],
  ['a date that does not exist', { ...SAMPLE_CARDHOLDER, dateOfBirth: '1990-02-30' }],
  ['a child', { ...SAMPLE_CARDHOLDER, dateOfBirth: '2020-01-01' }],
])('rejects cardholder data before it reaches the issuer: %s', async (_case, cardholder) => {
  const requests = fake.requests.length;
  expect((await create(cardholder)).status).toBe(400);
  expect(fake.requests).toHaveLength(requests);
  expect(await client.portal.store.cards.cardOf(wallet)).toBeNull();
});

it('checks the age of a holder to the day', () => {
  const birthday = Date.UTC(2030, 4, 6);
  expect(isAdult('2012-05-06', birthday)).toBe(true);
  expect(isAdult('2012-05-07', birthday)).toBe(false);
  expect(isAdult('1850-01-01', birthday)).toBe(false);
});

it('stores cardholder data encrypted, resends it after an outage, and shows it to the team until it is erased', async () => {
  await orderDuringOutage();
  const pending = await client.portal.store.cards.cardOf(wallet);
  expect(pending?.cardholder).toBeTruthy();
  expect(Buffer.from(pending?.cardholder ?? '', 'base64').toString('latin1')).not.toContain('Quillfeather');
  fake.forgetKeys();
  await client.portal.checkCardStakes();
  expect(fake.cardholderForms.at(-1)?.get('individual[last_name]')).toBe('Quillfeather');

  const { store } = client.portal;
  const reference = await submitApplication(store, { walletAddress: wallet });
  const { token } = await signedInAdmin(store, { role: 'reviewer', at: TEST_START, username: 'grace' });
  const readTeamCard = async () => {
    const { body } = await askAs(client.portal, token, `/api/admin/record?reference=${reference}`);
    return JSON.parse(body).record.card.cardholder;
  };
  expect(await readTeamCard()).toMatchObject({ lastName: 'Quillfeather', dateOfBirth: '1990-12-31' });
  const { cardOf } = store.cards;
  const cardOfSpy = vi.spyOn(store.cards, 'cardOf').mockImplementation(async (holder) => {
    const card = await cardOf(holder);
    return card && { ...card, cardholder: `AAAA${card.cardholder}` };
  });
  expect(await readTeamCard()).toBe('unreadable');
  cardOfSpy.mockRestore();
  const record = { id: 'erased', at: TEST_START, actor: 'ada', action: 'person.erased', details: {} };
  const erased = await store.erasures.erase({ email: null, walletAddress: wallet }, TEST_START, () => record);
  expect(erased.counts.cardholders).toBe(1);
  expect(await store.cards.cardOf(wallet)).toMatchObject({ state: 'active', cardholder: null });
});

it('finishes a pending card without asking for the same data again', async () => {
  await orderDuringOutage();
  fake.forgetKeys();
  expect((await create(undefined)).status).toBe(200);
  expect(fake.cardholderForms.at(-1)?.get('individual[last_name]')).toBe('Quillfeather');
});

it('finishes the other pending cards if the data of one cannot be decrypted, and reports that one as pending', async () => {
  const { cards } = client.portal.store;
  const unreadableWallet = newWallet();
  const order = {
    id: 'unreadable',
    idempotencyKey: 'unreadable',
    tier: 'Duckling',
    issuer: 'stripe',
  } as const;
  const held = { walletAddress: unreadableWallet, holderName: 'Ada', stakeEntries: [], at: 1 };
  await cards.reserve({ ...order, ...held, cardholder: 'AAAA' });
  await orderDuringOutage();
  fake.forgetKeys();
  await client.portal.checkCardStakes();
  expect(await cards.cardOf(wallet)).toMatchObject({ state: 'active' });
  expect(await cards.card('unreadable')).toMatchObject({ state: 'pending', cardholder: 'AAAA' });
  expect(client.portal.logLines.filter((line) => JSON.stringify(line).includes('unreadable'))).toHaveLength(
    1,
  );
  expect(outcomeOf(await client.create(unreadableWallet))).toEqual([409, 'card-pending']);
});

it('an order needs the cardholder data that its issuer requires, and must not have any other', async () => {
  const sandbox = await startCardClient();
  const readCardholderFields = async (cardClient: CardClient) =>
    myCard.response.parse(bodyOf(await cardClient.get(myCard.path, wallet))).cardholderFields;
  expect(await readCardholderFields(client)).toEqual([...CARDHOLDER_FIELDS]);
  expect(await readCardholderFields(sandbox)).toEqual([]);
  expect(outcomeOf(await create(SAMPLE_CARDHOLDER, sandbox))).toEqual([400, 'cardholder-incomplete']);
  await sandbox.close();
  const asking = await startCardClient({
    issuer: createSandboxIssuer({ now: () => TEST_START, requiresStripeFields: true }),
  });
  expect(outcomeOf(await create(undefined, asking))).toEqual([400, 'cardholder-incomplete']);
  expect((await create(SAMPLE_CARDHOLDER, asking)).status).toBe(200);
  await asking.close();
});
