import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RateLimits, rateLimits } from '../../data/config/rate-limits.ts';
import { noFigureInputs } from '../metrics/figure.ts';
import { answerLocally } from './answer.ts';
import { type AskModel, createAskModel, isFaithful } from './model-answer.ts';
import { type ModelPeer, startModelPeer } from './testing/model-peer.ts';
import { sampleBook } from './testing/sample-book.ts';

const book = sampleBook();
const question = 'how long is the lock period';
const foundAnswer = answerLocally(question, {
  inputs: noFigureInputs('embedded-ledger', new Set()),
  now: 0,
  book,
});

let peer: ModelPeer;
let reasons: string[];
let now = 0;
const OPTIONS = {
  rateLimits: rateLimits(),
  onUnused: (reason: string) => void reasons.push(reason),
  now: () => now,
};
const createClient = (timeoutMs: number, changes: Partial<RateLimits> = {}): AskModel =>
  createAskModel(
    { url: peer.url, key: 'k', name: 'm' },
    { ...OPTIONS, rateLimits: rateLimits(changes), timeoutMs },
  );
/** Never reached, even on a busy machine. */
const LONG_TIMEOUT_MS = 60_000;
beforeAll(async () => {
  peer = await startModelPeer();
});
afterAll(() => peer.close());
beforeEach(() => {
  reasons = [];
});

describe('a model’s answer', () => {
  it('is read from the stream, and used if it says only what the passages say', async () => {
    peer.behave({ says: ['Your stake is ', 'locked for 180', ' days.'] });
    expect(await createClient(LONG_TIMEOUT_MS)(question, foundAnswer)).toBe(
      'Your stake is locked for 180 days.',
    );
    expect(reasons).toEqual([]);
  });

  it('is requested with the passages found and the question, and nothing else', async () => {
    peer.behave({ says: ['180 days.'] });
    await createClient(LONG_TIMEOUT_MS)(question, foundAnswer);
    const { key, body } = peer.requests.at(-1) ?? {};
    const sent = JSON.stringify(body);
    expect(sent).toContain('180 days from the moment');
    expect(sent).not.toContain('4.5%');
    expect(key).toBe('Bearer k');
    expect(body).toMatchObject({ model: 'm', stream: true, max_tokens: 350, temperature: 0 });
  });

  it.each([
    ['hangs before it responds', { does: 'hang' }],
    ['hangs during its answer', { does: 'hang-within' }],
    ['streams garbage', { does: 'garbage' }],
    ['fails during its answer', { does: 'error-within' }],
    ['is cut off', { does: 'cut' }],
    ['never ends', { does: 'endless' }],
    ['sends empty lines for ever', { does: 'endless-empty' }],
    ['says far too much', { says: ['The lock is 180 days long. '.repeat(60)] }],
    ['refuses the key', { status: 401 }],
    ['fails', { status: 500 }],
    ['has no answer', { says: ['NO ANSWER'] }],
    ['says nothing', { says: [] }],
    ['obeys an injected order', { says: ['You should buy BD now, returns are guaranteed!'] }],
    ['invents a number', { says: ['Your stake is locked for 12 days.'] }],
    ['names an address', { says: ['Send your USDT to 0x52908400098527886E0F7030069857D2E4169EE7.'] }],
  ] as const)(
    'is not used if the model %s, and the reason quotes neither question nor answer',
    async (_, behavior) => {
      peer.behave(behavior);
      const timeoutMs = 'does' in behavior && behavior.does.startsWith('hang') ? 50 : LONG_TIMEOUT_MS;
      expect(await createClient(timeoutMs)(question, foundAnswer)).toBeNull();
      expect(reasons).toHaveLength(1);
      expect(reasons[0]).not.toMatch(/lock|BD|0x/);
    },
  );

  it('is not requested beyond the daily budget until the next day, even if the clock is set back', async () => {
    peer.behave({ says: ['180 days.'] });
    const ask = createClient(LONG_TIMEOUT_MS, { 'model-answers': 1 });
    now = 10 * 86_400_000;
    const answers = [await ask(question, foundAnswer), await ask(question, foundAnswer)];
    now -= 3_600_000;
    answers.push(await ask(question, foundAnswer));
    now = 11 * 86_400_000;
    answers.push(await ask(question, foundAnswer));
    expect(answers).toEqual(['180 days.', null, null, '180 days.']);
  });

  it('is not requested while too many requests are open', async () => {
    peer.behave({ does: 'hang' });
    const ask = createClient(LONG_TIMEOUT_MS, { 'model-answers-open': 1 });
    const before = peer.requests.length;
    const first = ask(question, foundAnswer);
    expect(await ask(question, foundAnswer)).toBeNull();
    await expect.poll(() => peer.requests.length - before).toBe(1);
    peer.cut();
    expect(await first).toBeNull();
    expect(peer.requests.length - before).toBe(1);
  });

  it('is not used if no server listens', async () => {
    const nowhere = { url: 'http://127.0.0.1:1/v1/', key: null, name: 'm' };
    const unreachable = createAskModel(nowhere, OPTIONS);
    expect(await unreachable(question, foundAnswer)).toBeNull();
    expect(reasons).toHaveLength(1);
  });
});

const MATERIAL =
  'Never share your seed phrase. Write by email or Telegram. The lock is 180 days. The stated annual yield is 88.7%. Cards: 1,500,000 BD.';

describe('an answer', () => {
  it.each([
    'Your stake is locked for 180 days.',
    'The stated yield is 88.7%, and it is not guaranteed.',
    'A card needs 1,500,000 BD.\n\nNothing is guaranteed.',
    'Never share your seed phrase.',
    'Write to the team on Telegram, e.g. about a card.',
  ])('is faithful to its material: “%s”', (answer) => {
    expect(isFaithful(answer, MATERIAL)).toBe(true);
  });

  it.each([
    ['a new number', 'Your stake is locked for 90 days.'],
    ['a number written in a different way', 'A card needs 1.5 million BD.'],
    ['a link', 'See https://example.com for more.'],
    ['a Solana address', 'Send it to 7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'],
    ['an Ethereum address', 'Send USDT to 0x52908400098527886E0F7030069857D2E4169EE7'],
    ['a tag', 'Hello <script>alert()</script>'],
    ['advice', 'You should buy more BD.'],
    ['a promise', 'Your return is guaranteed.'],
    ['a prediction', 'The price will rise.'],
    ['a request for a secret', 'Please enter your seed phrase.'],
    ['a request for twelve words', 'Confirm your wallet with its twelve words.'],
    ['a claim that a secret is needed', 'To unlock the card, your recovery phrase is needed.'],
    ['a secret in a sentence that starts harmlessly', 'Never share your seed phrase, except here.'],
    ['a request for the CVV', 'Reply with the CVV to continue.'],
    ['a bare domain', 'See blackduck-claim.com for more.'],
    ['a bare domain in wide letters', 'See ｂｌａｃｋｄｕｃｋ．ｉｏ for more.'],
    ['a domain in disguise', 'See blackduck [dot] com for more.'],
    ['a domain in words', 'See blackduck dot com for more.'],
    ['a link to a bot', 'Open t.me/duck for more.'],
    ['a handle', 'Write to @ blackduck for more.'],
    ['a handle without an at sign', 'Write to blackduck_support for more.'],
    ['a hidden character in a domain', 'See blackduck\u200b.com for more.'],
    ['a channel that the material does not name', 'Write to the team on WhatsApp.'],
    ['the rules of the model', 'My instructions say that I must not.'],
    ['garbage', 'abc\u0000\uFFFD'],
  ])('with %s is not faithful to its material', (_, answer) => {
    expect(isFaithful(answer, MATERIAL)).toBe(false);
  });
});
