// @module-tag slow
import { afterEach, describe, expect, it, vi } from 'vitest';
import { OWN_RECORDS_SOURCE } from '../../data/model/own-records-source.ts';
import { submitApplication, submitMessage } from '../../data/store/testing/sample-submissions.ts';
import { FakeIndex, TEST_START } from '../testing/fake-index.ts';
import { sendForm } from '../testing/portal-client.ts';
import { manyStakes, openedStake } from '../testing/sample-stakes.ts';
import { startTestPortal, type TestPortal, type TestPortalChanges } from '../testing/test-portal.ts';
import { openWalletSession } from '../testing/test-wallet.ts';
import { sampleBook } from './testing/sample-book.ts';

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const SEED_PHRASE = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const book = sampleBook();

let portal: TestPortal | undefined;
afterEach(() => portal?.close());

async function start(changes: TestPortalChanges = {}): Promise<TestPortal> {
  portal = await startTestPortal({ openChatBook: async () => book, ...changes });
  return portal;
}

const say = (port: number, message: unknown) => sendForm(port, '/api/chat/duckling', { message });

describe('POST /api/chat/duckling', () => {
  it('answers from a passage, names the source, and forbids caching', async () => {
    const { port } = await start();
    const { status, body, headers } = await say(port, 'how long is my stake locked?');
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(JSON.parse(body)).toMatchObject({
      response: expect.stringContaining('180 days'),
      kind: 'answer',
      by: 'portal',
      sources: [{ title: 'How long is my stake locked?', href: '/faq#lock' }],
    });
  });

  it('answers with a wallet’s stake, tier and lock, and mentions no tier without a stake', async () => {
    const index = new FakeIndex();
    const stake = openedStake(0, { wallet: WALLET, amount: 6_000_000_000_000n });
    index.storedStakes = { ...manyStakes(0), entries: [stake] };
    const { port } = await start({ index });
    const { response, sources } = JSON.parse((await say(port, `tier of ${WALLET}`)).body);
    expect(response).toMatch(/6,000,000\.00 BD.*Banker.*\d{4}-\d\d-\d\d/);
    expect(sources).toEqual([{ title: 'My position', href: `/my-position#wallet=${WALLET}` }]);
    const other = JSON.parse((await say(port, WALLET.replace('7x', '8x'))).body);
    expect(other).toMatchObject({ kind: 'figure', source: 'figure:wallet' });
    expect(other.response).not.toMatch(/tier/i);
  });

  it('accepts a question of at most 500 characters, but not an empty one', async () => {
    const { port } = await start();
    expect((await say(port, 'é'.repeat(500))).status).toBe(200);
    for (const message of ['', '   ', 'x'.repeat(501)]) {
      const answer = await say(port, message);
      expect(answer.status, message).toBe(400);
      expect(JSON.parse(answer.body).error, message).toMatch(/question/);
    }
  });

  it('responds with 503 if the site is not built', async () => {
    portal = await startTestPortal();
    expect((await say(portal.port, 'hello')).status).toBe(503);
  });

  it('has a rate limit per IP address', async () => {
    const { port } = await start({ rateLimits: { questions: 1 } });
    expect((await say(port, 'hello')).status).toBe(200);
    expect((await say(port, 'hello')).status).toBe(429);
  });

  it('warns about a secret and neither stores nor logs it', async () => {
    const { port, store, logLines } = await start({ keepsTranscripts: true });
    expect(JSON.parse((await say(port, SEED_PHRASE)).body).kind).toBe('warning');
    expect(await store.chat.transcripts(9)).toEqual([]);
    expect(await store.chat.unanswered(9)).toEqual([]);
    expect(logLines.join()).not.toContain('sausage');
  });

  it('counts unanswered questions without personal data', async () => {
    const { port, store } = await start();
    for (const _ of Array(2)) await say(port, 'I am Grzegorz and my parrot is sick');
    await expect.poll(() => store.chat.unanswered(9)).toMatchObject([{ timesAsked: 2 }]);
    expect((await store.chat.unanswered(9))[0]?.question).not.toMatch(/grzegorz/i);
    expect(await store.chat.transcripts(9)).toEqual([]);
  });

  it('stores transcripts if the operator enables them', async () => {
    const { port, store } = await start({ keepsTranscripts: true });
    await say(port, 'how long is my stake locked?');
    await expect.poll(() => store.chat.transcripts(9)).toMatchObject([{ source: '/faq#lock' }]);
  });

  it('lets a model reword only passages, and uses the passage if the model has no answer', async () => {
    const questions: string[] = [];
    let reworded: string | null = 'For 180 days.';
    const askModel = async (question: string) => {
      questions.push(question);
      return reworded;
    };
    const { port } = await start({ askModel });
    const question = 'how long is my stake locked?';
    const sources = [{ href: '/faq#lock' }];
    const answer = JSON.parse((await say(port, question)).body);
    expect(answer).toMatchObject({ response: reworded, by: 'model', sources });
    reworded = null;
    expect(JSON.parse((await say(port, question)).body)).toMatchObject({ by: 'portal', sources });
    for (const other of ['hello', 'should I buy now?', SEED_PHRASE, 'bitcoin price', 'vault balance'])
      await say(port, other);
    expect(questions).toEqual([question, question]);
  });
});

describe('the status of a wallet’s own submissions', () => {
  const OTHER = WALLET.replace('7x', '8x');
  const model = { questions: [] as string[] };

  async function startWithRecords() {
    model.questions = [];
    const askModel = async (question: string) => {
      model.questions.push(question);
      return null;
    };
    const started = await start({ askModel, keepsTranscripts: true });
    const application = await submitApplication(started.store, { walletAddress: WALLET });
    const message = await submitMessage(started.store, { walletAddress: WALLET });
    const foreign = await submitApplication(started.store, { walletAddress: OTHER });
    const ask = async (message: string, provedWallet: string | null, earlier: readonly string[] = []) => {
      const headers: Record<string, string> =
        provedWallet === null
          ? {}
          : { Cookie: await openWalletSession(started.store, provedWallet, TEST_START) };
      const { body } = await sendForm(started.port, '/api/chat/duckling', { message, earlier }, headers);
      return JSON.parse(body);
    };
    return { ...started, application, message, foreign, ask };
  }

  it('is shown to the wallet’s proven owner, with a link to the status page', async () => {
    const { application, message, foreign, ask } = await startWithRecords();
    const { response, kind, source, sources, by } = await ask('where is my application?', WALLET);
    expect({ kind, source, by }).toEqual({ kind: 'figure', source: OWN_RECORDS_SOURCE, by: 'portal' });
    expect(response).toMatch(new RegExp(`${application}.*received.*2026-01-02 03:04 UTC`));
    expect(response).toContain(message);
    expect(response).not.toMatch(new RegExp(`${foreign}|ada`, 'i'));
    expect(sources[0].href).toBe(`/application-status#reference=${application}`);
  });

  it.each([
    ['without a proven wallet', null],
    ['with another wallet', '9xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'],
  ])('is not shown %s', async (_case, provedWallet) => {
    const { ask } = await startWithRecords();
    for (const question of ['where is my application?', `where is the application of ${WALLET}?`]) {
      expect(JSON.stringify(await ask(question, provedWallet))).not.toMatch(/BD-\d{8}-\d{6}/);
    }
    const { response, sources } = await ask('where is my application?', null);
    expect(response).toContain(book.texts.records.prove);
    expect(sources.map(({ href }: { href: string }) => href)).toEqual(
      expect.arrayContaining(['/application-status', '/faq#status', '/virtual-card']),
    );
  });

  it('begins with the kind of submission that the question or the one before it names', async () => {
    const { application, message, ask } = await startWithRecords();
    const isBefore = (one: string, other: string, text: string) => text.indexOf(one) < text.indexOf(other);
    const { response } = await ask('what happened to my message', WALLET);
    expect(isBefore(message, application, response)).toBe(true);
    const followUp = await ask('and my card request?', WALLET, ['what happened to my message']);
    expect(isBefore(application, message, followUp.response)).toBe(true);
    expect((await ask('where is my verification', WALLET)).response).toContain('verification request');
    const loan = await ask('status of my loan application', WALLET);
    expect(loan.response).toContain(book.texts.records.loan);
    expect(loan.response).not.toContain(application);
  });

  it('is not logged, stored in a transcript or sent to a model', async () => {
    const { ask, store, logLines, application } = await startWithRecords();
    await ask(`where is my application ${application}?`, WALLET);
    await expect
      .poll(() => store.chat.transcripts(9))
      .toMatchObject([{ source: OWN_RECORDS_SOURCE, answer: '' }]);
    await ask('how long is my stake locked?', WALLET, ['where is my application?']);
    expect(model.questions).toEqual(['how long is my stake locked?']);
    expect(JSON.stringify([logLines, await store.chat.transcripts(9)])).not.toContain(application);
  });

  it('is reported as unavailable if the store cannot be read', async () => {
    const { ask, store } = await startWithRecords();
    vi.spyOn(store.submissions, 'ofWallet').mockRejectedValue(new Error('down'));
    expect((await ask('where is my application?', WALLET)).response).toContain(book.texts.records.missing);
  });
});

describe('POST /api/chat/verdict', () => {
  it('counts verdicts per source and rejects an unknown source', async () => {
    const { port, store } = await start();
    const judge = (source: string, verdict: string) =>
      sendForm(port, '/api/chat/verdict', { source, verdict });
    for (const verdict of ['up', 'down', 'down']) {
      expect((await judge('/faq#lock', verdict)).status).toBe(200);
    }
    expect((await judge('/faq#made-up', 'up')).status).toBe(400);
    expect(await store.chat.verdicts(0)).toEqual([{ source: '/faq#lock', up: 1, down: 2 }]);
  });
});
