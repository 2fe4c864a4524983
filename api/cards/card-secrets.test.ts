import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { walletOf } from '../testing/sample-stakes.ts';
import { FREEZE_PATH, REVEAL_PATH } from './testing/card-client.ts';
import { isCardCreation, isCardRead } from './testing/fake-stripe.ts';
import { startCardClientOnFakeStripe } from './testing/fake-stripe-card-client.ts';

interface Secret {
  readonly number: string;
  readonly cvc: string;
}

/** The base64 of a string at each of the three alignments, without the characters that also encode neighboring text. */
function base64Forms(text: string): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.from('\0'.repeat(offset) + text).toString('base64');
    return encoded.slice(offset === 0 ? 0 : offset + 1, (offset + text.length) % 3 === 0 ? undefined : -4);
  });
}

function findLeaks(bytes: Buffer, { number, cvc }: Secret): string[] {
  const text = bytes.toString('latin1');
  const groups = number.match(/.{4}/g) ?? [];
  const forms = [
    number,
    groups.join(' '),
    groups.join('-'),
    Buffer.from(number).toString('hex'),
    [...number].join('\0'),
    ...base64Forms(number),
  ];
  const found = forms.filter((form) => text.includes(form));
  const labeledCvc = new RegExp(`(cvc|cvv|security)[^0-9]{0,12}${cvc}(?!\\d)`, 'i');
  // The CVVs in this test begin with 0. No JSON number of several digits begins with 0, so a standalone match is the CVV.
  const standalone = new RegExp(`["':,=\\s]${cvc}["',}\\s]`);
  return [...found, ...[labeledCvc, standalone].filter((form) => form.test(text)).map(String)];
}

async function readFiles(folder: string): Promise<[string, Buffer][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(files.map(async (file) => [relative(folder, file), await readFile(file)]));
}

describe('the search for secrets', () => {
  const number = '4123456789012345';
  const secret = { number, cvc: '0931' };

  it.each([
    'PAN 4123456789012345.',
    '4123 4567 8901 2345',
    '4123-4567-8901-2345',
    Buffer.from(number).toString('hex'),
    ...['', ' ', '  '].map((padding) => Buffer.from(`${padding}${number} `).toString('base64')),
    Buffer.from(number, 'utf16le').toString('latin1'),
    '{"cvc":"0931"}',
    'CVV is 0931',
    'code=0931 ',
  ])('finds %j', (text) => {
    expect(findLeaks(Buffer.from(text, 'latin1'), secret)).not.toEqual([]);
  });

  it('ignores similar text', () => {
    const text = '4123456789012346 last4 2345 "at":1790000000931 9f-0931-4a';
    expect(findLeaks(Buffer.from(text), secret)).toEqual([]);
  });
});

it('no file and no log line of the portal contains a card number or a CVV, after successes and failures', async () => {
  const client = await startCardClientOnFakeStripe();
  const { fake } = client;
  const wallets = [1, 2, 3, 4, 5, 6].map(walletOf);
  const [first = '', second = '', third = ''] = wallets;
  fake.faults.push({ kind: 'garbage', matches: isCardCreation }, { kind: 'garbage', matches: isCardRead });
  for (const wallet of [...wallets, ...wallets]) await client.create(wallet);
  const cardIds = await Promise.all(
    wallets.map(async (wallet) => (await client.portal.store.cards.cardOf(wallet))?.id ?? ''),
  );
  const [firstId, secondId] = cardIds;

  const shown = await client.post(REVEAL_PATH, first, { cardId: firstId });
  const card = [...fake.cards.values()].find(({ metadata }) => metadata.portal_card === firstId);
  expect(JSON.parse(shown.body)).toMatchObject({ cardNumber: card?.number, cvv: card?.cvc });
  for (const secret of [card?.number ?? '', card?.cvc ?? '']) {
    const error = { type: 'invalid_request_error', message: secret, code: secret, param: secret };
    fake.faults.push({ kind: 'status', status: 400, error, matches: isCardRead });
    await client.post(REVEAL_PATH, first, { cardId: firstId });
    fake.faults.push({ kind: 'status', status: 500, error, matches: isCardRead });
    await client.post(REVEAL_PATH, first, { cardId: firstId });
  }
  fake.faults.push({ kind: 'garbage', matches: isCardRead });
  await client.post(REVEAL_PATH, second, { cardId: secondId });
  await client.post(FREEZE_PATH, second, { cardId: secondId });
  await client.get('/api/virtual-card/usage', third);
  await client.post(`${REVEAL_PATH}?cardNumber=${card?.number}`, third, {
    cardId: card?.number,
    cvv: card?.cvc,
  });
  // The webhook gets the whole card, once with a valid and once with an invalid signature.
  for (const secret of [undefined, 'whsec_another']) {
    const at = TEST_START / 1_000;
    const options = { id: 'evt_1', object: card, at, ...(secret ? { secret } : {}) };
    const { body, signature } = fake.event(options);
    await ask(client.portal.port, '/api/card-issuer/webhook', {
      method: 'POST',
      headers: { 'Stripe-Signature': signature },
      body,
    });
  }

  const files = await readFiles(client.portal.folder);
  expect(files.map(([name]) => name)).toEqual(expect.arrayContaining(['app.db', 'app.db-wal']));
  const log = Buffer.from(client.portal.logLines.join('\n'));
  expect(log.length).toBeGreaterThan(500);
  const sources: [string, Buffer][] = [...files, ['the log', log]];
  expect(fake.cards.size).toBe(wallets.length);
  for (const { number = '', cvc = '', id, last4 } of fake.cards.values()) {
    const found = sources.map(([name, bytes]) => [name, findLeaks(bytes, { number, cvc })]);
    expect(found, id).toEqual(sources.map(([name]) => [name, []]));
    // The id and the last four digits are stored in plain text. Finding them shows that the search reads the right bytes.
    expect(sources.some(([, bytes]) => bytes.includes(id) && bytes.includes(last4))).toBe(true);
  }
  await client.close();
});
